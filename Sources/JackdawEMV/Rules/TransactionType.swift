// The kinds of transactions and terminals on which the rules depend.

/// The kind of a transaction (tag 9C): the first two digits of the ISO 8583 processing code.
public struct TransactionType: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 00: a purchase of goods or services.
    public static let purchase = TransactionType(rawValue: 0x00)
    /// 01: a withdrawal of cash.
    public static let cash = TransactionType(rawValue: 0x01)
    /// 09: a purchase with cashback.
    public static let cashback = TransactionType(rawValue: 0x09)
    /// 17: cash that a person hands over.
    public static let cashDisbursement = TransactionType(rawValue: 0x17)
    /// 20: a refund to the card.
    public static let refund = TransactionType(rawValue: 0x20)

    /// Whether all of the amount is cash: types 01 and 17.
    var isCash: Bool { self == .cash || self == .cashDisbursement }

    /// Whether a transaction has a cashback amount: by its type, or by its Amount, Other (Book 3, 10.4.2).
    /// - Parameter otherAmount: Amount, Other (9F03), in minor units.
    /// - Returns: true for type 09, and for any type with another amount above zero.
    func hasCashback(_ otherAmount: UInt64) -> Bool { self == .cashback || otherAmount > 0 }
}

/// The kind of a terminal (tag 9F35): its operator, its connection and whether it is attended (EMV Book 4, annex A1).
public struct TerminalType: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The ways in which a terminal can authorise a transaction.
    public enum Connection: String, Sendable, Hashable {
        /// Only the issuer approves.
        case onlineOnly = "online_only"
        /// The card may approve, or the issuer.
        case onlineCapable = "online_capable"
        /// Only the card approves.
        case offlineOnly = "offline_only"
    }

    /// The way in which the terminal authorises; a type that the book does not list counts as online-capable.
    public var connection: Connection {
        switch rawValue & 0x0F {
        case 1, 4: .onlineOnly
        case 3, 6: .offlineOnly
        default: .onlineCapable
        }
    }

    /// Whether an attendant operates the terminal.
    public var isAttended: Bool { rawValue & 0x0F < 4 }

    /// Whether the terminal is an automated teller machine (ATM): types 14 to 16 that can pay out cash.
    public func isATM(_ capabilities: AdditionalTerminalCapabilities) -> Bool {
        (0x14...0x16).contains(rawValue) && capabilities.contains(.cash)
    }
}
