public import JackdawCards
public import JackdawEMV

/// A message of a till to a simulated issuer.
public struct IssuerRequest: Sendable {
    /// The identifier of the payment, which all messages about it have: 1 to 64 octets in UTF-8.
    public let reference: String
    /// The content of the message.
    public let content: Content

    /// The content of a message.
    public enum Content: Sendable {
        /// Asks for a decision: the objects of `OnlineRequest`, or of a swipe 57, 9F02 and 5F2A, and the PIN block of
        /// the PIN pad if there is one, 8 octets.
        case authorisation(DataObjectStore, pinBlock: [UInt8]? = nil)
        /// Takes the authorisation back: its objects, as far as the till has them. The reference is enough.
        case reversal(DataObjectStore? = nil)
        /// The payment that the issuer approved is complete, and its money is due. Of the objects, the results of scripts
        /// (9F5B) are stored.
        case confirmation(DataObjectStore)
        /// The card approved a payment without the issuer, and its money is due: the objects of the card's decision.
        case advice(DataObjectStore)
        /// Gives the money of a payment that is complete back.
        case refund
    }

    /// A message of its parts.
    public init(reference: String, _ content: Content) {
        self.reference = reference
        self.content = content
    }
}

extension IssuerRequest: RedactedDescription {
    /// The kind of message and its reference, and nothing of its objects and its PIN block.
    public var description: String { "\(content) of payment \(reference)" }
}

extension IssuerRequest.Content: RedactedDescription {
    /// The kind of message.
    public var description: String {
        switch self {
        case .authorisation: "authorisation"
        case .reversal: "reversal"
        case .confirmation: "confirmation"
        case .advice: "advice"
        case .refund: "refund"
        }
    }
}

/// The issuer's reaction to a message.
public enum IssuerReaction: Sendable {
    /// A reply arrives at this time.
    case replies(IssuerReply, at: Duration)
    /// No reply comes. The till cannot know whether the issuer has processed the message.
    case staysSilent
    /// The till notices at this time that it cannot send the message.
    case isUnreachable(at: Duration)
}

/// The content of an issuer's reply, by the kind of message.
public enum IssuerReply: Sendable {
    /// The decision on an authorisation.
    case decision(IssuerDecision)
    /// The reversal, confirmation, advice or refund is recorded.
    case accepted
    /// The message is refused, and changes nothing.
    case refused(IssuerRefusal)
    /// The till cannot read the reply.
    case unreadable
}

/// The decision on an authorisation.
public struct IssuerDecision: Sendable {
    /// The kind of decision.
    public let verdict: Verdict
    /// Six digits (89); nil unless approved.
    public let authorisationCode: String?
    /// The content for the kernel: response code (8A), issuer authentication data (91), scripts.
    public let response: HostResponse

    /// The kind of a decision.
    public enum Verdict: String, Sendable, Hashable {
        /// The issuer approves the payment.
        case approved
        /// The issuer declines the payment.
        case declined
        /// The merchant must call the issuer.
        case referred
    }
}

/// The reason why an issuer refuses a message. A struct, so that reasons can be added.
public struct IssuerRefusal: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The message lacks an object, or one of them has an invalid form.
    public static let malformed = IssuerRefusal(rawValue: "malformed")
    /// Another message with this reference had another content, account, amount, currency or counter of the card.
    public static let otherContent = IssuerRefusal(rawValue: "other_content")
    /// The issuer has approved no payment with this reference.
    public static let notApproved = IssuerRefusal(rawValue: "not_approved")
    /// The payment is reversed.
    public static let reversed = IssuerRefusal(rawValue: "reversed")
    /// The payment is not complete, so that there is no money to give back.
    public static let notCaptured = IssuerRefusal(rawValue: "not_captured")
    /// The payment is complete.
    public static let captured = IssuerRefusal(rawValue: "captured")
    /// The card's certificate (TC) of a payment without the issuer is wrong.
    public static let certificate = IssuerRefusal(rawValue: "certificate")
    /// The card's transaction belongs to a payment with another reference.
    public static let replayed = IssuerRefusal(rawValue: "replayed")
    /// The ledger is full.
    public static let full = IssuerRefusal(rawValue: "full")
}
