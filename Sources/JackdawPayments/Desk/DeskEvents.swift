public import JackdawEMV

// The events of a desk, its effects and its reports.

/// An event for a desk. An answer names the effect that it answers.
public enum DeskEvent: Sendable {
    // MARK: calls of the program. Each has a number, which the answer names.

    /// Begin an attempt. With an identifier of the caller, a repetition of the call is the same attempt; without one, the
    /// desk asks for a new identifier. Answers: ``DeskAction/accepted(call:_:)``, ``DeskAction/refused(call:_:)``.
    case begin(AttemptRequest, identifier: AttemptIdentifier? = nil, call: Int)
    /// Report the state of an attempt, as the journal has it. Answers: as for `begin`.
    case status(AttemptIdentifier, call: Int)
    /// A person has dealt with an attempt in state ``AttemptState/needsAttention``. Answers: as for `begin`.
    case attend(AttemptIdentifier, AttentionResult, note: ReasonText, call: Int)

    /// Take an approved payment of a sale back, as a whole. A repetition is the same reversal. Answers: as for `begin`; it is
    /// accepted when the journal has it, and the host is asked after that. The note is the merchant's, for the host; that of
    /// a repetition does not count.
    case reverse(AttemptIdentifier, of: SaleIdentifier, note: ReasonText? = nil, call: Int)

    /// Send the image of the cardholder's signature of an approved payment, after the message that its host does not have yet:
    /// 1 to ``Delivery/maxSignatureBytes`` bytes. Answers: as for `begin`; it is accepted when the journal has the image.
    case sign(AttemptIdentifier, of: SaleIdentifier, HTTPBody, call: Int)

    // MARK: events of the payment flow

    /// An event of the reader, the cardholder or the app. The sealed octets are the card's data for the host alone: those
    /// of an ARQC, a TC or a swipe; empty otherwise.
    case payment(AttemptIdentifier, PaymentEvent, answering: Int? = nil, sealed: HTTPBody = HTTPBody())
    /// The time of ``PaymentDesk/nextDeadline`` has come.
    case timer

    // MARK: answers to the desk's effects

    /// A new identifier, which no attempt has had.
    case minted(AttemptIdentifier, effect: Int)
    /// The records that the journal has.
    case found([AttemptRecord], effect: Int)
    /// The journal could not be read.
    case lookUpFailed(effect: Int)
    /// The record is durable.
    case written(effect: Int)
    /// The write failed. The record may be durable nevertheless.
    case writeFailed(effect: Int)
    /// The host answered a request.
    case answered(HostReply, effect: Int)
    /// The host gave no usable answer.
    case unanswered(HostFailure, effect: Int)
}

/// The result of a person's work on an attempt that needed attention.
public enum AttentionResult: String, Sendable, Hashable, CaseIterable {
    /// The money moved: the attempt is approved, and the sale is paid.
    case paid
    /// No money moved, or it was returned: the attempt has failed, and the sale may be paid again.
    case unpaid
    /// The reason has been removed: the message that the host refused is sent again.
    case sendAgain
}

/// An effect of a desk: a task, or a report. Identifiers increase, and begin again with a new desk.
public struct DeskEffect: Sendable, Hashable {
    /// The identifier, which the answer must name.
    public let identifier: Int
    /// The task or the report.
    public let action: DeskAction
}

/// The kind of an effect.
public enum DeskAction: Sendable, Hashable {
    // MARK: tasks that are answered

    /// Make an identifier that no attempt has had, for example of 128 random bits. Answer: ``DeskEvent/minted(_:effect:)``.
    case mintIdentifier
    /// Read the records of an attempt and of a sale (nil: of the attempt alone) from the journal. Answers:
    /// ``DeskEvent/found(_:effect:)``, ``DeskEvent/lookUpFailed(effect:)``.
    case lookUp(AttemptIdentifier, SaleIdentifier?)
    /// Write the record durably. Answers: ``DeskEvent/written(effect:)``, ``DeskEvent/writeFailed(effect:)``.
    case write(AttemptRecord)
    /// Ask the host. Answers: ``DeskEvent/answered(_:effect:)``, ``DeskEvent/unanswered(_:effect:)``.
    case ask(HostRequest)

    // MARK: effects of the payment flow

    /// Carry out an effect of an attempt's payment flow for the reader, the cardholder or the app. The octets are the
    /// issuer's data for the card if it completes; empty otherwise. Never `askHost`, `writeJournal`, `reverse`,
    /// `storeRecord` or `end`, which the desk carries out. Answer: ``DeskEvent/payment(_:_:answering:sealed:)`` with the
    /// identifier of the `PaymentEffect`.
    case reader(AttemptIdentifier, PaymentEffect, HTTPBody)

    // MARK: reports to the program

    /// A call was accepted; the report is durable.
    case accepted(call: Int, AttemptReport)
    /// A call was refused. Nothing has changed.
    case refused(call: Int, DeskRefusal)
    /// The state of an attempt has changed, or its flow has ended. The report is durable.
    case report(AttemptReport)
    /// An event changed nothing: it was late, repeated, or not allowed. For logs.
    case ignored
}

