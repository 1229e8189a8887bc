public import JackdawCards
public import JackdawEMV

// The part of an attempt that survives a crash.

/// A time of the wall clock with its zone. It is for people and hosts; no rule depends on it, because such a clock can be
/// set.
public struct RecordedTime: Sendable, Hashable {
    /// Seconds since 1970-01-01 00:00 UTC, without leap seconds: -62,135,596,800 to 253,402,300,799 (years 1 to 9999).
    public let seconds: Int64
    /// Minutes east of UTC, -1080 to 1080.
    public let offset: Int

    /// The range of ``seconds``.
    public static let secondRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// The range of ``offset``.
    public static let offsetRange = -1080...1080

    /// A time; values outside the ranges are set to the nearest bound.
    public init(seconds: Int64, offset: Int) {
        self.seconds = min(max(seconds, Self.secondRange.lowerBound), Self.secondRange.upperBound)
        self.offset = min(max(offset, Self.offsetRange.lowerBound), Self.offsetRange.upperBound)
    }
}

/// A message that must reach the host. It is sent again until the host has answered it.
public struct Delivery: Sendable, Hashable {
    /// The purpose of a message.
    public enum Purpose: Sendable, Hashable {
        /// Reverse what the host may have booked. The cause is nil if the merchant takes the payment back.
        case reversal(ReversalCause?)
        /// Find out if the host booked a capture or a refund.
        case enquiry
        /// Send the results of the card after an approval.
        case completion
        /// Send a payment that the card approved without the host.
        case advice
        /// Send the image of the cardholder's signature after an approval. Nothing depends on it: a host that does not take
        /// it is not asked again.
        case signature

        /// Whether the message clears up what the host has booked. Such messages go first.
        package var isUrgent: Bool {
            switch self {
            case .reversal, .enquiry: true
            case .completion, .advice, .signature: false
            }
        }
    }

    /// The purpose, which decides on the request.
    public let purpose: Purpose
    /// The attempts without a usable answer, 0 to ``maxAttempts``, at which the number stays; the message is never given up.
    public package(set) var tries: Int
    /// The merchant's note about a reversal; nil without one.
    public let note: ReasonText?
    /// The data for the host alone, sealed by the reader. The journal encrypts it.
    public let octets: HTTPBody

    /// The most bytes of ``octets``.
    public static let maxOctets = 65_536

    /// The most bytes of the image of a signature.
    public static let maxSignatureBytes = 32_768

    /// The greatest number of counted attempts.
    public static let maxAttempts = 1_000_000

    package init(
        _ purpose: Purpose, note: ReasonText? = nil, octets: HTTPBody = HTTPBody(), tries: Int = 0
    ) {
        self.purpose = purpose
        self.note = note
        self.octets = octets
        self.tries = min(max(tries, 0), Self.maxAttempts)
    }
}

/// The reason why a person must look at an attempt, and the person's answer.
public struct Attention: Sendable, Hashable {
    /// The host's reason, or the error of its answers.
    public let reason: ReasonText
    /// The time of the host's answer.
    public let since: RecordedTime
    /// The note of the person who has dealt with it; nil before that.
    public package(set) var note: ReasonText?
    /// The time of the note; nil before it.
    public package(set) var settled: RecordedTime?

    package init(_ reason: ReasonText, since: RecordedTime) {
        self.reason = reason
        self.since = since
    }
}

/// An attempt as the journal has it. It has no card data but the sealed octets of its delivery.
public struct AttemptRecord: Sendable, Hashable {
    /// The identifier of the attempt.
    public let identifier: AttemptIdentifier
    /// The request, to which the identifier is bound.
    public let request: AttemptRequest
    /// The state, which changes by the table alone.
    public package(set) var state: AttemptState
    /// The journal of the payment flow; nil for a capture or a refund.
    public package(set) var flow: PaymentJournal?
    /// The host's identifier of this attempt; nil if it is not known.
    public package(set) var reference: HostReference?
    /// The host's identifier of the attempt that is captured or refunded; nil without one.
    public let originalReference: HostReference?
    /// The time at which the attempt began.
    public let began: RecordedTime
    /// The time of the last change.
    public package(set) var changed: RecordedTime
    /// The time of the approval; nil before it, and for one that an earlier version of this program has written.
    public package(set) var approved: RecordedTime?
    /// The message that must reach the host; nil without one. In state ``AttemptState/needsAttention`` it is kept, and not
    /// sent.
    public package(set) var delivery: Delivery?
    /// The image of the cardholder's signature, which is sent after ``delivery``; empty without one. The journal encrypts it.
    public package(set) var signature = HTTPBody()
    /// The host's reason for a decline; nil without one.
    public package(set) var refusal: ReasonText?
    /// The reason for attention, kept after a person has dealt with it; nil if none was needed.
    public package(set) var attention: Attention?

    /// An attempt that begins.
    package init(
        _ identifier: AttemptIdentifier, _ request: AttemptRequest, originalReference: HostReference? = nil,
        on date: RecordedTime
    ) {
        self.identifier = identifier
        self.request = request
        self.originalReference = originalReference
        state = .open
        flow = request.kind.needsCard ? PaymentJournal() : nil
        began = date
        changed = date
    }

    /// An attempt of its parts, as a journal has them.
    package init(
        identifier: AttemptIdentifier, request: AttemptRequest, originalReference: HostReference?, state: AttemptState,
        flow: PaymentJournal?, began: RecordedTime, changed: RecordedTime
    ) {
        self.identifier = identifier
        self.request = request
        self.originalReference = originalReference
        self.state = state
        self.flow = flow
        self.began = began
        self.changed = changed
    }

    /// Whether the desk needs the record after a restart: the attempt is not over, or the host has not received all.
    public var isNeeded: Bool { !state.isFinal || delivery != nil || (flow.map { $0.outcome == nil } ?? false) }

    /// Whether the desk must send a message.
    public var isDeliveryQueued: Bool { delivery != nil && state != .needsAttention }

    /// Changes the state by the table.
    /// - Returns: false if the state refuses the change; the record is then unchanged.
    @discardableResult
    package mutating func apply(_ change: AttemptChange) -> Bool {
        guard let next = AttemptTable.next(state, change) else { return false }
        state = next
        return true
    }

    /// The fault of a record that contradicts itself; nil without one. A journal checks it when it reads.
    package var contradiction: String? {
        if (flow != nil) != request.kind.needsCard { return "a flow belongs to attempts with a card" }
        if (originalReference != nil) && request.kind.original == nil { return "a reference to an unnamed original" }
        if state == .needsAttention && attention?.settled != nil { return "attention that is settled already" }
        if state == .needsAttention && attention == nil { return "attention without a reason" }
        if signature.count > 0, delivery == nil || ![.approved, .needsAttention].contains(state) {
            return "a signature that follows no message of an approved attempt"
        }
        let isUrgent = delivery?.purpose.isUrgent
        switch state {
        case .unknown, .reversing: return isUrgent == true ? nil : "nothing queued that finds out the outcome"
        case .approved: return isUrgent == true ? "a reversal of an approved attempt" : nil
        case .needsAttention: return nil
        case .open, .asked, .declined, .cancelled, .failed, .reversed:
            return delivery == nil ? nil : "a delivery in state \(state.rawValue)"
        }
    }
}

extension AttemptRecord: RedactedDescription {
    /// Identifier, state, kind, amount and sale.
    public var description: String { "attempt \(identifier), \(state.rawValue): \(request)" }
}
