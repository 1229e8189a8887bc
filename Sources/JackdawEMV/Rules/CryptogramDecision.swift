// The terminal's decision on a cryptogram of the card: EMV Book 3, sections 9.3 and 10.8 to 10.11.

/// The Cryptogram Information Data (tag 9F27) of a card's answer.
public struct CryptogramInformation: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The type of the cryptogram; nil if the card answers the reserved type 11.
    public var type: CryptogramType? { CryptogramType(octet: rawValue) }

    /// Whether the card asks the terminal to send an advice (bit 4).
    public var isAdviceRequested: Bool { rawValue & 0x08 != 0 }

    /// The reason of an advice or a refusal (bits 3 to 1).
    public var reason: Reason { Reason(rawValue: rawValue & 0x07) }

    /// A reason of Book 3, table 15. A struct, as EMV reserves values.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// 000: the card gives no reason.
        public static let none = Reason(rawValue: 0)
        /// 001: the service is not allowed.
        public static let serviceNotAllowed = Reason(rawValue: 1)
        /// 010: the PIN try limit is exceeded.
        public static let pinTryLimitExceeded = Reason(rawValue: 2)
        /// 011: the issuer authentication failed.
        public static let issuerAuthenticationFailed = Reason(rawValue: 3)
    }
}

/// The issuer's decision, as the terminal knows it.
public enum HostDecision: String, Sendable, Hashable {
    /// The host approved in its answer.
    case approved
    /// The host declined in its answer.
    case declined
    /// No request was sent.
    case unreachable = "unable_to_go_online"
    /// A request was sent, and no usable answer came in time: the host may have approved.
    case unknown
}

/// The consequence of the card's answer to the first GENERATE AC.
public struct FirstCryptogramDecision: Sendable, Hashable {
    /// The way in which the transaction goes on.
    public enum Action: Sendable, Hashable {
        /// TC: approved without the issuer.
        case approveOffline
        /// AAC: declined. The card may say that it does not accept the service.
        case declineOffline(isServiceNotAllowed: Bool)
        /// ARQC: the issuer decides.
        case goOnline
        /// The card answered a type above the one requested, or the reserved one: its logic is wrong.
        case terminate
    }

    /// The way in which the transaction goes on.
    public let action: Action
    /// Whether the card asks for an advice.
    public let isAdviceRequested: Bool
}

/// The consequence of the card's answer to the second GENERATE AC.
public struct SecondCryptogramDecision: Sendable, Hashable {
    /// Whether the transaction is approved.
    public let isApproved: Bool
    /// The type as which the terminal treats the cryptogram: an unexpected type counts as AAC.
    public let treatedAs: CryptogramType
    /// Whether the card asks for an advice.
    public let isAdviceRequested: Bool
    /// Whether the terminal must reverse at the host: the host approved and the card declined.
    public let isReversalRequired: Bool
    /// Whether the decision of the host is unknown (``HostDecision/unknown``): the terminal's policy then decides on a
    /// reversal, also after an approval by the card.
    public let isHostDecisionUnknown: Bool
}

/// The rules for the card's answers to GENERATE AC, as functions of values.
public enum CryptogramDecision {
    /// Decides on the first cryptogram: the card may answer the requested type or one below it, AAC < ARQC < TC.
    public static func first(
        requested: CryptogramType, information: CryptogramInformation
    ) -> FirstCryptogramDecision {
        let action: FirstCryptogramDecision.Action =
            switch information.type {
            case let type? where type > requested: .terminate
            case .tc?: .approveOffline
            case .arqc?: .goOnline
            case .aac?: .declineOffline(isServiceNotAllowed: information.reason == .serviceNotAllowed)
            case nil: .terminate
            }
        return FirstCryptogramDecision(action: action, isAdviceRequested: information.isAdviceRequested)
    }

    /// Decides on the second cryptogram: only a requested TC approves.
    public static func second(
        requested: CryptogramType, information: CryptogramInformation, host: HostDecision
    ) -> SecondCryptogramDecision {
        let isApproved = requested == .tc && information.type == .tc
        return SecondCryptogramDecision(
            isApproved: isApproved, treatedAs: isApproved ? .tc : .aac,
            isAdviceRequested: information.isAdviceRequested,
            isReversalRequired: host == .approved && !isApproved, isHostDecisionUnknown: host == .unknown)
    }
}
