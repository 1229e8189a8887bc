// The host's answers and their absence, without any wire format.

/// An answer of the host to a desk.
public enum HostReply: Sendable, Hashable {
    /// To `authorise`, `capture`, `refund`: booked or reserved. To `advise`: booked.
    case approved(HostApproval)
    /// To `authorise`, `capture`, `refund`: declined by the issuer or the host. Nothing is booked.
    case declined(HostDecline)
    /// To `complete`, `advise`, `sign`, `reverse`: done. A reversal may also have found nothing, if the host keeps the identifier
    /// and refuses a later request with it.
    case acknowledged
    /// The host understands the request and will not do it, with its reason. A repetition has no other answer.
    case refused(ReasonText)
    /// The host does not know the attempt. A request on its way may still arrive.
    case notFound
    /// To `enquire`, and to `reverse` if the host answers with the state of the payment.
    case status(HostStatus)
}

/// The content of an approval.
public struct HostApproval: Sendable, Hashable {
    /// The host's identifier of the attempt; nil without one.
    public var reference: HostReference?
    /// Whether the cardholder must sign.
    public var needsSignature: Bool
    /// The issuer's data for the card: ARC, tag 91, scripts. Empty without any.
    public var forCard: HTTPBody

    /// An approval. By default it has no reference, needs no signature and has no data for the card.
    public init(reference: HostReference? = nil, needsSignature: Bool = false, forCard: HTTPBody = HTTPBody()) {
        self.reference = reference
        self.needsSignature = needsSignature
        self.forCard = forCard
    }
}

/// The content of a decline.
public struct HostDecline: Sendable, Hashable {
    /// The reason, as the host gives it.
    public var reason: ReasonText
    /// Whether the host refers to the issuer by telephone.
    public var isReferral: Bool
    /// The issuer's data for the card. Empty without any.
    public var forCard: HTTPBody

    /// A decline. By default it is no referral and has no data for the card.
    public init(reason: ReasonText, isReferral: Bool = false, forCard: HTTPBody = HTTPBody()) {
        self.reason = reason
        self.isReferral = isReferral
        self.forCard = forCard
    }
}

/// The state of an attempt at the host, as an enquiry finds it.
public enum HostStatus: Sendable, Hashable {
    /// The amount is booked or reserved.
    case approved(HostReference?)
    /// Declined, with the reason.
    case declined(ReasonText)
    /// Booked or reserved, and then reversed.
    case reversed
    /// The host has booked nothing for the identifier. A request on its way may still arrive, unless the host keeps the
    /// identifier from now on (``HostProfile/closesUnknownIdentifiers``).
    case nothingBooked
    /// The host has not decided yet.
    case pending
    /// The host has a payment with this identifier, but it is another one: of another amount, currency or kind. It must not
    /// be reversed.
    case otherPayment
}

/// The reason why a request has no usable answer.
public struct HostFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code.
        public let name: String

        /// The host could not be reached.
        public static let unreachable = Code(name: "unreachable")
        /// The host could not be trusted.
        public static let notTrusted = Code(name: "notTrusted")
        /// No answer came in time, or the connection ended before it.
        public static let noAnswer = Code(name: "noAnswer")
        /// The answer cannot be read, fails a check, or is too large.
        public static let unreadable = Code(name: "unreadable")
        /// The host reports an error of its own: try later.
        public static let hostError = Code(name: "hostError")
        /// The host refused the request because of the login, and has not processed it: the token is missing, unknown or
        /// expired, or the host gave none.
        public static let notLoggedIn = Code(name: "notLoggedIn")
        /// The host reports that the identifier is in use or that the state does not allow the request. An earlier copy of
        /// the request may be booked, so this answer leaves the outcome open.
        public static let conflict = Code(name: "conflict")
        /// The request cannot be written in the host's format.
        public static let notWritable = Code(name: "notWritable")
    }

    /// The kind of failure.
    public let code: Code
    /// Whether it is certain that the host does not have the request: it was not sent, or the host says that it has not
    /// processed it.
    public let isCertainlyNotSent: Bool
    /// A sentence for a person, without data of the request.
    public let message: String

    /// A failure. The message must not have data of the request.
    public init(_ code: Code, isCertainlyNotSent: Bool, message: String) {
        self.code = code
        self.isCertainlyNotSent = isCertainlyNotSent
        self.message = message
    }

    /// The failure of the connection.
    public init(_ failure: HTTPFailure) {
        code =
            switch failure.code {
            case .unreachable: .unreachable
            case .notTrusted: .notTrusted
            case .notLoggedIn: .notLoggedIn
            case .tooLarge, .malformed: .unreadable
            // `invalidRequest` is an error in the program's settings, not in this message, which stays queued.
            default: .noAnswer
            }
        isCertainlyNotSent = failure.isCertainlyNotSent
        message = failure.message
    }

    public var description: String { message }
}
