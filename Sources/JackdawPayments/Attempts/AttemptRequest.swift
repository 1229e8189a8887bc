public import JackdawCards
public import JackdawEMV

// The request of an attempt, and the fingerprint that binds an identifier to it.

/// The kind of an attempt.
public enum AttemptKind: Sendable, Hashable {
    /// The host books the amount.
    case purchase
    /// The host reserves the amount; a capture books it.
    case authorisation
    /// The host books an amount that the merchant has taken in cash. No card is read.
    case cash
    /// Books an amount that an approved authorisation of the same sale has reserved.
    case capture(of: AttemptIdentifier)
    /// Returns an amount of an approved payment of the same sale.
    case refund(of: AttemptIdentifier)

    /// Whether a card is read for it. Cash, a capture and a refund need none.
    public var needsCard: Bool { self == .purchase || self == .authorisation }

    /// Whether it pays a sale, by card or in cash.
    package var paysSale: Bool { original == nil }

    /// The attempt that is captured or refunded; nil for a payment.
    public var original: AttemptIdentifier? {
        switch self {
        case .purchase, .authorisation, .cash: nil
        case .capture(let original), .refund(let original): original
        }
    }

    /// The name in fingerprints and records.
    package var name: String {
        switch self {
        case .purchase: "purchase"
        case .authorisation: "authorisation"
        case .cash: "cash"
        case .capture: "capture"
        case .refund: "refund"
        }
    }

    package init?(name: String, original: AttemptIdentifier?) {
        switch (name, original) {
        case ("purchase", nil): self = .purchase
        case ("authorisation", nil): self = .authorisation
        case ("cash", nil): self = .cash
        case ("capture", let original?): self = .capture(of: original)
        case ("refund", let original?): self = .refund(of: original)
        default: return nil
        }
    }
}

/// A name and its value, which an SDK adds to a request: an item, a tip, a note.
public struct AttemptDetail: Sendable, Hashable {
    /// The name, which the SDK's wire format knows.
    public let name: String
    /// The value, in the wire format. Logs do not have it.
    public let value: String

    /// A detail, which becomes part of the request's fingerprint.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension AttemptDetail: RedactedDescription {
    /// The name: the value may be personal.
    public var description: String { name }
}

/// The request of an attempt, without card data.
public struct AttemptRequest: Sendable {
    /// The sale that is paid, or was paid.
    public let sale: SaleIdentifier
    /// The kind, with the original of a capture or a refund.
    public let kind: AttemptKind
    /// The amount, in a currency of ISO 4217.
    public let amount: Amount
    /// The details, in their order. Never card data.
    public let details: [AttemptDetail]

    /// The most bytes that the names and values of the details have together.
    public static let maxDetailBytes = 65_536
    /// The most details that a request has.
    public static let maxDetails = 4096

    /// Makes a request, if its parts are within the limits.
    /// - Parameters:
    ///   - sale: the sale.
    ///   - kind: the kind.
    ///   - amount: 1 to 999,999,999,999 minor units of a currency of ISO 4217; an authorisation may have 0.
    ///   - details: names and values without card data. Default: none.
    /// - Throws: ``RequestError`` if the amount or the details exceed these limits.
    public init(
        sale: SaleIdentifier, kind: AttemptKind, amount: Amount, details: [AttemptDetail] = []
    ) throws(RequestError) {
        let least: UInt64 = kind == .authorisation ? 0 : 1
        guard (least...Amount.maxNumeric).contains(amount.minorUnits) else {
            throw RequestError(.amount, "The amount has \(least) to \(Amount.maxNumeric) minor units.")
        }
        guard let code = amount.currencyCode, Currency.find(code) != nil else {
            throw RequestError(.currency, "The amount needs a currency of ISO 4217.")
        }
        let bytes = details.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard details.count <= Self.maxDetails, bytes <= Self.maxDetailBytes else {
            throw RequestError(
                .details,
                "\(details.count) details of \(bytes) bytes; the maximum is \(Self.maxDetails) of "
                    + "\(Self.maxDetailBytes) bytes.")
        }
        self.sale = sale
        self.kind = kind
        self.amount = amount
        self.details = details
    }

    /// The fingerprint of the request.
    public var fingerprint: RequestFingerprint { RequestFingerprint(self) }
}

extension AttemptRequest: Hashable {
    /// Whether both have the same fingerprint: texts are compared byte by byte.
    public static func == (left: AttemptRequest, right: AttemptRequest) -> Bool {
        left.fingerprint == right.fingerprint
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sale)
        hasher.combine(amount)
    }
}

extension AttemptRequest: RedactedDescription {
    /// Kind, amount and sale.
    public var description: String { "\(kind.name) of \(amount) for sale \(sale)" }
}

/// The whole request in a canonical form: each field with its length before it. Two requests have the same fingerprint
/// only if they are equal byte by byte, because it is not a hash.
public struct RequestFingerprint: Sendable, Hashable {
    /// The fields, each as its number of bytes in decimal digits, a colon, and its bytes.
    public let octets: [UInt8]

    init(_ request: AttemptRequest) {
        var octets: [UInt8] = []
        func append(_ field: String) {
            octets += "\(field.utf8.count):".utf8
            octets += field.utf8
        }
        append(request.sale.rawValue)
        append(request.kind.name)
        append(request.kind.original?.rawValue ?? "")
        append("\(request.amount.minorUnits)")
        append("\(request.amount.currencyCode ?? 0)")
        for detail in request.details {
            append(detail.name)
            append(detail.value)
        }
        self.octets = octets
    }
}

/// The error of a request that cannot be an attempt.
public struct RequestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code.
        public let name: String

        /// The amount is 0, or has more than 12 digits.
        public static let amount = Code(name: "amount")
        /// The currency is missing, or not one of ISO 4217.
        public static let currency = Code(name: "currency")
        /// There are too many details, or they are too long.
        public static let details = Code(name: "details")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a person.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
