import JackdawReaders
import JackdawTestSupport
import Testing

/// Frames of ID TECH's NEO readers, with those that its manual publishes.
@Suite struct NEOFormatTests {
    private let ping = hex("5669564F746563683200 18 01 0000 B3CD")
    private let pong = hex("5669564F746563683200 18 00 0000 FA83")
    private let configuration = hex("5669564F746563683200 03 02 0000 5B91")

    @Test func publishedFramesAreMade() throws {
        #expect(try NEOFormat.command(0x18, 0x01) == ping)
        #expect(try NEOFormat.command(0x03, 0x02) == configuration)
        #expect(try NEOFormat.answer(0x18, .done) == pong)
    }

    @Test func framesAreCutHoweverTheyCome() throws {
        let long = try NEOFormat.command(0x60, 0x10, (0..<300).map { UInt8($0 & 255) })
        verify(NEOFormat(.command), frames: [ping, configuration, long], garbage: hex("00 11 56 69 56 01 32"))
        let answers = [pong, try NEOFormat.answer(0x61, .timedOut, [1, 2, 3])]
        verify(NEOFormat(.answer), frames: answers, garbage: hex("5669564F7465636832 41"))
    }

    @Test func theCRCHasAnotherOrderTheOtherWay() {
        #expect(throws: FrameFault(.check, at: 14, "the CRC is B3 CD, of the bytes CD B3")) {
            try NEOFormat(.answer).check(ping)
        }
    }

    @Test func fieldsAreNamed() {
        let fields = NEOFormat(.answer).fields(of: pong, isRevealing: false)
        #expect(fields.map(\.name) == ["header", "command", "status", "length", "data", "CRC"])
        #expect(fields[2].value == "00 done")
    }

    @Test func dataBeyondTheLimitIsRefused() throws {
        #expect(throws: FrameFault.self) { try NEOFormat.command(1, 1, [UInt8](repeating: 0, count: 65_536)) }
        let frame = try NEOFormat.command(1, 1, [1, 2, 3])
        #expect(throws: FrameFault(.length, at: 12, "3 bytes of data, where 2 are the most")) {
            try NEOFormat(.command, greatestData: 2).check(frame)
        }
    }
}
