import JackdawCards
import JackdawEMV

/// A till that takes one payment: the flow, a reader, a card, the cardholder and the issuer, as a machine without I/O.
protocol PaymentTill {
    /// The payment as a machine.
    var payment: PaymentFlow { get }
    /// The payment in the issuer's ledger; nil if the issuer does not know it.
    var issuerEntry: IssuerLedger.Entry? { get }
    /// The way in which the card was read; nil without a card, or if the reader does not report it.
    var cardEntry: CardEntry? { get }
    /// The issuer's decision; nil before it.
    var decision: IssuerDecision? { get }
    /// The reasons for the course of the payment, in their order and each once.
    var reasons: [PaymentReason] { get }
    /// The steps and messages so far.
    var entries: [PaymentEntry] { get }
    /// The names of the applications among which the cardholder chooses at the till.
    var applicationNames: [String] { get }
    /// Whether no message to the issuer waits, and the reader has no money that it must give back.
    var isSettled: Bool { get }

    /// Starts the payment, which has not started.
    mutating func start()
    /// Lets the merchant send an event now, such as `PaymentEvent.cancelled`, which answers no effect.
    mutating func receive(_ event: PaymentEvent)
    /// The time of the next step; nil if nothing remains.
    var nextDeadline: Duration? { get }
    /// Takes the next step, at its time.
    /// - Returns: false if nothing remains.
    mutating func advance() -> Bool
    /// Kills the program now, and starts it again: only the journal, the outbox, the reader and the issuer stay.
    mutating func kill()
}

extension PaymentTill {
    var cardEntry: CardEntry? { payment.journal.entry }
}

/// A till whose reader or card may be at a link: the caller carries the bytes. Times never decrease.
protocol LinkedTill: PaymentTill {
    /// Handles bytes from the reader, or the whole answer of a card.
    mutating func receive(_ bytes: [UInt8], at time: Duration)
    /// Handles the end of the link.
    mutating func loseLink(at time: Duration)
    /// Whether the till has something to ask of the reader, or the reader something to deliver to the issuer: a link that is
    /// lost must be opened again.
    var awaitsReader: Bool { get }
    /// Goes on with a new link.
    mutating func reopenLink(at time: Duration)
    /// Returns the tasks for the reader or the card since the last call, in their order.
    mutating func takeTasks() -> [LinkTask]
}

/// A till whose cards are only swiped.
protocol SwipedTill: LinkedTill {
    /// Whether the payment waits for a card.
    var isAwaitingCard: Bool { get }
    /// Handles a card that a head has read, or tried to read.
    mutating func receive(_ card: CardEvent, at time: Duration)
}

extension LinkedTill {
    /// A payment ends without a reader whose link is lost.
    var awaitsReader: Bool { false }
    mutating func reopenLink(at time: Duration) {}
}

extension SimulatedTill: PaymentTill {
    var entries: [PaymentEntry] { tillPayment.entries }

    var applicationNames: [String] { process?.candidates.map(\.displayName) ?? [] }

    var isSettled: Bool { line.isSettled }

    var issuerEntry: IssuerLedger.Entry? { line.entry }
}

extension SimulatedTill: LinkedTill {
    mutating func receive(_ bytes: [UInt8], at time: Duration) {
        now = max(now, time)
        takeAnswer(bytes)
    }

    mutating func loseLink(at time: Duration) {
        now = max(now, time)
        loseCard()
    }

    mutating func takeTasks() -> [LinkTask] {
        defer { linkTasks = [] }
        return linkTasks
    }
}
