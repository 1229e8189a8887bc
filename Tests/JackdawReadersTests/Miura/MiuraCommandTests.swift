@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// Commands of MPI, with those of its SDK's unit tests and others made by hand of what its sources say.
@Suite struct MiuraCommandTests {
    @Test(arguments: [
        (MiuraCommand.reset(), "010004D0000000D5"), (.deviceInformation, "010004D0020000D7"),
        (.reportCards(.changes), "010004D0600100B4"), (.battery(), "010004D0620000B7"),
        (.encryptionStatus, "010004EEE000000B"), (.abort, "010004D0FF00002A"),
    ])
    func commandsWithoutDataAreMade(command: MiuraCommand, frame: String) {
        #expect(command.frame() == hex(frame))
    }

    @Test func commandsWithDataAreMade() throws {
        #expect(
            try MiuraCommand.display("Hello world!").frame()
                == hex("01 00 11 D20100010C48656C6C6F20776F726C6421 EF"))
        #expect(try MiuraCommand.display("5 €", isFourRows: false, isLit: false).apdu == hex("D2010180 05 3520E282AC"))
        #expect(try MiuraCommand.read(from: 0x123, count: 0x12).apdu == hex("00B0012312"))
        #expect(try MiuraCommand.read(from: 0x0F_FF0C, count: 0x12).apdu == hex("00B08FFF010C12"))
        #expect(try MiuraCommand.continueTransaction(code: "00").apdu == hex("DED20000 06 E004 8A023030"))
        #expect(try MiuraCommand.continueTransaction(code: "Z1").apdu == hex("DED20000 06 E004 8A025A31"))
        #expect(try MiuraCommand.selectFile("emv.cfg").apdu == hex("00A40000 07 656D762E636667"))
        #expect(MiuraCommand.reportCards(.all).apdu == hex("D0601F00"))
    }

    @Test func commandsThatAreTooLongAreRefused() throws {
        #expect(throws: Never.self) { try MiuraCommand(.displayText, data: [UInt8](repeating: 0x41, count: 249)) }
        expectFault(.length, at: 7, "250", "249") {
            try MiuraCommand(.displayText, data: [UInt8](repeating: 0x41, count: 250))
        }
        let longest = try MiuraCommand(.updateBinary, data: [UInt8](repeating: 7, count: 248), awaited: 1)
        #expect(throws: Never.self) { try MiuraFormat(.command).check(longest.frame()) }
        #expect(throws: FrameFault.self) { try MiuraCommand(.updateBinary, data: longest.data + [1], awaited: 1) }
        for (offset, count) in [(-1, 1), (0, 0), (0, 253), (0x80_0000, 1)] {
            #expect(throws: FrameFault.self) { try MiuraCommand.read(from: offset, count: count) }
        }
        #expect(throws: FrameFault.self) { try MiuraCommand.continueTransaction(code: "5") }
        #expect(throws: FrameFault.self) { try MiuraCommand.selectFile("ümlaut.cfg") }
    }

    @Test func aDownloadIsAnnounced() throws {
        let stream = try MiuraStream(offset: 0x010203, size: 0x0A0B0C, timeout: 5)
        #expect(stream.command.apdu == hex("00D70100 15 E013 DFA30103010203 DFA302030A0B0C DFA3030105"))
        #expect(stream.size == 0x0A0B0C)
        #expect(try MiuraStream(size: 1, isSummed: false).command.first == 0)
        for (offset, size, timeout) in [(-1, 1, 1), (0, 0, 1), (0, 1, 256), (0x100_0000, 1, 1), (0, 0x100_0000, 1)] {
            #expect(throws: FrameFault.self) { try MiuraStream(offset: offset, size: size, timeout: timeout) }
        }
    }

    @Test func theSumOfAFileIsRead() {
        let sum = (0..<16).map { UInt8($0) }
        let answer = hex("E114 DFA30410") + sum + hex("9000")
        #expect(MiuraStream.sum(in: answer.span) == sum)
        for wrong in ["9000", "9F21", "E114DFA304109000", ""].map(hex) + [answer.dropLast(2) + [0x6D, 0]] {
            #expect(MiuraStream.sum(in: wrong.span) == nil)
        }
    }
}