/// The reason why the host neither approved nor declined an attempt, although it answered.
public enum HostTrouble: String, Sendable, Hashable, CaseIterable {
    /// The host refused the request because of its content. Nothing is booked.
    case refused
    /// The answer cannot be read, or does not belong to the request: the outcome is open.
    case unreadable
}

/// The state of an attempt, for the program.
public struct AttemptReport: Sendable, Hashable {
    /// The identifier of the attempt.
    public let attempt: AttemptIdentifier
    /// The sale of the attempt.
    public let sale: SaleIdentifier
    /// The state of the attempt.
    public let state: AttemptState
    /// The end of the payment flow; nil before it, and for a capture or a refund.
    public let outcome: PaymentOutcome?
    /// The host's identifier; nil if it is not known.
    public let reference: HostReference?
    /// The host's reason of a decline, or the reason for attention; nil without one.
    public let reason: ReasonText?
    /// Whether a message must still reach the host.
    public let isDeliveryQueued: Bool
    /// The reason why the host did not decide; nil if it decided or did not answer, and after a restart of the program.
    public let trouble: HostTrouble?

    /// The report of a record.
    public init(_ record: AttemptRecord) { self.init(record, trouble: nil) }

    package init(_ record: AttemptRecord, trouble: HostTrouble?) {
        attempt = record.identifier
        sale = record.request.sale
        state = record.state
        outcome = record.flow?.outcome
        reference = record.reference
        reason = record.attention?.reason ?? record.refusal
        isDeliveryQueued = record.isDeliveryQueued
        self.trouble = trouble
    }
}

/// The reason why a call was refused.
public struct DeskRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code.
        public let name: String

        /// The identifier belongs to an attempt with another request.
        public static let identifierUsed = Code(name: "identifierUsed")
        /// Another attempt of the sale is not over, its outcome is not known, or the host does not have it yet.
        public static let saleInProgress = Code(name: "saleInProgress")
        /// An attempt of the sale is approved.
        public static let salePaid = Code(name: "salePaid")
        /// The sale has no approved attempt with this identifier that could be captured, refunded or reversed.
        public static let originalNotApproved = Code(name: "originalNotApproved")
        /// The amount, with the refunds before, exceeds the original's, or has another currency.
        public static let amountExceeded = Code(name: "amountExceeded")
        /// The payment is captured or refunded, so that it cannot be reversed as a whole.
        public static let hasParts = Code(name: "hasParts")
        /// The journal could not be read or written. Nothing was sent.
        public static let journalFailed = Code(name: "journalFailed")
        /// No attempt has this identifier.
        public static let unknownAttempt = Code(name: "unknownAttempt")
        /// The attempt does not need attention, or it has no message that could be sent again.
        public static let attentionNotNeeded = Code(name: "attentionNotNeeded")
        /// The host's format cannot express the request, such as its currency or a detail. Nothing was sent.
        public static let notWritable = Code(name: "notWritable")
        /// The service has not been started, or was shut down.
        public static let notRunning = Code(name: "notRunning")
    }

    /// The kind of refusal.
    public let code: Code
    /// The attempt that is the reason; nil without one.
    public let attempt: AttemptIdentifier?
    /// The cause of `notWritable`: what the host's format cannot express; nil for other codes.
    public let reason: ReasonText?

    package init(_ code: Code, _ attempt: AttemptIdentifier? = nil, reason: ReasonText? = nil) {
        self.code = code
        self.attempt = attempt
        self.reason = reason
    }

    public var description: String {
        [code.name, attempt.map { "attempt \($0)" }, reason?.text].compactMap { $0 }.joined(separator: ": ")
    }
}

/// The limits of payments that cards approve while the host cannot be reached.
public struct OfflineLimits: Sendable, Hashable {
    /// The currency, by its numeric code of ISO 4217; payments in others are not approved offline.
    public var currencyCode: UInt16
    /// The greatest amount of one payment, in minor units.
    public var floor: UInt64
    /// The greatest number of payments that have not reached the host.
    public var count: Int
    /// The greatest sum of their amounts, in minor units.
    public var total: UInt64

    /// Limits in one currency. All of them hold at the same time.
    public init(currencyCode: UInt16, floor: UInt64, count: Int, total: UInt64) {
        self.currencyCode = currencyCode
        self.floor = floor
        self.count = count
        self.total = total
    }

    /// No payment without the host.
    public static let none = OfflineLimits(currencyCode: 0, floor: 0, count: 0, total: 0)

    /// Whether a payment may be approved offline beside those that have not reached the host.
    public func allow(_ amount: Amount, beside waiting: [Amount]) -> Bool {
        guard amount.currencyCode == currencyCode, amount.minorUnits <= floor, waiting.count < count else {
            return false
        }
        var sum = amount.minorUnits
        for other in waiting {
            let (next, overflows) = sum.addingReportingOverflow(other.minorUnits)
            guard !overflows else { return false }
            sum = next
        }
        return sum <= total
    }
}
