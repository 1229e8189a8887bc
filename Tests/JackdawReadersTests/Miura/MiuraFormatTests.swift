import JackdawReaders
import JackdawTestSupport
import Testing

/// Frames of Miura's MPI, with those of its SDK's unit tests.
@Suite struct MiuraFormatTests {
    /// Answers out of those tests.
    private static let answers = [
        "01 00 06 10111213 9000 97", "01 01 06 10111213 9000 96", "01 40 06 10111213 9000 D7",
        "01 41 06 10111213 9000 D6", "01 00 02 5060 33", "01 00 10 000102030405060708090A0B0C0D0E0F 11",
    ].map(hex)

    /// Commands by that rule, and by the same, made by hand.
    private static let commands = [
        "01 00 04 D0000000 D5", "01 00 04 D0020000 D7", "01 00 04 D0600100 B4", "01 00 04 D0620000 B7",
        "01 00 04 EEE00000 0B", "01 00 04 D0FF0000 2A", "01 00 11 D20100010C48656C6C6F20776F726C6421 EF",
        "01 00 1E DED10000 18 E0169F02060000000004565F2A0208269C01009A03260728 00 63",
    ].map(hex)

    @Test func framesAreCutHoweverTheyCome() {
        verify(MiuraFormat(.answer), frames: Self.answers, garbage: [0, 0x10, 0x41, 0xFF])
        verify(MiuraFormat(.command), frames: Self.commands, garbage: [0, 3, 0x90])
    }

    @Test func publishedFramesAreMade() throws {
        #expect(try MiuraFormat.command(hex("D0000000")) == Self.commands[0])
        #expect(try MiuraFormat.command(hex("D20100010C48656C6C6F20776F726C6421")) == Self.commands[6])
        #expect(try MiuraFormat.answer(hex("101112139000")) == [Self.answers[0]])
        #expect(try MiuraFormat.answer(hex("101112139000"), isUnsolicited: true) == [Self.answers[2]])
    }

    /// What the tests of the SDK refuse.
    @Test(arguments: [
        ("00 00 06 10111213 9000 96", FrameFault.Code.start, 0), ("01 FF 06 10111213 9000 68", .field, 1),
        ("01 00 00 01", .length, 2), ("01 00 01 50 50", .length, 2), ("01 00 FF 00", .length, 2),
        ("01 00 06 10111213 9000 00", .check, 9),
    ])
    func brokenFramesAreRefused(_ text: String, code: FrameFault.Code, offset: Int) {
        let fault = #expect(throws: FrameFault.self) { try MiuraFormat(.answer).check(hex(text)) }
        #expect(fault?.code == code)
        #expect(fault?.offset == offset)
    }

    @Test func aCommandIsNeitherChainedNorUnsolicited() {
        for answer in Self.answers[1...3] {
            #expect(throws: FrameFault.self) { try MiuraFormat(.command).check(answer) }
        }
    }

    @Test(arguments: [2, 254, 255, 256, 508, 509, 510, 1000]) func longAnswersAreChained(count: Int) throws {
        let apdu = (0..<count).map { UInt8($0 % 251) }
        let frames = try MiuraFormat.answer(apdu)
        for frame in frames { #expect(throws: Never.self) { try MiuraFormat(.answer).check(frame) } }
        #expect(frames.flatMap { $0.dropFirst(3).dropLast() } == apdu)
        #expect(frames.map { $0[1] } == [UInt8](repeating: 1, count: frames.count - 1) + [0])
    }

    @Test func fieldsAreNamed() {
        let start = MiuraFormat(.command).fields(of: Self.commands[7], isRevealing: false)
        #expect(start.first { $0.name == "CLA INS" }?.value == "DE D1 start transaction")
        let answer = MiuraFormat(.answer).fields(of: Self.answers[2], isRevealing: true)
        #expect(answer.map(\.value) == ["01 card reader", "unsolicited", "6", "10 11 12 13", "90 00 done", "right"])
    }

    @Test func objectsOfACommandAreFields() {
        let fields = MiuraFormat(.command).fields(of: Self.commands[7], isRevealing: false)
        #expect(
            fields.dropFirst(5).map { "\($0.range.lowerBound) \($0.name): \($0.value)" } == [
                "7 Lc: 24", "8 E0 command data: 22 bytes of objects",
                "10 9F02 Amount, Authorised (Numeric): 6 bytes: 00 00 00 00 04 56",
                "19 5F2A Transaction Currency Code: 2 bytes: 08 26", "24 9C Transaction Type: 1 byte: 00",
                "27 9A Transaction Date: 3 bytes: 26 07 28", "32 Le: 0", "33 LRC: right",
            ])
        #expect(hasNoGap(fields, in: Self.commands[7]))
        let text = MiuraFormat(.command).fields(of: Self.commands[6], isRevealing: false)
        #expect(text.dropFirst(5).map(\.name) == ["Lc", "data", "LRC"])
        #expect(text[6].value == "12 bytes")
    }

    /// What comes before and after a command's data, each with and without.
    @Test(arguments: [
        ("00B0231200", ["Le"]), ("00B0231212", ["Le"]), ("00B08FFF010C12", ["Lc", "data", "Le"]),
        ("00B08FFF09010203", ["data"]), ("00B08FFF", []),
    ])
    func lengthsOfACommandAreFields(apdu: String, expected: [String]) throws {
        let frame = try MiuraFormat.command(hex(apdu))
        let fields = MiuraFormat(.command).fields(of: frame, isRevealing: false)
        #expect(fields.dropFirst(5).dropLast().map(\.name) == expected)
        #expect(hasNoGap(fields, in: frame))
    }

    @Test func objectsOfACardAreHidden() throws {
        let track = ";4111111111111111=2512?"
        let body =
            hex("48020003 5F2217") + Array(track.utf8) + hex("00 5F2403251231 DFA2080134 DF0D0141")
        let answer = [0xE1, UInt8(body.count)] + body + [0x9F, 0x42]
        let frame = try #require(try MiuraFormat.answer(answer).first)
        let masked = MiuraFormat(.answer).fields(of: frame, isRevealing: false)
        #expect(
            masked.dropFirst(3).map { "\($0.name): \($0.value)" } == [
                "E1 response: 46 bytes of objects", "48 card status: 2 bytes: 00 03", "5F22 track 2: 23 bytes",
                "padding: 00", "5F24 Application Expiration Date: 3 bytes", "DFA208 number: 1 byte",
                "DF0D identifier: 1 byte: A",
                "SW: 9F 42 timed out", "LRC: right",
            ])
        #expect(hasNoGap(masked, in: frame))
        let shown = MiuraFormat(.answer).fields(of: frame, isRevealing: true)
        #expect(shown[5].value.hasPrefix("23 bytes: 3B 34 31 31"))
        #expect(shown.map(\.range) == masked.map(\.range))
    }

    private func hasNoGap(_ fields: [FrameField], in frame: [UInt8]) -> Bool {
        fields.first?.range.lowerBound == 0 && fields.last?.range.upperBound == frame.count
            && zip(fields, fields.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound }
    }
}
