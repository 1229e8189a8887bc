import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct TraceReaderTests {
    /// Commands and answers in digits; nil without an answer.
    private func digits(_ text: String) throws -> [[String?]] {
        try exchanges(text).map { exchange in
            [hexadecimal(exchange.command.octets.octets), exchange.answer.map { hexadecimal($0.octets.octets) }]
        }
    }

    private static let expected: [[String?]] = [
        ["00B2010C00", "7003500141" + "9000"], ["80CA9F1700", "6A88"],
    ]

    @Test(arguments: [
        "00B2010C00\n70035001419000\n80CA9F1700\n6A88",
        "00b2010c00\r\n70035001419000\r\n\r\n# a comment\r\n80ca9f1700\r\n6a88\r\n",
        "C: 00 B2 01 0C 00\nR: 70 03 50 01 41 90 00\nC: 80 CA 9F 17 00\nR: 6A 88\n",
        "C-APDU: 00:B2:01:0C:00\nR-APDU: 70:03:50:01:41:90:00\nC-APDU:80CA9F1700\nR-APDU:6A88\n",
        "  > 00B2010C00\n  < 70035001419000\n>> 80-CA-9F-17-00\n<< 6A-88\n",
        "--> 00B2010C00\n<-- 70035001419000\n=> 80CA9F1700\n<= 6A88\n",
        "command: 00B2010C00\nRESPONSE: 70035001419000\ntx: 80CA9F1700\nrx: 6A88\n",
        """
        jackdaw-transcript 1 revealed pcsc:0
        0.000000 > 00 B2 01 0C 00
        0.004100 < 70 03 50 01 41 90 00
        0.005000 > 80 CA 9F 17 00

        # the card is slow
        0.105000 < 6A 88
        0.200000 closed
        """,
    ])
    func formsOfTracesAreRead(_ text: String) throws {
        #expect(try digits(text) == Self.expected)
    }

    @Test func linesAreNumbered() throws {
        let found = try exchanges("# a card\n\n> 00B2010C00\n\n< 6A83\n")
        #expect(found.map { $0.command.line } == [3] && found.map { $0.answer?.line } == [5])
    }

    /// A card that is removed does not answer.
    @Test(arguments: [
        ("C: 80A8000002830000\nC: 00B2010C00\nR: 6A83", 2), ("80A8000002830000\n00B2010C00\n6A83", 2),
        ("00B2010C00", 1), ("00B2010C00\n00000000\n00B2020C00\n6A83", 2),
        ("jackdaw-transcript 1 revealed pcsc:0\n0.000000 > 00 B2 01 0C 00\n0.100000 lost disconnected\n", 1),
    ])
    func commandsWithoutAnswerAreKept(_ text: String, _ count: Int) throws {
        let found = try exchanges(text)
        #expect(found.count == count)
        #expect(found.contains { $0.answer == nil } || count == 2)
        #expect(found.last?.answer != nil || count == 1)
    }

    /// EMV Contact Interface, section 9.2: header, procedure octet, data; an answer begins with the instruction.
    @Test func transmissionsOfT0AreJoined() throws {
        let text = """
            > 00A404000E
            < A4
            > 315041592E5359532E4444463031
            < 6114
            > 00C0000014
            < C06F12840E315041592E5359532E4444463031A5009000
            """
        #expect(
            try digits(text) == [
                ["00A404000E315041592E5359532E4444463031", "6114"],
                ["00C0000014", "6F12840E315041592E5359532E4444463031A5009000"],
            ])
    }

    @Test func maskedOctetsOfTranscriptsAreCounted() throws {
        let found = try exchanges(
            "jackdaw-transcript 1 masked pcsc:0\n0.000000 > 00 B2 01 0C 00\n0.1 < 70 ** ** 90 00\n")
        #expect(found.map { $0.answer?.maskedCount } == [2] && found.map { $0.answer?.octets.count } == [5])
    }

    @Test(arguments: [
        ("", "empty", 1), ("# nothing\n\n", "empty", 3), ("00B2010C0\n", "text", 1), ("\n00G2\n", "text", 2),
        ("C:\n", "text", 1), ("R: 9000\n", "order", 1), ("> 00B2010C00\n< 9000\n< 9000\n", "order", 3),
        ("<> 9000\n", "format", 1), ("00 ** 9000\n", "text", 1), ("jackdaw-transcript 2 masked x\n", "format", 1),
        ("jackdaw-transcript 1 masked x\n0.0 ? 00\n", "format", 2), ("X: 00B2010C00\n", "text", 1),
    ])
    func errorsNameTheLine(_ text: String, _ code: String, _ line: Int) throws {
        let error = try #require(throws: TraceError.self) { try exchanges(text) }
        #expect(error.code.rawValue == code && error.line == line)
    }

    @Test func limitsAreKept() throws {
        let long = String(repeating: "00", count: TraceReader.maxLineLength / 2)
        #expect(try exchanges("> " + long.dropLast(2)).count == 1)
        #expect(throws: TraceError.self) { try exchanges("> " + long) }
        let many = String(repeating: ">00\n", count: TraceReader.maxExchanges)
        #expect(try exchanges(many).count == TraceReader.maxExchanges)
        #expect(throws: TraceError.self) { try exchanges(many + ">00\n") }
    }

    /// An error stays, and shows nothing of the text.
    @Test func errorsAreFinal() throws {
        var reader = TraceReader()
        let text = Array("00B2010C00\n4761739001010010Z\n".utf8)
        let error = try #require(throws: TraceError.self) { _ = try reader.receive(text.span) }
        #expect(!"\(error)".contains("47617"))
        #expect(throws: error) { _ = try reader.finish() }
    }

    /// The result is the same for every size of pieces, and a trace that is cut anywhere is read or refused.
    @Test func piecesAndCutsDoNotMatter() throws {
        let text = Array("# x\nC: 00A4040007A0000000031010\nR: 6F00 9000\n00B2010C00\n70035001419000\n".utf8)
        var whole = TraceReader()
        let expected = try whole.receive(text.span) + whole.finish()
        for size in 1..<text.count {
            var reader = TraceReader()
            var found: [TraceExchange] = []
            for start in stride(from: 0, to: text.count, by: size) {
                found += try reader.receive(Array(text[start..<min(start + size, text.count)]).span)
            }
            #expect(try found + reader.finish() == expected)
        }
        for end in 0..<text.count {
            var reader = TraceReader()
            do {
                let found = try reader.receive(Array(text[..<end]).span) + reader.finish()
                #expect(found.count <= 2)
            } catch {
                #expect([.text, .empty].contains(error.code))
            }
        }
    }

    @Test func randomTextsAreReadOrRefused() {
        var random = SeededRandom(seed: 28)
        let alphabet = Array("0123456789ABCDEFabcdef:<>-# \n\n\t*crCR".utf8)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...120, using: &random)
            let text = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            var reader = TraceReader()
            var explainer = TraceExplainer(isRevealing: count % 2 == 0)
            guard let found = try? reader.receive(text.span) + reader.finish() else { continue }
            for exchange in found { _ = explainer.explain(exchange) }
        }
    }
}
