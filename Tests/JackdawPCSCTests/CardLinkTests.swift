import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawPCSC

/// Links to a card over scripted calls, without pcscd.
@Suite struct CardLinkTests {
    private let name = LinkName(.pcsc, "reader")

    private func open(
        _ calls: ScriptedCalls, threads: CallThreads = .system, clock: any Clock<Duration> = ContinuousClock()
    ) async throws(LinkError) -> CardLink {
        try await CardService(calls: calls, threads: threads, clock: clock).connect(to: name)
    }

    private static let opening = ["establish", "connect", "beginTransaction", "answerToReset"]
    private static let end = ["endTransaction", "disconnect", "release"]

    @Test func eachCommandHasItsAnswer() async throws {
        let calls = try ScriptedCalls(["A Reader 00 00"]) { command in Array(command.suffix(1)) + hex("90 00") }
        let link = try await open(calls)
        #expect(link.reader == "A Reader 00 00")
        #expect(await link.answerToReset() == hex("3B 00"))
        for number in 0..<20 as Range<UInt8> { try await link.send([0, 0xB2, 1, number]) }
        for number in 0..<20 as Range<UInt8> { #expect(try await link.received() == [number, 0x90, 0x00]) }
        await link.close()
        #expect(calls.state.with { $0.calls } == Self.opening + Self.end)
        // PC/SC: a context has one thread.
        #expect(calls.state.with { $0.threads.count } == 1)
    }

    // MARK: secrets

    /// Whether a part of an answer is left where it was; other data may be there by now.
    private func isLeft(_ answer: [UInt8], at address: UInt) throws -> Bool {
        let left = try processMemory(at: address, count: answer.count)
        return left.indices.contains { left[$0...].starts(with: answer[24..<32]) }
    }

    @Test func anAnswerIsWipedAfterItWasReceived() async throws {
        let number = (0..<48).map { UInt8(0xA0 + $0) }
        let link = try await open(try ScriptedCalls(["reader"]) { _ in number + hex("90 00") })
        try await link.send(hex("00 B2 01 0C 00"))
        var address: UInt = 0
        _ = try await link.receive { answer in address = answer.address }
        #expect(try !isLeft(number, at: address))
        await link.close()
    }

    @Test func answersThatNoTaskReceivesAreWiped() async throws {
        // Other octets than in the other test, which may use the same memory at the same time.
        let number = (0..<48).map { UInt8(0x90 - $0) }
        let gate = try WakeUp()
        let calls = try ScriptedCalls(["reader"]) { command in
            if command[3] == 1 { _ = gate.wait(milliseconds: -1) }
            return number + hex("90 00")
        }
        let link = try await open(calls)
        try await link.send(hex("00 B2 00 00"))
        // The second answer comes after the link was closed.
        try await link.send(hex("00 B2 00 01"))
        try await calls.state.until { $0.commands.count == 2 }
        await link.close()
        gate.ring()
        try await calls.state.until { $0.calls.last == "release" }
        for address in calls.state.with({ $0.addresses }) {
            #expect(try !isLeft(number, at: address))
        }
    }

    // MARK: transactions

    /// The program whose transaction was before has reset the card at its end.
    @Test func aResetBeforeTheTransactionIsTakenOver() async throws {
        let calls = try ScriptedCalls(["reader"], passing: ["beginTransaction": [.resetCard, .resetCard]])
        let link = try await open(calls)
        await link.close()
        #expect(
            calls.state.with { $0.calls } == [
                "establish", "connect", "beginTransaction", "reconnect", "beginTransaction", "reconnect",
                "beginTransaction", "answerToReset", "endTransaction", "disconnect", "release",
            ])
    }

    @Test func aCardThatIsResetAgainAndAgainIsBusy() async throws {
        let calls = try ScriptedCalls(["reader"], failures: ["beginTransaction": .resetCard])
        let error = await #expect(throws: LinkError.self) { try await open(calls) }
        #expect(error?.code == .busy)
        #expect(calls.state.with { $0.calls.count { $0 == "beginTransaction" } } == 10)
        #expect(calls.state.with { $0.calls.suffix(2) } == ["disconnect", "release"])
    }

