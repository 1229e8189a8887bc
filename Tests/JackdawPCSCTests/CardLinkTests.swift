import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawPCSC

/// Links to a card over scripted calls, without pcscd.
@Suite struct CardLinkTests {
    private let name = LinkName(.pcsc, "reader")

    private func open(_ calls: ScriptedCalls) async throws(LinkError) -> CardLink {
        try await CardService(calls: calls).connect(to: name)
    }

    @Test func eachCommandHasItsAnswer() async throws {
        let calls = try ScriptedCalls(["A Reader 00 00"]) { command in Array(command.suffix(1)) + hex("90 00") }
        let link = try await open(calls)
        #expect(link.reader == "A Reader 00 00")
        #expect(await link.answerToReset() == hex("3B 00"))
        for number in 0..<20 as Range<UInt8> { try await link.send([0, 0xB2, 1, number]) }
        for number in 0..<20 as Range<UInt8> { #expect(try await link.received() == [number, 0x90, 0x00]) }
        await link.close()
        #expect(calls.state.with { $0.calls } == ["establish", "connect", "answerToReset", "disconnect", "release"])
    }

    @Test(arguments: [
        ("00 84 00 00", "00 84 00 00 00"), ("00 B2 01 0C 00", "00 B2 01 0C 00"),
        ("00 20 00 80 02 AA BB", "00 20 00 80 02 AA BB"), ("00 A4 04 00 02 AA BB 00", "00 A4 04 00 02 AA BB"),
        ("00 A4 04 00 00 00 02 AA BB", "00 A4 04 00 00 00 02 AA BB"),
    ])
    func commandsOverT0HaveTheFormOfISO7816Part3(command: String, sent: String) async throws {
        let calls = try ScriptedCalls(["reader"], cardProtocol: .t0)
        let link = try await open(calls)
        try await link.send(hex(command))
        #expect(try await link.received() == hex("90 00"))
        #expect(calls.state.with { $0.commands } == [hex(sent)])
        await link.close()
    }

    @Test func commandsOverT1AreSentAsTheyAre() async throws {
        let calls = try ScriptedCalls(["reader"])
        let link = try await open(calls)
        try await link.send(hex("00 A4 04 00 02 AA BB 00"))
        #expect(try await link.received() == hex("90 00"))
        #expect(calls.state.with { $0.commands } == [hex("00 A4 04 00 02 AA BB 00")])
        await link.close()
    }

    @Test func aShortCommandIsRefused() async throws {
        let link = try await open(try ScriptedCalls(["reader"]))
        let error = await #expect(throws: LinkError.self) { try await link.send([0, 1, 2]) }
        #expect(error?.code == .unsupported)
        #expect(error?.undelivered == 3)
        await link.close()
    }

    @Test func aRemovedCardLosesTheLinkAfterTheAnswersBefore() async throws {
        let calls = try ScriptedCalls(["reader"]) { (command) throws(PCSCFailure) in
            guard command[3] == 0 else { throw .removedCard }
            return hex("90 00")
        }
        let link = try await open(calls)
        try await link.send(hex("00 B2 01 00"))
        try await link.send(hex("00 B2 01 01"))
        #expect(try await link.received() == hex("90 00"))
        for _ in 0..<2 {
            let error = await #expect(throws: LinkError.self) { try await link.received() }
            #expect(error?.code == .disconnected)
            #expect(error?.underlying == "SCARD_W_REMOVED_CARD 0x80100069")
        }
        let error = await #expect(throws: LinkError.self) { try await link.send(hex("00 B2 01 00")) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 4)
        await link.close()
        #expect(calls.state.with { $0.calls.suffix(2) } == ["disconnect", "release"])
    }

    @Test func aResetGivesTheNewAnswerToReset() async throws {
        let calls = try ScriptedCalls(["reader"])
        let link = try await open(calls)
        calls.state.with { $0.answerToReset = hex("3B 65 00 00 02 01 01 02") }
        #expect(try await link.resetCard() == hex("3B 65 00 00 02 01 01 02"))
        #expect(await link.answerToReset() == hex("3B 65 00 00 02 01 01 02"))
        calls.state.with { $0.failures["reset"] = .unresponsiveCard }
        let error = await #expect(throws: LinkError.self) { try await link.resetCard() }
        #expect(error?.code == .disconnected)
        await #expect(throws: LinkError.self) { try await link.send(hex("00 84 00 00")) }
        await link.close()
    }

    @Test func cancellationLosesNoAnswerAndClosingWaitsForNone() async throws {
        let gate = try WakeUp()
        let calls = try ScriptedCalls(["reader"]) { _ in
            _ = gate.wait(milliseconds: -1)
            return hex("90 00")
        }
        let link = try await open(calls)
        try await link.send(hex("00 84 00 00"))
        // The second command waits for the first answer.
        let sending = Task { try await link.send(hex("00 84 00 01")) }
        let receiving = Task { try await link.received() }
        sending.cancel()
        receiving.cancel()
        for result in [await sending.result.map { _ in () }, await receiving.result.map { _ in () }] {
            let error = #expect(throws: LinkError.self) { try result.get() }
            #expect(error?.code == .cancelled)
        }
        gate.ring()
        #expect(try await link.received() == hex("90 00"))
        try await link.send(hex("00 84 00 02"))
        try await calls.state.until { $0.commands.count == 2 }
        await link.close()
        let error = await #expect(throws: LinkError.self) { try await link.received() }
        #expect(error?.code == .disconnected)
        #expect(!calls.state.with { $0.calls.contains("disconnect") })
        gate.ring()
        try await calls.state.until { $0.calls.suffix(2) == ["disconnect", "release"] }
    }

    @Test(arguments: [
        ("establish", PCSCFailure.noService, LinkError.Code.serviceMissing, ["establish"]),
        ("connect", .noSmartCard, .notFound, ["establish", "connect", "release"]),
        ("answerToReset", .removedCard, .notFound, ["establish", "connect", "answerToReset", "disconnect", "release"]),
    ])
    func whatFailsToOpenLeavesNothingOpen(
        call: String, failure: PCSCFailure, code: LinkError.Code, calls expected: [String]
    ) async throws {
        let calls = try ScriptedCalls(["reader"], failures: [call: failure])
        let error = await #expect(throws: LinkError.self) { try await open(calls) }
        #expect(error?.code == code)
        #expect(calls.state.with { $0.calls } == expected)
    }

    @Test func aLinkThatIsDroppedIsClosed() async throws {
        let calls = try ScriptedCalls(["reader"])
        _ = try await open(calls)
        try await calls.state.until { $0.calls.suffix(2) == ["disconnect", "release"] }
    }

    @Test func otherLinksAreRefused() async throws {
        let error = await #expect(throws: LinkError.self) {
            try await CardService(calls: try ScriptedCalls(["reader"])).connect(to: LinkName(.tcp, "reader:1"))
        }
        #expect(error?.code == .badName)
    }
}
