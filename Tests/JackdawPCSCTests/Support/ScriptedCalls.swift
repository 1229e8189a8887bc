import JackdawSystem
import JackdawTestSupport
import JackdawTransport

@testable import JackdawPCSC

/// libpcsclite as a test scripts it: readers, and a card that answers by a closure.
final class ScriptedCalls: PCSCCalls {
    struct State: Sendable {
        var readers: [ReaderStatus]
        var cardProtocol = CardProtocol.t1
        var answerToReset: [UInt8] = hex("3B 00")
        /// The failure of a call, by its name.
        var failures: [String: PCSCFailure] = [:]
        /// The commands that reached the card.
        var commands: [[UInt8]] = []
        /// The calls that begin or end something, in order.
        var calls: [String] = []
        var isCancelled = false
        var waits = 0
    }

    let state: Shared<State>
    /// Rung when the readers have changed or a wait is cancelled.
    private let change: WakeUp
    private let answer: @Sendable ([UInt8]) throws(PCSCFailure) -> [UInt8]

    init(
        _ readers: [String], cardProtocol: CardProtocol = .t1, failures: [String: PCSCFailure] = [:],
        _ answer: @escaping @Sendable ([UInt8]) throws(PCSCFailure) -> [UInt8] = { _ in hex("90 00") }
    ) throws {
        state = Shared(
            State(
                readers: readers.map { ReaderStatus(name: $0, state: ReaderStatus.empty) }, cardProtocol: cardProtocol,
                failures: failures))
        change = try WakeUp()
        self.answer = answer
    }

    /// Changes the readers, and wakes who waits for that.
    func change(_ body: (inout [ReaderStatus]) -> Void) {
        state.with { body(&$0.readers) }
        change.ring()
    }

    private func note(_ call: String) throws(PCSCFailure) {
        let failure = state.with { state in
            state.calls.append(call)
            return state.failures[call]
        }
        if let failure { throw failure }
    }

    func establish() throws(PCSCFailure) -> ServiceContext {
        try note("establish")
        return ServiceContext(rawValue: 1)
    }

    func release(_ context: ServiceContext) { try? note("release") }

    func readerNames(_ context: ServiceContext) throws(PCSCFailure) -> [String] {
        state.with { $0.readers.map(\.name) }
    }

    func waitForChange(
        _ context: ServiceContext, _ readers: inout [ReaderStatus], milliseconds: UInt32?
    ) throws(PCSCFailure) {
        state.with { $0.waits += 1 }
        while true {
            let known = readers
            let (next, isCancelled): ([ReaderStatus]?, Bool) = state.with { state in
                let present = known.map { reader in
                    state.readers.first { $0.name == reader.name }
                        ?? ReaderStatus(name: reader.name, state: UInt32(state.readers.count) << 16)
                }
                let hasChanged = zip(known, present).contains { $0.state != $1.state }
                return (hasChanged ? present : nil, state.isCancelled)
            }
            if let next {
                readers = next
                return
            }
            guard milliseconds == nil else { throw .timeout }
            if isCancelled { throw .cancelled }
            _ = change.wait(milliseconds: -1)
        }
    }

    /// The first cancellation comes before the wait and has no effect.
    func cancel(_ context: ServiceContext) {
        let isSecond = state.with { state in
            state.calls.append("cancel")
            state.isCancelled = state.calls.count { $0 == "cancel" } > 1
            return state.isCancelled
        }
        if isSecond { change.ring() }
    }

    func connect(_ context: ServiceContext, reader: String) throws(PCSCFailure) -> (CardHandle, CardProtocol) {
        try note("connect")
        return (CardHandle(rawValue: 2), state.with { $0.cardProtocol })
    }

    func reset(_ card: CardHandle) throws(PCSCFailure) -> CardProtocol {
        try note("reset")
        return state.with { $0.cardProtocol }
    }

    func answerToReset(_ card: CardHandle) throws(PCSCFailure) -> [UInt8] {
        try note("answerToReset")
        return state.with { $0.answerToReset }
    }

    func transmit(
        _ card: CardHandle, _ cardProtocol: CardProtocol, _ command: Span<UInt8>
    ) throws(PCSCFailure) -> [UInt8] {
        let octets = command.indices.map { command[$0] }
        state.with { $0.commands.append(octets) }
        return try answer(octets)
    }

    func disconnect(_ card: CardHandle) { try? note("disconnect") }
}
