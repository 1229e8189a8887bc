/// The books of a simulated issuer: one entry for each payment. Money of a payment is held from its approval until
/// it is captured or reversed.
public struct IssuerLedger: Sendable {
    /// A payment as its issuer knows it.
    public struct Entry: Sendable, Hashable {
        /// The way in which money became due.
        public enum Capture: String, Sendable, Hashable {
            /// The issuer approved, and the till confirmed.
            case online
            /// The card approved without the issuer.
            case offline
        }

        /// The identifier of the payment.
        public let reference: String
        /// The account number, masked; nil if no message had one.
        public internal(set) var account: String?
        /// The amount in minor units.
        public internal(set) var amount: UInt64 = 0
        /// The decision on the authorisation; nil if none was asked for.
        public internal(set) var verdict: IssuerDecision.Verdict?
        /// The reason for the decision; nil without one.
        public internal(set) var reason: IssuerReason?
        /// Whether a reversal came, perhaps before the authorisation.
        public internal(set) var isReversed = false
        /// The way in which the money became due; nil if it is not.
        public internal(set) var capture: Capture?
        /// Whether the money was given back after it became due.
        public internal(set) var isRefunded = false
        /// The results of the issuer's scripts (9F5B), five octets for each; empty without any.
        public internal(set) var scriptResults: [UInt8] = []
        /// The number of messages with this reference that were processed.
        public internal(set) var messages = 0

        /// The money that waits for a confirmation or a reversal, in minor units.
        public var held: UInt64 { verdict == .approved && !isReversed && capture != .online ? amount : 0 }
        /// The money that the cardholder owes, in minor units.
        public var captured: UInt64 { capture == nil || isRefunded ? 0 : amount }
    }

    /// The most payments that a ledger has. Messages about further ones are refused.
    public static let maxEntries = 100_000

    /// The payments in the order of their first messages.
    public private(set) var entries: [Entry] = []
    private var places: [String: Int] = [:]

    init() {}

    /// The payment of a reference; nil if no message had it.
    public subscript(reference: String) -> Entry? { places[reference].map { entries[$0] } }

    /// The money of all payments that waits for a confirmation or a reversal, in minor units.
    public var held: UInt64 { entries.reduce(0) { $0 + $1.held } }
    /// The money of all payments that cardholders owe, in minor units.
    public var captured: UInt64 { entries.reduce(0) { $0 + $1.captured } }

    /// Whether there is an entry of a reference, or room for one.
    func hasRoom(for reference: String) -> Bool { places[reference] != nil || entries.count < Self.maxEntries }

    /// Changes the entry of a reference, which is made if there is none. Counts a message.
    mutating func note(_ reference: String, _ change: (inout Entry) -> Void) {
        let place = places[reference] ?? entries.count
        if place == entries.count {
            entries.append(Entry(reference: reference))
            places[reference] = place
        }
        entries[place].messages += 1
        change(&entries[place])
    }
}

/// The reason for a decision. A struct, so that reasons can be added.
public struct IssuerReason: RawRepresentable, Sendable, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// No rule and no limit objects.
    public static let inOrder = IssuerReason(rawValue: "in_order")
    /// A rule of the issuer's file decides.
    public static let rule = IssuerReason(rawValue: "rule")
    /// An object is missing or malformed.
    public static let malformed = IssuerReason(rawValue: "malformed")
    /// The amount is in another currency than the issuer's.
    public static let currency = IssuerReason(rawValue: "currency")
    /// The issuer does not know the account.
    public static let unknownAccount = IssuerReason(rawValue: "unknown_account")
    /// The card is lost, stolen, expired or restricted.
    public static let status = IssuerReason(rawValue: "status")
    /// The issuer has no keys for the card, or does not know its scheme.
    public static let noKeys = IssuerReason(rawValue: "no_keys")
    /// The cryptogram is wrong, or is no ARQC.
    public static let cryptogram = IssuerReason(rawValue: "cryptogram")
    /// The card's counter (9F36) does not exceed that of an earlier authorisation.
    public static let counter = IssuerReason(rawValue: "counter")
    /// The PIN is wrong, or its block is missing or malformed.
    public static let pin = IssuerReason(rawValue: "pin")
    /// The PIN has no tries left.
    public static let pinTries = IssuerReason(rawValue: "pin_tries")
    /// The amount exceeds a limit.
    public static let limit = IssuerReason(rawValue: "limit")
    /// The account has not enough money.
    public static let funds = IssuerReason(rawValue: "funds")
    /// A reversal or an advice of the payment came before it.
    public static let closedBefore = IssuerReason(rawValue: "closed_before")
}
