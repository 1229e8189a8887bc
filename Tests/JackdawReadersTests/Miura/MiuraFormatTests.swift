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
        #expect(start.map(\.name) == ["NAD", "PCB", "LEN", "CLA INS", "P1 P2", "data", "LRC"])
        #expect(start[3].value == "DE D1 start transaction")
        #expect(start[5].value == "26 bytes")
        let answer = MiuraFormat(.answer).fields(of: Self.answers[2], isRevealing: true)
        #expect(answer.map(\.value) == ["01 card reader", "unsolicited", "6", "10 11 12 13", "90 00", "right"])
    }
}
