import Foundation
import JackdawBytes
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

private let captures =
    URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/") + "/captures"

@Suite struct DemodulateTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: LineMode.all.map(\.name))
    func everyByteIsReadAgainInEveryMode(mode: String) throws {
        let sound = try ChildProcess(["modulate", "--mode", mode, "-o", "-"], input: ModemSound.everyByte)
        #expect(sound.status == 0, "\(sound.messages)")
        let read = try ChildProcess(["demodulate", "--mode", mode, "-"], input: sound.output)
        #expect(read.status == 0, "\(read.messages)")
        #expect(read.output == ModemSound.everyByte)
        #expect(read.messages.hasPrefix("jackdaw: -: \(mode), 0."))
        // A packet of a uDynamo holds 255 bytes.
        #expect(read.messages.contains(mode == "udynamo" ? ", 255 bytes, " : ", 256 bytes, "))
        #expect(read.messages.split(separator: "\n").count == (mode == "udynamo" ? 2 : 1))
    }

    @Test func theFieldsOfTheObjectKeepTheirOrder() throws {
        try ModemSound.write(ModemSound.everyByte, "bell202", to: folder("a.wav"))
        let run = CommandRun("demodulate", "--mode", "bell202", "--json", folder("a.wav"))
        #expect(run.status == 0)
        #expect(run.messages.isEmpty)
        #expect(run.lines.count == 1)
        let line = try #require(run.lines.first)
        #expect(
            fieldNames(line) == [
                "start", "end", "mode", "bytes", "confidence", "framing_errors", "repaired", "check", "level", "snr",
                "baud",
                "mark", "space", "file", "channel",
            ])
        let object = try jsonObject(line)
        #expect(object["mode"] as? String == "bell202")
        #expect(object["bytes"] as? String == ModemSound.everyByte.lowercaseHexadecimal)
        #expect(object["framing_errors"] as? Int == 0)
        #expect(object["repaired"] as? Int == 0)
        #expect(object["check"] is NSNull)
        #expect(object["channel"] as? Int == 1)
        #expect(object["file"] as? String == folder("a.wav"))
        // 0.1 s of silence and 0.1 s of mark, then 2,560 bits.
        for (name, value, tolerance) in [
            ("start", 0.2, 0.002), ("end", 0.2 + 2_560.0 / 1_200, 0.002), ("level", -6, 0.5), ("baud", 1_200, 6),
            ("mark", 1_200, 12), ("space", 2_200, 22),
        ] {
            let number = try #require(object[name] as? Double)
            #expect(abs(number - value) < tolerance, "\(name) \(number)")
        }
        let confidence = try #require(object["confidence"] as? Double)
        #expect(confidence > 0.9 && confidence <= 1)
    }

    /// Two frames of encrypted card data; the checks of the second one, exclusive or and sum, are wrong.
    @Test func aFailedCheckIsReported() throws {
        for (sums, check) in [([0x03, 0x03] as [UInt8], "intact"), ([0x5A, 0x77], "broken")] {
            let frame: [UInt8] = [0x02, 2, 0, 1, 2] + sums + [0x03]
            try ModemSound.write(frame, "unimag", to: folder("a.wav"))
            let object = try jsonObject(
                try #require(CommandRun("demodulate", "--mode", "unimag", "--json", folder("a.wav")).lines.first))
            #expect(object["bytes"] as? String == frame.lowercaseHexadecimal)
            #expect(object["check"] as? String == check)
            let confidence = try #require(object["confidence"] as? Double)
            #expect(check == "intact" ? confidence > 0.9 : confidence <= 0.5)
            let run = try ChildProcess(["demodulate", "--mode", "unimag", folder("a.wav")])
            #expect(run.output == frame)
            #expect(run.messages.contains("check fails") == (check == "broken"), "\(run.messages)")
        }
    }

    @Test func tonesAndFramingCanBeGivenInsteadOfAMode() throws {
        let keying = ["--baud", "1600", "--mark", "3300", "--space", "1700", "--framing", "7E2"]
        let text = Array("Seven bits, even parity, two stop bits.\n".utf8)
        let sound = try ChildProcess(["modulate", "-o", folder("a.wav")] + keying, input: text)
        #expect(sound.status == 0, "\(sound.messages)")
        let run = CommandRun(["demodulate", "--json", folder("a.wav")] + keying)
        let object = try jsonObject(try #require(run.lines.first))
        #expect(object["mode"] as? String == "fsk")
        #expect(object["bytes"] as? String == text.lowercaseHexadecimal)
        let named = try ChildProcess(["modulate", "--mode", "v23", "--framing", "7E1", "-o", "-"], input: text)
        let read = try ChildProcess(["demodulate", "--mode", "v23", "--framing", "7E1", "-"], input: named.output)
        #expect(read.output == text)
    }

    @Test(arguments: ["bell103", "bell202", "v21", "v23", "softmodem-1225", "softmodem-315", "webjack"])
    func theModeIsFoundOut(mode: String) throws {
        let text = Array("Which mode is this? \(mode), of course.".utf8)
        try ModemSound.write(text, mode, to: folder("a.wav"))
        for arguments in [["--mode", "auto"], []] {
            let run = CommandRun(["demodulate", "--json", folder("a.wav")] + arguments)
            #expect(run.lines.count == 1)
            let object = try jsonObject(try #require(run.lines.first))
            #expect(object["mode"] as? String == mode)
            #expect(object["bytes"] as? String == text.lowercaseHexadecimal)
        }
    }

    @Test func headerlessSamplesAndStandardInputMakeNoDifference() throws {
        let samples = try ModemSound.samples(ModemSound.everyByte, LineMode(named: "v23"), sampleRate: 44_100)
        for (bytes, encoding) in [(samples.sixteenBitBytes, "s16"), (samples.floatBytes, "f32")] {
            let arguments = ["demodulate", "--mode", "v23", "--raw", "44100,\(encoding),1"]
            let piped = try ChildProcess(arguments + ["-"], input: bytes)
            #expect(piped.output == ModemSound.everyByte, "\(encoding): \(piped.messages)")
            let path = try folder.write(bytes, to: "a.raw")
            #expect(try ChildProcess(arguments + [path]).output == ModemSound.everyByte)
        }
    }

    @Test func channelsAreReadByThemselves() throws {
        let mode = try LineMode(named: "bell202")
        let channels = try ["left", "right"].map {
            try ModemSound.samples(Array($0.utf8), mode, sampleRate: 48_000)
        }
        try ModemSound.write(channels, to: folder("a.wav"), sampleRate: 48_000)
        let arguments = ["demodulate", "--mode", "bell202", folder("a.wav")]
        #expect(CommandRun(arguments).output == "left")
        #expect(CommandRun(arguments + ["--channel", "2"]).output == "right")
        let all = try CommandRun(arguments + ["--channel", "all", "--json"]).lines.map(jsonObject)
        #expect(all.compactMap { $0["channel"] as? Int }.sorted() == [1, 2])
        for (channel, word) in [(1, "left"), (2, "right")] {
            let bytes = all.first { $0["channel"] as? Int == channel }?["bytes"] as? String
            #expect(bytes == Array(word.utf8).lowercaseHexadecimal)
        }
        let none = CommandRun(arguments + ["--channel", "3"])
        #expect(none.status == 64)
        #expect(none.messages.contains("there is no channel 3: it has 2 channels"))
    }

    @Test func allFilesAreTriedAndTheWorstStatusIsReturned() throws {
        try ModemSound.write(Array("one ".utf8), "bell202", to: folder("a.wav"))
        try ModemSound.write(Array("two".utf8), "bell202", to: folder("b.wav"), sampleRate: 22_050)
        let notSound = try folder.write(Array("hello".utf8), to: "c.wav")
        let both = CommandRun("demodulate", "--mode", "bell202", folder("a.wav"), folder("b.wav"))
        #expect(both.status == 0)
        #expect(both.output == "one two")
        let worst = CommandRun(
            "demodulate", "--mode", "bell202", folder("missing.wav"), folder("a.wav"), notSound, "/dev/null")
        #expect(worst.status == 66)
        #expect(worst.output == "one ")
        #expect(worst.messages.split(separator: "\n").count == 4)
        #expect(CommandRun("demodulate", "--mode", "bell202", notSound, folder("a.wav")).status == 65)
    }

    @Test func silenceIsNothingDecoded() throws {
        try ModemSound.write([[Float](repeating: 0, count: 48_000)], to: folder("a.wav"), sampleRate: 48_000)
        for arguments in [["--mode", "bell202"], ["--json"]] {
            let run = CommandRun(["demodulate", folder("a.wav")] + arguments)
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.messages == "jackdaw: nothing decoded in 1 file\n")
        }
    }

    /// A regression: swipes were read as modem sound of 1 to 11 bytes.
    @Test(arguments: SoundFolder.files(in: captures)) func aSwipeIsNoModem(file: String) {
        for arguments in [[], ["--json"]] {
            let run = CommandRun(["demodulate", file] + arguments)
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.messages.contains("a swipe of a card"))
        }
    }

    /// A swipe is reported once, and no mode decodes a byte from it. Each capture is tried with some modes, and each
    /// mode on some captures.
    @Test(arguments: SoundFolder.files(in: captures).enumerated().map { ($0.offset, $0.element) })
    func aSwipeIsInNoMode(place: Int, file: String) {
        for (index, mode) in LineMode.all.map(\.name).enumerated() where (index + place).isMultiple(of: 5) {
            let run = CommandRun("demodulate", "--mode", mode, file)
            // The sample rate is too low for some modes.
            guard run.status != 65 else { continue }
            #expect(run.status == 1, "\(mode)")
            #expect(run.output.isEmpty, "\(mode)")
            #expect(run.messages.ranges(of: "a swipe of a card").count == 1, "\(mode)")
        }
    }

    /// Silence of any length before or after a swipe makes no difference; two swipes are reported twice.
    @Test(arguments: [[], ["--mode", "bell202"], ["--mode", "v21", "--framing", "raw"]])
    func aSwipeIsReportedOnceWhereverItIs(mode: [String]) throws {
        let rate = 11_025.0
        let swipe = try SwipeSound.render(";4111111111111111=2912101?", .two, .init(sampleRate: rate))
        func silence(_ seconds: Double) -> [Float] { [Float](repeating: 0, count: Int(seconds * rate)) }
        let sounds = [
            (swipe, 1), (silence(9.4) + swipe, 1), (swipe + silence(9.4), 1), (silence(7.7) + swipe + silence(1.3), 1),
            (swipe + silence(9.4) + swipe + silence(1), 2),
        ]
        for (index, (sound, count)) in sounds.enumerated() {
            try ModemSound.write([sound], to: folder("a.wav"), sampleRate: rate)
            let run = CommandRun(["demodulate", folder("a.wav")] + mode)
            #expect(run.status == 1, "\(index)")
            #expect(run.output.isEmpty, "\(index)")
            #expect(run.messages.ranges(of: "a swipe of a card").count == count, "\(index)")
        }
    }

    /// Weak and short bursts are output as the decoder of the mode reads them.
    @Test(arguments: [7.0, 14, 30]) func burstsInNoiseAreGiven(decibels: Double) throws {
        let texts = ["a", "four", "more than eight"]
        var sound: [Float] = []
        for text in texts {
            sound += try ModemSound.samples(
                Array(text.utf8), LineMode(named: "bell202"), sampleRate: 48_000, silence: 0.4)
        }
        let noisy = ModemSound.noisy(sound, decibels: decibels, bitRate: 1_200, sampleRate: 48_000, seed: 5)
            .map { 0.1 * $0 }
        try ModemSound.write([noisy], to: folder("a.wav"), sampleRate: 48_000)
        let run = CommandRun("demodulate", "--mode", "bell202", folder("a.wav"))
        var decoder = try LineMode(named: "bell202").decoder(sampleRate: 48_000)
        let whole = noisy.map { Int16(($0 * 32_768).rounded()) }
        var expected = ""
        for case .character(let character) in decoder.receive(whole.span) + decoder.finish() where character.isFramed {
            expected += String(UnicodeScalar(UInt8(character.value)))
        }
        #expect(run.output == String(decoding: Array(expected.unicodeScalars.map { UInt8($0.value) }), as: UTF8.self))
        #expect(run.output.count >= 10)
        #expect(!run.messages.contains("swipe"))
    }

    /// Modem sound between two swipes is read, and no byte of the swipes.
    @Test func aModemBesideASwipeIsRead() throws {
        let swipe = try SwipeSound.render(
            ";4111111111111111=2912101?", .two, .init(sampleRate: 48_000))
        let rest = [Float](repeating: 0, count: 48_000)
        let modem = try ModemSound.samples(Array("heard".utf8), LineMode(named: "bell202"), sampleRate: 48_000)
        try ModemSound.write([swipe + rest + modem + rest + swipe], to: folder("a.wav"), sampleRate: 48_000)
        for mode in [[], ["--mode", "bell202"]] {
            let run = CommandRun(["demodulate", folder("a.wav")] + mode)
            #expect(run.status == 0)
            #expect(run.output == "heard")
            #expect(run.messages.ranges(of: "a swipe of a card").count == 2)
        }
    }

    @Test func aRateThatDoesNotHoldTheModeIsBadData() throws {
        try ModemSound.write([[Float](repeating: 0, count: 8_000)], to: folder("a.wav"), sampleRate: 8_000)
        let run = CommandRun("demodulate", "--mode", "softmodem-1225", folder("a.wav"))
        #expect(run.status == 65)
        #expect(run.messages.hasPrefix("jackdaw: \(folder("a.wav")): mark 7350.0 is out of range"))
        // Automatic detection tries the modes that the sample rate allows.
        #expect(CommandRun("demodulate", folder("a.wav")).status == 1)
    }

    @Test func truncatedFilesAreReported() throws {
        try ModemSound.write(ModemSound.everyByte, "bell202", to: folder("a.wav"))
        let bytes = try folder.read("a.wav")
        let most = try folder.write(bytes.prefix(bytes.count / 2), to: "most.wav")
        let run = CommandRun("demodulate", "--mode", "bell202", "--json", most)
        #expect(run.status == 0)
        #expect(run.messages.contains("cut short"))
        let start = try folder.write(bytes.prefix(2_000), to: "start.wav")
        #expect(CommandRun("demodulate", "--mode", "bell202", start).status == 65)
    }

    /// Bytes are output while the sound goes on, not only at its end.
    @Test func bytesArePrintedWhileTheSoundArrives() throws {
        let input = Pipe()
        let output = Pipe()
        let process = try SpawnedProcess(
            ChildProcess.executable.path, ["demodulate", "--mode", "bell202", "--raw", "48000,s16,1", "-"],
            input: .pipe(input), output: .pipe(output))
        let samples = try ModemSound.samples(Array("heard".utf8), LineMode(named: "bell202"), sampleRate: 48_000)
        let silence = [Float](repeating: 0, count: 48_000)
        try input.fileHandleForWriting.write(contentsOf: Data((samples + silence).sixteenBitBytes))
        var read = Data()
        // The command waits for more sound, so that a test that misses a byte would wait for ever.
        var state = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while read.count < 5, unsafe poll(&state, 1, 60_000) == 1 { read += output.fileHandleForReading.availableData }
        #expect(read == Data("heard".utf8))
        process.send(SIGINT)
        #expect(process.end() == .exit(130))
    }

    /// Each word is output before the next one is sent, and the command ends with the sound.
    @Test func aSlowWriterIsFollowed() throws {
        let input = Pipe()
        let output = Pipe()
        let process = try SpawnedProcess(
            ChildProcess.executable.path, ["demodulate", "--mode", "bell202", "--raw", "48000,s16,1", "-"],
            input: .pipe(input), output: .pipe(output))
        var state = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        for word in ["one", "two", "three"] {
            let sound = try ModemSound.samples(
                Array(word.utf8), LineMode(named: "bell202"), sampleRate: 48_000, silence: 0.2)
            // Pieces of an odd size, which cut samples in two.
            let bytes = sound.sixteenBitBytes
            for start in stride(from: 0, to: bytes.count, by: 1_999) {
                try input.fileHandleForWriting.write(contentsOf: Data(bytes[start..<min(start + 1_999, bytes.count)]))
            }
            var read = Data()
            while read.count < word.utf8.count, unsafe poll(&state, 1, 60_000) == 1 {
                read += output.fileHandleForReading.availableData
            }
            #expect(read == Data(word.utf8))
        }
        try input.fileHandleForWriting.close()
        #expect(process.end() == .exit(0))
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    /// The bytes may be card data: they are in the results, and not in messages.
    @Test func messagesHaveNoneOfTheBytes() throws {
        try ModemSound.write(Array(";4111111111111111=29121010000000000?".utf8), "bell202", to: folder("a.wav"))
        let run = CommandRun("demodulate", folder("a.wav"))
        #expect(run.output == ";4111111111111111=29121010000000000?")
        #expect(!run.messages.contains("4111"))
        #expect(!run.messages.contains("34313131"))
    }

    @Test func theModesAreListed() throws {
        let run = CommandRun("demodulate", "--list")
        #expect(run.status == 0)
        #expect(run.lines.count == LineMode.all.count + 1)
        for mode in LineMode.all { #expect(run.lines.contains { $0.hasPrefix("\(mode.name) ") }) }
        let objects = CommandRun("demodulate", "--list", "--json").lines
        #expect(objects.count == LineMode.all.count)
        for line in objects { #expect(fieldNames(line) == ["mode", "baud", "mark", "space", "framing", "summary"]) }
        let bell = try jsonObject(try #require(objects.first { $0.contains("\"bell202\"") }))
        #expect(bell["baud"] as? Double == 1_200)
        #expect(bell["framing"] as? String == "8N1")
    }

    @Test(arguments: [
        [], ["--list", "a.wav"], ["--mode", "nothing", "a.wav"], ["--mode", "", "a.wav"],
        ["--baud", "300", "a.wav"], ["--mark", "1000", "--space", "2000", "a.wav"],
        ["--mode", "v21", "--baud", "300", "--mark", "1000", "--space", "1200", "a.wav"],
        ["--baud", "0", "--mark", "1000", "--space", "1200", "a.wav"],
        ["--baud", "300", "--mark", "1000", "--space", "1000", "a.wav"],
        ["--framing", "9N1", "a.wav"], ["--framing", "8X1", "a.wav"], ["--channel", "0", "a.wav"],
        ["--channel", "all", "a.wav"], ["--raw", "44100", "a.wav"], ["--unknown", "a.wav"],
    ])
    func nonsenseIsAUsageError(arguments: [String]) {
        let run = CommandRun(["demodulate"] + arguments)
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
        #expect(!run.messages.isEmpty)
    }

    @Test(arguments: [CharacterFraming.Parity.none, .even, .odd], CharacterFraming.StopBits.allCases)
    func framingsAreWrittenAsTheyAreRead(parity: CharacterFraming.Parity, stop: CharacterFraming.StopBits) {
        for dataBits in 5...8 {
            for order in [CharacterFraming.BitOrder.leastSignificantFirst, .mostSignificantFirst] {
                let framing = CharacterFraming(dataBits: dataBits, parity: parity, stopBits: stop, bitOrder: order)
                #expect(CharacterFraming(notation: framing.notation) == framing)
            }
        }
        #expect(CharacterFraming(notation: "7e1.5-MSB")?.notation == "7E1.5-msb")
        #expect(CharacterFraming(notation: "8N") == nil)
    }
}
