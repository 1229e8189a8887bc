// The tasks of a payment for its caller, and its reports.

/// A task for the caller, or a report to it.
public struct PaymentEffect: Sendable, Hashable {
    /// The identifier of the effect, which its answer must name. Identifiers increase within a payment. A task that is
    /// repeated in the same phase keeps its identifier.
    public let identifier: Int
    /// The task or the report.
    public let action: PaymentAction
    /// Whether the reader may accept a tap, as ``PaymentFlow/isTapAllowed`` of the payment after its step. It follows from
    /// the events before: recordings do not have it, and effects that differ in it alone are equal.
    public let isTapAllowed: Bool

    /// An effect of its parts. A recording has the first two.
    package init(identifier: Int, action: PaymentAction, isTapAllowed: Bool = true) {
        self.identifier = identifier
        self.action = action
        self.isTapAllowed = isTapAllowed
    }

    public static func == (left: PaymentEffect, right: PaymentEffect) -> Bool {
        left.identifier == right.identifier && left.action == right.action
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
        hasher.combine(action)
    }
}

/// The kind of an effect.
public enum PaymentAction: Sendable, Hashable {
    // MARK: tasks that are answered

    /// Send the start command with amount, currency, date and counter. Answers: ``PaymentEvent/prepared``,
    /// ``PaymentEvent/preparationFailed``.
    case prepare
    /// Have the reader accept a card: chip, stripe, and a tap if ``PaymentEffect/isTapAllowed``. Answers: an insertion, a
    /// swipe or a tap.
    case acceptCard
    /// Run the kernel up to the first cryptogram. Answers: its events.
    case processCard
    /// Have the app choose an application. Answers: ``PaymentEvent/applicationChosen``,
    /// ``PaymentEvent/applicationChoiceInvalid``.
    case chooseApplication
    /// Ask the host, with the payment's identifier as idempotency key. Answers: the host's events.
    case askHost
    /// Hand the host's answer to the kernel, and run it to the second cryptogram: ``HostKnowledge/approved`` and
    /// ``HostKnowledge/declined`` with ARC, tag 91 and scripts, ``HostKnowledge/unreachable`` for the default action
    /// codes, ``HostKnowledge/unknown`` to have the card decline, or for the default action codes too if the policy
    /// ``PaymentPolicy/approvesOfflineAfterHostTimeout`` is set. Answers: the kernel's events.
    case completeCard(HostKnowledge)
    /// Have the cardholder sign. Answers: ``PaymentEvent/signatureCaptured``, ``PaymentEvent/signatureRefused``.
    case captureSignature
    /// Have the merchant compare the signature. Answers: ``PaymentEvent/signatureAccepted``,
    /// ``PaymentEvent/signatureRejected``.
    case verifySignature
    /// Store the record for settlement, with TC, advice and results of scripts, in one durable write with
    /// ``PaymentJournal/isRecordStored``. It may be asked again, and must store one record. Answer:
    /// ``PaymentEvent/recordStored``.
    case storeRecord

    // MARK: tasks without an answer

    /// Write the journal durably, before the effects that follow.
    case writeJournal(PaymentJournal)
    /// The amount that the caller has set applies from now on.
    case useNewAmount
    /// Deliver the reversal that the journal has queued, with the payment's identifier as idempotency key, until the
    /// host has answered it.
    case reverse(ReversalCause)
    /// End the kernel, and have the reader accept no card.
    case stopReader
    /// Show a text to the cardholder.
    case prompt(PaymentPrompt)

    // MARK: reports to the caller

    /// The payment has ended. Once a payment.
    case end(PaymentOutcome)
    /// The event changes nothing; log it.
    case ignore(PaymentEvent)
    /// The caller may not do this now.
    case reject(PaymentEvent)
}

extension PaymentAction {
    /// The name in traces and tables.
    package var name: String {
        switch self {
        case .prepare: "prepare"
        case .acceptCard: "accept card"
        case .processCard: "process card"
        case .chooseApplication: "choose application"
        case .askHost: "ask host"
        case .completeCard(let host): "complete card: host \(host.rawValue)"
        case .captureSignature: "capture signature"
        case .verifySignature: "verify signature"
        case .storeRecord: "store record"
        case .writeJournal: "write journal"
        case .useNewAmount: "use new amount"
        case .reverse(let cause): "reverse: \(cause.rawValue)"
        case .stopReader: "stop reader"
        case .prompt(let prompt): "prompt: \(prompt.rawValue)"
        case .end(let outcome): "end: \(outcome.rawValue)"
        case .ignore(let event): "ignore \(event.rawValue)"
        case .reject(let event): "reject \(event.rawValue)"
        }
    }

    /// Whether events answer the effect.
    var isAnswered: Bool {
        switch self {
        case .prepare, .acceptCard, .processCard, .chooseApplication, .askHost, .completeCard, .captureSignature,
            .verifySignature, .storeRecord:
            true
        case .writeJournal, .useNewAmount, .reverse, .stopReader, .prompt, .end, .ignore, .reject: false
        }
    }
}

/// A text for the cardholder. Raw values are the names in traces and tables.
public enum PaymentPrompt: String, Sendable, Hashable, CaseIterable {
    /// The card has a chip: insert it.
    case useChip = "use_chip"
    /// The chip cannot be read: swipe the card.
    case swipeCard = "swipe_card"
    /// The swipe, or the chip, could not be read: try again.
    case tryAgain = "try_again"
    /// Insert or swipe the card.
    case useOtherInterface = "use_other_interface"
    /// Confirm on the telephone, and tap it again.
    case seePhone = "see_phone"
    /// Present one card only.
    case presentOneCard = "present_one_card"
    /// The payment is over: remove the card.
    case removeCard = "remove_card"
}

/// The part of a payment that survives a crash.
///
/// The caller writes it when ``PaymentAction/writeJournal(_:)`` asks for it, and after a restart goes on with
/// ``PaymentFlow/init(restoring:policy:)``. A journal with ``isReversalQueued`` is an entry of the queue of reversals.
public struct PaymentJournal: Sendable, Hashable {
    /// The way in which the card was read; nil before that.
    public var entry: CardEntry?
    /// The host's decision, as the till knows it.
    public var host = HostKnowledge.notAsked
    /// Whether a reversal must reach the host.
    public var isReversalQueued = false
    /// Whether the record for settlement is stored. The caller sets it in the write that stores the record.
    public var isRecordStored = false
    /// The end of the payment; nil before it.
    public var outcome: PaymentOutcome?

    /// A payment that has not started.
    public init() {}
}
