package import JackdawEMV
import JackdawTransport

// What a payment did, as values: the events of its flow, and the messages of its card or reader.

/// An event of a payment, and what followed from it.
package struct PaymentStep: Sendable, Hashable {
    /// The event, or the restart of the program.
    package enum Cause: Sendable, Hashable {
        /// An event, with the identifier of the effect that it answers.
        case event(PaymentEvent, answering: Int?)
        /// The program was killed, and goes on with this journal.
        case restart(PaymentJournal)
    }

    /// The time since the start of the payment.
    package let time: Duration
    /// The event, or the restart.
    package let cause: Cause
    /// The phase after it.
    package let phase: PaymentPhase
    /// The end of the time limit that runs after it; nil if none runs.
    package let deadline: Duration?
    /// The effects of the event, in their order.
    package let effects: [PaymentEffect]

    /// A step with these values.
    package init(
        time: Duration, cause: Cause, phase: PaymentPhase, deadline: Duration?, effects: [PaymentEffect]
    ) {
        self.time = time
        self.cause = cause
        self.phase = phase
        self.deadline = deadline
        self.effects = effects
    }

    /// The step that a payment has just made.
    /// - Parameters:
    ///   - cause: the event, or the restart.
    ///   - payment: the payment after it.
    ///   - effects: the effects that the payment returned.
    ///   - time: the time of the event.
    package init(_ cause: Cause, _ payment: PaymentFlow, _ effects: [PaymentEffect], at time: Duration) {
        self.init(
            time: time, cause: cause, phase: payment.phase, deadline: payment.nextDeadline, effects: effects)
    }

    /// The name of the event in traces and tables, or `restart`.
    package var name: String {
        switch cause {
        case .event(let event, _): event.rawValue
        case .restart: Self.restart
        }
    }

    /// The name of a restart, which is no event.
    static let restart = "restart"
}

/// A message between the terminal and a card or a reader, with its card data masked.
package struct PaymentMessage: Sendable, Hashable {
    /// The time since the start of the payment.
    package let time: Duration
    /// Whether the till sent it.
    package let isSent: Bool
    /// The octets; nil for each that is masked.
    package let octets: [UInt8?]

    /// A message with these values.
    package init(time: Duration, isSent: Bool, octets: [UInt8?]) {
        self.time = time
        self.isSent = isSent
        self.octets = octets
    }
}

/// An entry of a recording.
package enum PaymentEntry: Sendable, Hashable {
    case step(PaymentStep)
    case message(PaymentMessage)

    /// The time since the start of the payment.
    package var time: Duration {
        switch self {
        case .step(let step): step.time
        case .message(let message): message.time
        }
    }
}

/// Keeps the steps and the messages of a payment under way, the messages masked.
struct PaymentRecorder: Sendable {
    /// The entries in their order, at most ``PaymentRecording/maxEntries``; further ones are left out.
    private(set) var entries: [PaymentEntry] = []
    private var mask: any TranscriptMask
    /// The octets of messages that may still be kept.
    private var room = PaymentRecording.maxOctets

    /// A recorder without entries.
    /// - Parameter mask: masks each message.
    init(_ mask: any TranscriptMask) { self.mask = mask }

    /// Adds a step that a payment has just made.
    mutating func add(
        _ cause: PaymentStep.Cause, _ payment: PaymentFlow, _ effects: [PaymentEffect], at now: Duration
    ) {
        add(.step(PaymentStep(cause, payment, effects, at: now)))
    }

    /// Adds a whole message. Of a longer one than ``PaymentRecording/maxMessage``, the rest is left out.
    mutating func add(_ octets: [UInt8], isSent: Bool, at now: Duration) {
        let kept = mask.maskMessages(octets, isSent: isSent).prefix(min(PaymentRecording.maxMessage, room))
        room -= kept.count
        if !kept.isEmpty { add(.message(PaymentMessage(time: now, isSent: isSent, octets: Array(kept)))) }
    }

    private mutating func add(_ entry: PaymentEntry) {
        if entries.count < PaymentRecording.maxEntries { entries.append(entry) }
    }
}
