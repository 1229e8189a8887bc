import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTransport

/// Terminals whose answers a test gives: one PosMate of Spire, and one UniMag of ID TECH.
final class ScriptedTerminals: AcceptTerminals {
    typealias Script = @Sendable (PaymentEffect) -> [AcceptTerminalEvent]

    private struct State {
        var script: Script
        var failure: AcceptError?
        var level = AcceptBatteryLevel.percent(80)
        var terminal = AcceptTerminal(uuid: "PosMate 1", displayName: "PosMate 1", model: "PosMate")
        var events: (@Sendable (AcceptTerminalEvent) -> Void)?
        var actions: [PaymentAction] = []
        var chosen: [Int] = []
        var batteryQuestions = 0
        var amounts: [Amount] = []
        var closed = 0
        var forCard: [HTTPBody] = []
        var isHeld = false
    }

    private struct Session: AcceptTerminalSession {
        let terminals: ScriptedTerminals

        func carryOut(_ effect: PaymentEffect, forCard: HTTPBody) {
            if forCard.count > 0 { terminals.state.withLock { $0.forCard.append(forCard) } }
            terminals.carryOut(effect)
        }
        func choose(application index: Int) { terminals.state.withLock { $0.chosen.append(index) } }
        func close() {
            terminals.state.withLock { $0.closed += 1 }
            terminals.changes.send()
        }
    }

    private let state: Lock<State>
    /// Sent after each effect that a terminal received, and after its end.
    let changes = AsyncSignal()
    private let released = AsyncSignal()

    init(_ script: @escaping Script) { state = Lock(State(script: script)) }

    var actions: [PaymentAction] { state.withLock { $0.actions } }
    var chosen: [Int] { state.withLock { $0.chosen } }
    var batteryQuestions: Int { state.withLock { $0.batteryQuestions } }
    var amounts: [Amount] { state.withLock { $0.amounts } }
    /// The issuer's data that came with effects, as they came.
    var forCard: [HTTPBody] { state.withLock { $0.forCard } }
    var closed: Int { state.withLock { $0.closed } }

    func fail(_ code: AcceptError.Code) { state.withLock { $0.failure = AcceptError(code, "scripted") } }
    func setLevel(_ level: AcceptBatteryLevel) { state.withLock { $0.level = level } }
    func change(_ body: @Sendable (inout AcceptTerminal) -> Void) { state.withLock { body(&$0.terminal) } }

    /// Has terminals open no more, until ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Opens the terminals that wait.
    func release() { released.send() }

    /// Sends an event of the terminal without an effect.
    func send(_ event: AcceptTerminalEvent) { state.withLock { $0.events }?(event) }

    /// Waits until the terminal has received an effect.
    func received(_ isWanted: @Sendable (PaymentAction) -> Bool) async {
        while true {
            let seen = changes.count
            if actions.contains(where: isWanted) { return }
            await changes.wait(after: seen)
        }
    }

    private func carryOut(_ effect: PaymentEffect) {
        let (script, events) = state.withLock { state in
            state.actions.append(effect.action)
            return (state.script, state.events)
        }
        for event in script(effect) { events?(event) }
        changes.send()
    }

    // MARK: the protocol of terminals

    func vendors() async -> [AcceptTerminalVendor] {
        [
            AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"),
            AcceptTerminalVendor(uuid: AcceptIDTECHVendorUUID, displayName: "ID-Tech"),
        ]
    }

    func terminals(of vendorUUID: String) async throws(AcceptError) -> [AcceptTerminal] {
        guard vendorUUID == AcceptSpireVendorUUID else {
            return [AcceptTerminal(uuid: "UnimagPro", displayName: "UnimagPro", entries: [.swipe])]
        }
        return [state.withLock { $0.terminal }]
    }

    func batteryLevel(of vendorUUID: String) async -> AcceptBatteryLevel {
        state.withLock { state in
            state.batteryQuestions += 1
            return state.level
        }
    }

    func connectionStatus(of vendorUUID: String) async -> AcceptExtensionConnectionStatus {
        vendorUUID == AcceptSpireVendorUUID ? .connected : .disconnected
    }

    func open(
        _ terminal: AcceptTerminal, of vendorUUID: String, amount: Amount, as attempt: AttemptIdentifier,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void
    ) async throws(AcceptError) -> any AcceptTerminalSession {
        let (failure, isHeld) = state.withLock { state in
            state.events = events
            state.amounts.append(amount)
            return (state.failure, state.isHeld)
        }
        if isHeld { await released.wait(after: 0) }
        if let failure { throw failure }
        return Session(terminals: self)
    }
}