    @Test func aTransactionThatCannotBeEndedEndsWithTheConnection() async throws {
        let calls = try ScriptedCalls(["reader"], failures: ["endTransaction": .removedCard])
        await (try await open(calls)).close()
        #expect(calls.state.with { $0.calls } == Self.opening + ["endTransaction", "disconnect, reset", "release"])
    }

    @Test func aLostLinkGivesTheCardUpAtOnce() async throws {
        let calls = try ScriptedCalls(["reader"]) { (_) throws(PCSCFailure) in throw .notTransacted }
        let link = try await open(calls)
        try await link.send(hex("00 84 00 00"))
        try await calls.state.until { $0.calls == Self.opening + Self.end }
        await link.close()
        #expect(calls.state.with { $0.calls } == Self.opening + Self.end)
    }

    @Test(arguments: ["connect", "beginTransaction"])
    func anotherProgramsTransactionIsAwaitedToTheLimit(call: String) async throws {
        let gate = try WakeUp()
        let clock = ManualClock()
        let calls = try ScriptedCalls(["reader"])
        calls.state.with { $0.gates[call] = gate }
        let opening = Task { try await open(calls, clock: clock) }
        await clock.sleepers(1)
        try await calls.state.until { $0.calls.last == call }
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: LinkError.self) { try await opening.value }
        #expect(error?.code == .busy)
        // It may end later.
        gate.ring()
        try await calls.state.until { $0.calls == Self.opening + Self.end }
    }

    @Test func aCancelledTaskWaitsForNoTransaction() async throws {
        let gate = try WakeUp()
        let calls = try ScriptedCalls(["reader"])
        calls.state.with { $0.gates["beginTransaction"] = gate }
        let opening = Task { try await open(calls, clock: ManualClock()) }
        try await calls.state.until { $0.calls.last == "beginTransaction" }
        opening.cancel()
        let error = await #expect(throws: LinkError.self) { try await opening.value }
        #expect(error?.code == .cancelled)
        gate.ring()
        try await calls.state.until { $0.calls == Self.opening + Self.end }
    }

    @Test func closingWaitsNoLongerThanItsLimit() async throws {
        let gate = try WakeUp()
        let clock = ManualClock()
        let calls = try ScriptedCalls(["reader"])
        calls.state.with { $0.gates["endTransaction"] = gate }
        let link = try await open(calls, clock: clock)
        let closing = Task { await link.close() }
        try await calls.state.until { $0.calls.last == "endTransaction" }
        while clock.nextDeadline?.offset != .seconds(5) { await Task.yield() }
        clock.advance(by: .seconds(5))
        await closing.value
        #expect(calls.state.with { $0.calls.last } == "endTransaction")
        gate.ring()
        try await calls.state.until { $0.calls == Self.opening + Self.end }
    }

    @Test func aCancelledTaskClosesTheLinkTooAndWaits() async throws {
        let calls = try ScriptedCalls(["reader"])
        let link = try await open(calls)
        let closing = Task {
            try? await calls.state.until { _ in false }
            await link.close()
            return calls.state.with { $0.calls }
        }
        closing.cancel()
        #expect(await closing.value == Self.opening + Self.end)
    }

    @Test func aLinkWithoutAThreadIsNotOpened() async throws {
        let calls = try ScriptedCalls(["reader"])
        let error = await #expect(throws: LinkError.self) { try await open(calls, threads: .without("jackdaw-card")) }
        #expect(error?.code == .system)
        #expect(calls.state.with { $0.calls }.isEmpty)
    }

    // MARK: commands

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
        #expect(!calls.state.with { $0.calls.contains("endTransaction") })
        gate.ring()
        try await calls.state.until { $0.calls.suffix(2) == ["disconnect", "release"] }
    }

    @Test(arguments: [
        ("establish", PCSCFailure.noService, LinkError.Code.serviceMissing, ["establish"]),
        ("connect", .noSmartCard, .notFound, ["establish", "connect", "release"]),
        (
            "beginTransaction", .removedCard, .notFound,
            ["establish", "connect", "beginTransaction", "disconnect", "release"]
        ), ("answerToReset", .removedCard, .notFound, opening + end),
    ])
    func aFailedOpeningLeavesNothingOpen(
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
