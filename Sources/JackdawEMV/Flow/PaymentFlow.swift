// A payment as a machine without I/O: the table, with time limits and identifiers.

/// A payment from its start to its outcome, for a chip card, a tap or a swipe.
///
/// The caller carries out the effects in their order, and hands in events with the time. An event that answers an
/// effect names its identifier; an answer to an effect that is no longer open is late or repeated, and changes nothing.
///
/// ```swift
/// var payment = PaymentFlow()
/// var effects = payment.receive(.start, at: .zero)
/// ```
///
/// The type has no clock: times are durations since any fixed instant. It has no content either: amounts, data objects
/// and messages stay with the caller.
public struct PaymentFlow: Sendable, Hashable {
    /// The rules that were chosen.
    public let policy: PaymentPolicy
    private var state: PaymentState
    private var deadline: Duration?
    /// The identifier of the last effect.
    private var lastIdentifier = 0
    /// The effect that answers must name; nil if none is open.
    private var openEffect: Int?

    /// A payment that has not started.
    /// - Parameter policy: the rules. Default: those that never lose and never double money.
    public init(policy: PaymentPolicy = PaymentPolicy()) {
        self.policy = policy
        state = PaymentState()
    }

    /// A payment whose program was killed. Send ``PaymentEvent/recovered`` to end it.
    /// - Parameters:
    ///   - journal: the last journal that was written.
    ///   - policy: the rules, as before.
    public init(restoring journal: PaymentJournal, policy: PaymentPolicy = PaymentPolicy()) {
        self.policy = policy
        state = PaymentState(restoring: journal)
    }

    /// The phase in which the payment is.
    public var phase: PaymentPhase { state.phase }
    /// The part that survives a crash.
    public var journal: PaymentJournal { state.journal }
    /// The end of the payment; nil before it.
    public var outcome: PaymentOutcome? { state.journal.outcome }
    /// Whether the reader may accept a tap.
    public var isTapAllowed: Bool { state.isTapAllowed }
    /// The card's last decision: a TC that the host had declined counts as AAC. Nil before one.
    public var cryptogram: CryptogramType? { state.cryptogram }
    /// The identifier of the effect that the next answer must name; nil if none is open.
    package var awaitedEffect: Int? { openEffect }
    /// Send ``PaymentEvent/timer`` at this time; nil if no time limit is running.
    public var nextDeadline: Duration? { deadline }

    /// Processes an event.
    ///
    /// If the deadline has passed, the time-out is processed first.
    /// - Parameters:
    ///   - event: the event.
    ///   - identifier: the effect that the event answers. Default: nil, for an event that is no answer.
    ///   - now: the time, which does not run backwards.
    /// - Returns: the effects, in the order in which the caller must carry them out. Empty if the event changes only
    ///   the payment's own state, as a PIN prompt does.
    public mutating func receive(
        _ event: PaymentEvent, answering identifier: Int? = nil, at now: Duration
    ) -> [PaymentEffect] {
        let isDue = deadline.map { $0 <= now } ?? false
        if event == .timer {
            return isDue ? process(.timer, at: now) : [effect(.ignore(.timer))]
        }
        let expiry = isDue && event != .crash ? process(.timer, at: now) : []
        guard event.isAnswer, identifier == nil || identifier != openEffect else {
            return expiry + process(event, at: now)
        }
        return expiry + process(event.isHostAnswer ? .hostAnsweredLate : .answeredLate, at: now)
    }

    private mutating func process(_ event: PaymentEvent, at now: Duration) -> [PaymentEffect] {
        let before = state
        let reaction = state.receive(event, policy)
        var effects: [PaymentEffect] = []
        if state.journal != before.journal { effects.append(effect(.writeJournal(state.journal))) }
        if reaction.beginsPhase { deadline = policy.limits.limit(of: state.phase).map { now + $0 } }
        for action in reaction.actions {
            if action.isAnswered, state.phase == before.phase, let openEffect {
                effects.append(PaymentEffect(identifier: openEffect, action: action, isTapAllowed: state.isTapAllowed))
            } else {
                effects.append(effect(action))
                if action.isAnswered { openEffect = lastIdentifier }
            }
        }
        if state.phase == .done || state.phase == .crashed { openEffect = nil }
        return effects
    }

    private mutating func effect(_ action: PaymentAction) -> PaymentEffect {
        lastIdentifier += 1
        return PaymentEffect(identifier: lastIdentifier, action: action, isTapAllowed: state.isTapAllowed)
    }
}
