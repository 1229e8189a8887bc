import JackdawTestSupport
import JackdawTransport
import Testing

@Suite("Transcripts as text")
struct TranscriptTests {
    static let text = """
        jackdaw-transcript 1 masked tcp:[::1]:4000
        0.000000 > 02 ** 0a
        0.000001 unsent 1 busy

        # what a person has noted
        1.500000 < ff
        1.500000 done
        2.000000 end
        604800.000000 closed

        """
    static let entries: [TranscriptEntry] = [
        TranscriptEntry(time: .zero, event: .sent([0x02, nil, 0x0a])),
        TranscriptEntry(time: .microseconds(1), event: .unsent(1, .busy)),
        TranscriptEntry(time: .milliseconds(1_500), event: .received([0xff])),
        TranscriptEntry(time: .milliseconds(1_500), event: .endedSending),
        TranscriptEntry(time: .seconds(2), event: .end),
        TranscriptEntry(time: TranscriptReader.latestTime, event: .closed),
    ]

    @Test("each line is read, and printed again")
    func bothWays() throws {
        let transcript = try Transcript(parsing: Array(Self.text.utf8).span)
        #expect(transcript.header == TranscriptHeader(link: "tcp:[::1]:4000", isMasked: true))
        #expect(transcript.entries == Self.entries)
        let again = try Transcript(parsing: Array(transcript.text.utf8).span)
        #expect(again == transcript)
        #expect(transcript.text.contains("\n0.000000 > 02 ** 0a\n0.000001 unsent 1 busy\n1.500000 < ff\n"))
    }

    @Test("pieces of any size give the same entries", arguments: 1...40)
    func dripFed(size: Int) throws {
        let bytes = Array(Self.text.utf8)
        var reader = TranscriptReader()
        var entries: [TranscriptEntry] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            entries += try reader.receive(Array(bytes[start..<min(start + size, bytes.count)]).span)
        }
        entries += try reader.finish()
        #expect(entries == Self.entries)
        #expect(reader.header?.isMasked == true)
    }

    @Test("an end of the file is an end of the line")
    func noLastLineEnd() throws {
        let text = "jackdaw-transcript 1 revealed pty:/dev/pts/3\n0.000000 lost disconnected"
        #expect(
            try Transcript(parsing: Array(text.utf8).span).entries == [
                TranscriptEntry(time: .zero, event: .lost(.disconnected))
            ])
    }

    @Test(
        "text that is no transcript is refused with the line's number, without its content",
        arguments: [
            ("", 1, TranscriptError.Code.header), ("jackdaw-transcript 2 masked a:b\n", 1, .header),
            ("jackdaw-transcript 1 open a:b\n", 1, .header), ("jackdaw-transcript 1 masked\n", 1, .header),
            ("h\n0.0 end", 2, .time), ("h\n0.0000000 end", 2, .time), ("h\n-1.000000 end", 2, .time),
            ("h\n1234567890.000000 end", 2, .time), ("h\n99999999999999999999.000000 end", 2, .time),
            ("h\n999999999.000000 end", 2, .limit), ("h\n604800.000001 > 01", 2, .limit),
            ("h\n604800.000000 > 01\n604801.000000 end", 3, .limit), ("h\n1e9.000000 end", 2, .time),
            ("h\n1.000000 end\n0.999999 closed", 3, .order),
            ("h\n0.000000", 2, .event), ("h\n0.000000 ", 2, .event), ("h\n0.000000 >", 2, .bytes),
            ("h\n0.000000 > 4111", 2, .bytes), ("h\n0.000000 > 41 1", 2, .bytes), ("h\n0.000000 < 4g", 2, .bytes),
            ("h\n0.000000 <  41", 2, .bytes), ("h\n0.000000 < +1", 2, .bytes),
            ("h\n0.000000 < **", 2, .mask),
            ("h\n0.000000 lost 4111111111111111", 2, .reason), ("h\n0.000000 unsent x busy", 2, .reason),
            ("h\n0.000000 unsent -1 busy", 2, .reason), ("h\n0.000000 unsent 1 4111", 2, .reason),
            ("h\n0.000000 end\n0.000000 < 41", 3, .order),
            ("h\n0.000000 end\n0.000000 end", 3, .order),
            ("h\n0.000000 4111111111111111", 2, .event), ("h\r\n0.000000 end\r", 2, .event),
        ])
    func hostile(_ text: String, _ line: Int, _ code: TranscriptError.Code) {
        let text = text.replacing(/^h/, with: "jackdaw-transcript 1 revealed a:b")
        let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: Array(text.utf8).span) }
        #expect(error?.line == line)
        #expect(error?.code == code)
        #expect(error?.description.contains("4111") == false)
    }

    @Test("a byte that is not a pair of digits is named", arguments: [("4111", 0), ("41 1", 1), ("41 42 4g 43", 2)])
    func wrongByte(_ bytes: String, _ place: Int) {
        let text = "jackdaw-transcript 1 revealed a:b\n0.000000 > \(bytes)\n"
        let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: Array(text.utf8).span) }
        #expect(error?.code == .bytes)
        #expect(error?.message.contains("byte \(place) ") == true)
    }

    @Test("it is bounded, and goes on failing")
    func bounds() throws {
        var reader = TranscriptReader()
        let long = [UInt8](repeating: 0x41, count: TranscriptReader.longestLine)
        #expect(try reader.receive(long.span).isEmpty)
        let more: [UInt8] = [0x41]
        for _ in 0..<2 {
            let error = #expect(throws: TranscriptError.self) { try reader.receive(more.span) }
            #expect(error?.line == 1)
            #expect(error?.code == .limit)
        }
        #expect(throws: TranscriptError.self) { try reader.finish() }
    }

    @Test("bytes that are not text are reported")
    func noText() {
        let text = Array("jackdaw-transcript 1 masked a:b\n0.000000 > ".utf8) + [0xff, 0xfe, 0x0a]
        let error = #expect(throws: TranscriptError.self) { try Transcript(parsing: text.span) }
        #expect(error?.line == 2)
        #expect(error?.code == .text)
    }

    @Test("random text that is read is written and read again alike")
    func random() {
        var random = SeededRandom(seed: 0x7a5c)
        let alphabet = Array("0123456789abcdef.<>* #\nendlostdisconnectedunsentclosed".utf8)
        for _ in 0..<2_000 {
            var bytes = Array("jackdaw-transcript 1 masked a:b\n".utf8)
            for _ in 0..<Int.random(in: 0..<80, using: &random) {
                bytes.append(alphabet.randomElement(using: &random) ?? 0)
            }
            guard let transcript = try? Transcript(parsing: bytes.span) else { continue }
            let again = try? Transcript(parsing: Array(transcript.text.utf8).span)
            #expect(again == transcript)
        }
    }

    @Test("a description and a reflection show no bytes")
    func descriptions() {
        let entry = TranscriptEntry(time: .zero, event: .received(Array("4111111111111111".utf8)))
        #expect(entry.description == "received 16 bytes")
        #expect("\(entry.event)" == "received 16 bytes")
        var dumped = ""
        dump(Transcript(header: TranscriptHeader(link: "a:b", isMasked: false), entries: [entry]), to: &dumped)
        #expect(!dumped.contains("52"))
        #expect(dumped.contains("received 16 bytes"))
    }

    @Test("the name of a link keeps the header a line")
    func header() throws {
        let header = TranscriptHeader(link: "pty:/dev/a\nb c", isMasked: true)
        #expect(header.line == "jackdaw-transcript 1 masked pty:/dev/a?b c")
        #expect(try Transcript(parsing: Array(header.line.utf8).span).header == header)
    }
}
