public import JackdawCards
public import JackdawEMV

/// A request to the host about an attempt, before any wire format.
public struct HostRequest: Sendable, Hashable {
    /// The kind of a request. Raw values are the names in logs.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// Authorise a purchase or an authorisation, with the sealed card data; or book cash, without any.
        case authorise
        /// Take the results of the card after an approval.
        case complete
        /// Take a payment that the card approved without the host.
        case advise
        /// Take the image of the cardholder's signature after an approval.
        case sign
        /// Book what an authorisation has reserved.
        case capture
        /// Reverse the attempt, whatever the host knows of it.
        case reverse
        /// Return an amount to the card.
        case refund
        /// Report the state of the attempt.
        case enquire

        /// Whether the host may book an amount because of it.
        package var canBook: Bool {
            switch self {
            case .authorise, .advise, .capture, .refund: true
            case .complete, .sign, .reverse, .enquire: false
            }
        }
    }

    /// The kind of the request.
    public let operation: Operation
    /// The identifier of the attempt, the idempotency key. It is the same in every repetition of a request.
    public let attempt: AttemptIdentifier
    /// The request of the attempt.
    public let request: AttemptRequest
    /// The host's identifier of the attempt; nil if it is not known.
    public let reference: HostReference?
    /// The host's identifier of the attempt that is captured or refunded; nil without one.
    public let originalReference: HostReference?
    /// The reason of a reversal; nil for one that the merchant wants, and for other requests.
    public let cause: ReversalCause?
    /// The merchant's note about a reversal; nil without one, and for other requests.
    public let note: ReasonText?
    /// The way in which the card was read; nil without a card, and if it is not known.
    public let entry: CardEntry?
    /// The sealed data for the host alone; empty without any.
    public let octets: HTTPBody

    /// A request about a record.
    package init(
        _ operation: Operation, _ record: AttemptRecord, cause: ReversalCause? = nil, note: ReasonText? = nil,
        octets: HTTPBody = HTTPBody()
    ) {
        self.operation = operation
        attempt = record.identifier
        request = record.request
        reference = record.reference
        originalReference = record.originalReference
        self.cause = cause
        self.note = note
        entry = record.flow?.entry
        self.octets = octets
    }
}

extension HostRequest: RedactedDescription {
    /// Operation, identifier, kind, amount and sale.
    public var description: String { "\(operation.rawValue) attempt \(attempt), \(request)" }
}
