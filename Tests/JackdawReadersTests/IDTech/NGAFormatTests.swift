import JackdawReaders
import JackdawTestSupport
import Testing

/// Frames of ID TECH's NGA protocol and of BTMag, made by hand from what is documented.
@Suite struct NGAFormatTests {
    /// Questions and answers; LRC and sum are of the body alone.
    private static let commands = ["02 0400 31 52 01 22 40 A6 03", "02 0300 7F 53 00 2C D2 03"].map(hex)
    private static let answers = ["02 0100 06 06 06 03", "02 0300 15 16 00 03 2B 03", "02 0200 06 41 47 47 03"].map(hex)

    @Test func framesAreCutHoweverTheyCome() throws {
        let long = try NGAFormat.frame((0..<700).map { UInt8($0 % 249) })
        verify(NGAFormat(.command), frames: Self.commands + [long], garbage: [0, 0x31, 0x7F])
        verify(NGAFormat(.answer), frames: Self.answers, garbage: [0, 0x06, 0x7F])
    }

    @Test func framesAreMade() throws {
        #expect(try NGAFormat.frame([0x31, 0x52, 0x01, 0x22]) == Self.commands[0])
        expectFault(.length, at: 1, "0", "1", "65535") {
            try NGAFormat.frame([])
        }
        expectFault(.length, at: 1, "4", "1", "3") {
            try NGAFormat(.command, greatestBody: 3).check(Self.commands[0])
        }
    }

    @Test func fieldsAreNamed() {
        let command = NGAFormat(.command).fields(of: Self.commands[0])
        #expect(command.map(\.name) == ["STX", "length", "task", "kind", "data", "LRC", "sum", "ETX"])
        #expect(command[3].value == "R review")
        let refusal = NGAFormat(.answer).fields(of: Self.answers[1])
        #expect(refusal.first { $0.name == "error" }?.value == "16 00 unknown setting")
        #expect(NGAFormat(.answer).fields(of: Self.answers[2]).first { $0.name == "data" }?.value == "1 byte")
    }

    /// With data that hold the byte that ends a frame.
    private static let plain = ["02 52 1F 03 4C", "02 03 01", "02 31 03 32 03 01"].map(hex)

    @Test func framesOfBTMagAreCutHoweverTheyCome() {
        verify(BTMagFormat(), frames: Self.plain, garbage: [0, 0x06, 0x15])
    }

    @Test func framesOfBTMagAreMade() throws {
        #expect(BTMagFormat.frame([0x52, 0x1F]) == Self.plain[0])
        #expect(BTMagFormat.frame([0x31, 0x03, 0x32]) == Self.plain[2])
        let most = BTMagFormat.frame([UInt8](repeating: 7, count: 1024))
        #expect(throws: Never.self) { try BTMagFormat().check(most) }
        let more = BTMagFormat.frame([UInt8](repeating: 7, count: 1025))
        #expect(throws: FrameFault(.length, at: 1026, "no end in 1027 bytes")) { try BTMagFormat().check(more) }
        #expect(BTMagFormat().fields(of: Self.plain[0]).map(\.value) == ["02", "2 bytes", "03", "right"])
    }
}
