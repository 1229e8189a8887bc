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
        expectFault(.check, at: 14, "B3", "CD", "CD", "B3") {
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
        expectFault(.length, at: 12, "3", "2") {
            try NEOFormat(.command, greatestData: 2).check(frame)
        }
    }

    private func fields(_ frame: [UInt8], _ direction: FrameDirection) -> [String] {
        let fields = NEOFormat(direction).fields(of: frame, isRevealing: false)
        let isWhole = zip(fields, fields.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound }
        #expect(isWhole && fields.last?.range.upperBound == frame.count)
        return fields.dropFirst(4).dropLast().map { "\($0.name): \($0.value)" }
    }

    @Test func objectsAreFields() throws {
        let configuration = try NEOFormat.command(0x04, 0x00, hex("9F0206000000000456 5F2A020978 DFEF0001 07 00"))
        #expect(
            fields(configuration, .command) == [
                "9F02 Amount, Authorised (Numeric): 6 bytes: 00 00 00 00 04 56",
                "5F2A Transaction Currency Code: 2 bytes: 09 78", "DFEF00: 1 byte: 07",
                "padding: 00",
            ])
        #expect(fields(try NEOFormat.command(0x02, 0x01, [0x1E]), .command) == ["wait: 30 s"])
        let start = try NEOFormat.command(0x60, 0x10, hex("00 001E 003C 9C0100"))
        #expect(
            fields(start, .command) == [
                "fallback: 00", "timeout 1: 00 1E", "timeout 2: 00 3C", "9C Transaction Type: 1 byte: 00",
            ])
        #expect(fields(try NEOFormat.answer(0x03, .done, hex("DF 81")), .answer) == ["data: 2 bytes"])
    }

    @Test func objectsOfACardAreHidden() throws {
        let track = Array("4111111111111111=2512".utf8)
        let inClear = try NEOFormat.answer(
            0x02, .done, [0, UInt8(track.count)] + track + hex("00 9F390190 5A084111111111111111 DF30010C"))
        #expect(
            fields(inClear, .answer) == [
                "track 1: 0 bytes", "track 2: 21 bytes", "padding: 00",
                "9F39 Point-of-Service (POS) Entry Mode: 1 byte: 90",
                "5A Application Primary Account Number (PAN): 8 bytes", "DF30 source of the tracks: 1 byte: 0C",
            ])
        let encrypted = try NEOFormat.answer(0x02, .done, hex("19 DFEE120A 62994901190000000001 DFEE2306010203040506"))
        #expect(
            fields(encrypted, .answer) == [
                "attributes: 19", "DFEE12 KSN: 10 bytes: 62 99 49 01 19 00 00 00 00 01", "DFEE23 swipe: 6 bytes",
            ])
    }
}
