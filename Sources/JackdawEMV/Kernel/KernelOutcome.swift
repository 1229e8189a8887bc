// The end of a transaction.

/// The end of a transaction, with all results.
public struct KernelOutcome: Sendable {
    /// The decision of card and issuer.
    public enum Disposition: Sendable, Hashable {
        /// The card approved, and so did the issuer if it was asked.
        case approved
        /// The card or the issuer declined.
        case declined
        /// The card declined, as it does not allow the service.
        case notAccepted
        /// The card does not allow this application for the transaction: remove it from the list and select another
        /// one.
        case selectAnother
        /// The transaction was broken off.
        case terminated(KernelTermination)
    }

    /// The decision of card and issuer.
    public let disposition: Disposition
    /// The last phase that began.
    public let phase: KernelPhase
    /// The issuer's decision; nil if the transaction did not come to it.
    public let host: HostDecision?
    /// Whether the terminal must reverse the transaction at the host: the host approved, or may have approved, and the
    /// transaction is not approved.
    public let isReversalRequired: Bool
    /// Whether the cardholder must sign.
    public let isSignatureRequired: Bool
    /// Whether the card asks for an advice.
    public let isAdviceRequested: Bool
    /// The results of the checks.
    public let tvr: TerminalVerificationResults
    /// The functions that were performed.
    public let tsi: TransactionStatusInformation
    /// The results of the issuer's scripts, in the order in which they were processed.
    public let scriptResults: [IssuerScriptResult]
    /// The data objects of the terminal and the card, for records and receipts. Card data is in clear in wiped memory.
    public let objects: DataObjectStore
}

/// The reason for which a kernel breaks a transaction off.
///
/// It has no content of the card but its status word.
public struct KernelTermination: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of reason. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String {
            case status, malformed, missing, repeated, cancelled
            case cardLost = "card_lost"
            case limitExceeded = "limit_exceeded"
            case unexpectedCryptogram = "unexpected_cryptogram"
            case amountTooLarge = "amount_too_large"
        }
        let kind: Kind
        /// The card does not answer, or was removed.
        public static let cardLost = Code(kind: .cardLost)
        /// The card answered with a status word that the book does not allow here.
        public static let status = Code(kind: .status)
        /// An answer or an object has an invalid form.
        public static let malformed = Code(kind: .malformed)
        /// A mandatory object is missing, or has no octets.
        public static let missing = Code(kind: .missing)
        /// The records have a primitive object more than once.
        public static let repeated = Code(kind: .repeated)
        /// The card's file locator (94) names more than 128 records.
        public static let limitExceeded = Code(kind: .limitExceeded)
        /// The card returned a cryptogram that it must not return.
        public static let unexpectedCryptogram = Code(kind: .unexpectedCryptogram)
        /// A list of the card asks for an amount in four octets (81 or 9F04), and the amount needs more.
        public static let amountTooLarge = Code(kind: .amountTooLarge)
        /// The cardholder cancelled.
        public static let cancelled = Code(kind: .cancelled)

        /// A name for machines: `card_lost`, `status`, ...
        public var name: String { kind.rawValue }
    }

    /// The kind of reason.
    public let code: Code
    /// The object concerned; nil if none is.
    public let tag: Tag?
    /// The status word of the card; nil if it is not the reason.
    public let status: StatusWord?

    init(_ code: Code, _ tag: Tag? = nil, status: StatusWord? = nil) {
        self.code = code
        self.tag = tag
        self.status = status
    }

    /// One line for a person.
    public var description: String {
        let object = tag.map { "object \($0)" } ?? "an object"
        return switch code.kind {
        case .cardLost: "the card does not answer; insert it again"
        case .status: "the card refused a command with status \(status.map { "\($0)" } ?? "unknown")"
        case .malformed: "\(object) of the card has an invalid form"
        case .missing: "the card does not have the mandatory \(object)"
        case .repeated: "the card has \(object) more than once"
        case .limitExceeded: "\(object) of the card names more records than the terminal reads"
        case .unexpectedCryptogram: "the card returned a cryptogram of another type than requested"
        case .amountTooLarge: "the card asks for \(object), which cannot hold the amount; use another card"
        case .cancelled: "the cardholder cancelled"
        }
    }
}
