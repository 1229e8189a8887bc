import Glibc
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
        /// Failures of the next calls, by their names, before the call succeeds.
        var passing: [String: [PCSCFailure]] = [:]
        /// Calls that do not return before their signal is rung, by their names.
        var gates: [String: WakeUp] = [:]
        /// The commands that reached the card.
        var commands: [[UInt8]] = []
        /// The addresses of the answers.
        var addresses: [UInt] = []
        /// The calls that begin or end something, in order.
        var calls: [String] = []
        /// The threads that have called.
        var threads: Set<pthread_t> = []
        var isCancelled = false
        /// Whether a wait for a change reports one at once although there is none.
        var isRestless = false
        /// Whether the time of a wait with a limit is over.
        var isLate = false
        var waits = 0
    }

    let state: Shared<State>
    /// Rung when the readers have changed or a wait must end.
    private let change: WakeUp
    private let answer: @Sendable ([UInt8]) throws(PCSCFailure) -> [UInt8]

    init(
        _ readers: [String], cardProtocol: CardProtocol = .t1, failures: [String: PCSCFailure] = [:],
        passing: [String: [PCSCFailure]] = [:],
        _ answer: @escaping @Sendable ([UInt8]) throws(PCSCFailure) -> [UInt8] = { _ in hex("90 00") }
    ) throws {
        state = Shared(
            State(
                readers: readers.map { ReaderStatus(name: $0, state: ReaderStatus.empty) }, cardProtocol: cardProtocol,
                failures: failures, passing: passing))
        change = try WakeUp()
        self.answer = answer
    }

    /// Changes the readers, and wakes the thread that waits for that.
    func change(_ body: (inout [ReaderStatus]) -> Void) {
        state.with { body(&$0.readers) }
        change.ring()
    }

    /// Ends a wait for a change as its time does.
    func passTime() {
        state.with { $0.isLate = true }
        change.ring()
    }

    private func note(_ call: String) throws(PCSCFailure) {
        let (gate, failure): (WakeUp?, PCSCFailure?) = state.with { state in
            state.calls.append(call)
            state.threads.insert(pthread_self())
            if state.passing[call]?.isEmpty == false { return (state.gates[call], state.passing[call]?.removeFirst()) }
            return (state.gates[call], state.failures[call])
        }
        _ = gate?.wait(milliseconds: -1)
        if let failure { throw failure }
    }

    func establish() throws(PCSCFailure) -> ServiceContext {
        try note("establish")
        return ServiceContext(rawValue: 1)
    }

    func release(_ context: ServiceContext) { try? note("release") }

    func readerNames(_ context: ServiceContext) throws(PCSCFailure) -> [String] {
        let failure: PCSCFailure? = state.with { state in
            if state.passing["readerNames"]?.isEmpty == false { return state.passing["readerNames"]?.removeFirst() }
            return state.failures["readerNames"]
        }
        if let failure { throw failure }
        return state.with { $0.readers.map(\.name) }
    }

    /// As pcsc-lite 1.9.9: a state without any bit is not known, and the readers' number is the state of the
    /// reader that does not exist.
    func waitForChange(
        _ context: ServiceContext, _ readers: inout [ReaderStatus], milliseconds: UInt32
    ) throws(PCSCFailure) {
        let failure: PCSCFailure? = state.with { state in
            state.waits += 1
            if state.passing["waitForChange"]?.isEmpty == false { return state.passing["waitForChange"]?.removeFirst() }
            return state.failures["waitForChange"]
        }
        if let failure { throw failure }
        while true {
            let known = readers
            let (next, isCancelled, isLate): ([ReaderStatus]?, Bool, Bool) = state.with { state in
                let present = known.map { Self.present($0.name, in: state.readers) }
                let hasChanged = zip(known, present).contains { known, present in
                    known.state & ~ReaderStatus.changed != present.state
                        || (known.state == 0 && known.name != ReaderStatus.newReaders)
                }
                return (hasChanged || state.isRestless ? present : nil, state.isCancelled, state.isLate)
            }
            if let next {
                readers = next
                return
            }
            if milliseconds == 0 || isLate { throw .timeout }
            if isCancelled { throw .cancelled }
            _ = change.wait(milliseconds: -1)
        }
    }

    private static func present(_ name: String, in readers: [ReaderStatus]) -> ReaderStatus {
        guard name != ReaderStatus.newReaders else {
            return ReaderStatus(name: name, state: UInt32(readers.count) << 16)
        }
        return readers.first { $0.name == name }
            ?? ReaderStatus(name: name, state: ReaderStatus.unknown | ReaderStatus.unavailable)
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

    func reconnect(_ card: CardHandle, isReset: Bool) throws(PCSCFailure) -> CardProtocol {
        try note(isReset ? "reset" : "reconnect")
        return state.with { $0.cardProtocol }
    }

    func beginTransaction(_ card: CardHandle) throws(PCSCFailure) { try note("beginTransaction") }

    func endTransaction(_ card: CardHandle) throws(PCSCFailure) { try note("endTransaction") }

    func answerToReset(_ card: CardHandle) throws(PCSCFailure) -> [UInt8] {
        try note("answerToReset")
        return state.with { $0.answerToReset }
    }

    func transmit(
        _ card: CardHandle, _ cardProtocol: CardProtocol, _ command: Span<UInt8>
    ) throws(PCSCFailure) -> SecretPacket {
        let octets = command.indices.map { command[$0] }
        state.with { state in
            state.commands.append(octets)
            state.threads.insert(pthread_self())
        }
        let packet = SecretPacket(copying: try answer(octets))
        state.with { $0.addresses.append(packet.withOctets { $0.address }) }
        return packet
    }

    func disconnect(_ card: CardHandle, isReset: Bool) { try? note(isReset ? "disconnect, reset" : "disconnect") }
}

extension Span<UInt8> {
    /// The address of the first octet.
    var address: UInt { unsafe withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
}

extension CallThreads {
    /// The system's threads, but for those of some names, which cannot be created.
    static func without(_ names: String...) -> CallThreads {
        CallThreads { name, body throws(SystemFailure) in
            if names.contains(name) { throw SystemFailure(code: EAGAIN) }
            try CallThreads.system.start(name, body)
        }
    }
}
