package import JackdawEMV

/// The identifier that a client gives a payment, a refund or a capture, beside its merchant. Each merchant has its own.
public struct SandboxKey: Sendable, Hashable {
    package let merchant: String
    package let uniqueID: String

    package init(merchant: String, uniqueID: String) {
        self.merchant = merchant
        self.uniqueID = uniqueID
    }
}

/// A payment in the books of a sandbox. It has no card data but masked forms.
public struct SandboxPayment: Sendable, Hashable {
    /// The kind of a payment. The raw value is the name on the wire.
    package enum Kind: String, Sendable, CaseIterable {
        case purchase
        case authorise = "authorize"
        case preauthorise = "preauthorize"
        case directDebit = "sepa"

        /// Whether the money is taken without a capture.
        var isBookedAtOnce: Bool { self == .purchase || self == .directDebit }
    }

    /// The state of a payment, one of those of the Accept SDK's headers.
    package enum State: String, Sendable {
        case approved, authorized, preauthorized, rejected, refunded, reversed
    }

    /// The card, as far as it may be stored.
    package struct Card: Sendable, Hashable {
        /// The number with its first six and last four digits; empty if it is not known.
        package var number = ""
        package var brand = ""
        package var label = ""
        /// The identifier of the application in hexadecimal digits.
        package var application = ""
        /// The name with all characters hidden but the slash.
        package var holder = ""
        package var entryMode = ""
    }

    /// An item of the basket, in wire units.
    package struct Item: Sendable, Hashable {
        package var note: String
        package var grossPrice: UInt64
        package var quantity: UInt64
        package var taxRate: UInt64
    }

    /// A capture, a refund or a reversal.
    package struct Operation: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            case capture, refund, reversal
        }

        package let kind: Kind
        /// The identifier that the client gave it; nil without one.
        package let uniqueID: String?
        /// The money in minor units.
        package let amount: UInt64
        package let note: String
        package let function: String
        package let user: String
        /// Milliseconds since 1970 UTC.
        package let time: Int64
        /// Whether a reversal took it back. A reversal itself stays.
        package internal(set) var isReversed = false
    }

    /// The facts of a payment that never change.
    package struct Facts: Sendable, Hashable {
        package var kind = Kind.purchase
        package var user = ""
        package var terminalSerial = ""
        package var terminalID = ""
        package var amount = Amount(minorUnits: 0, currencyCode: nil)
        /// Milliseconds since 1970 UTC.
        package var created: Int64 = 0
        /// The canonical text of the request without card data.
        package var fingerprint = ""
        /// The host's own reference (`guwid`).
        package var reference = ""
        /// The reference of the payment at the issuer.
        package var issuerReference = ""
        package var card = Card()
        package var items: [Item] = []
        /// Further values of the request: tip, note, sub-merchant and so on, by name.
        package var details: [Detail] = []
        package var isApproved = false
        package var errorCode = ""
        package var errorMessage = ""
        package var authorisationCode = ""
        /// The issuer's content for the card: 8A, 91, 71 and 72 in BER-TLV.
        package var issuerResponse: [UInt8] = []
    }

    /// A name and its value.
    package struct Detail: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The most operations of a payment.
    package static let maxOperations = 100

    /// The number of the payment in the books, from 1.
    public let number: Int
    package let key: SandboxKey
    package let facts: Facts
    package internal(set) var operations: [Operation] = []
    /// Whether the money is due at the issuer: by a certificate, a capture or an advice.
    package internal(set) var isDueAtIssuer = false
    /// The card's certificate (TC), as the till sent it.
    package internal(set) var certificate: [UInt8] = []
    /// The size of the signature in bytes; 0 without one. The image itself is not stored.
    package internal(set) var signatureSize = 0
    package internal(set) var isReceiptRequested = false

    package init(number: Int, key: SandboxKey, facts: Facts) {
        self.number = number
        self.key = key
        self.facts = facts
    }

    /// The detail that says how a payment was paid, and its value for cash.
    static let methodDetail = "payment_method"
    static let cash = "cash"

    /// Whether it was paid in cash, so that no issuer has a part in it.
    package var isCash: Bool { facts.details.contains { $0.name == Self.methodDetail && $0.value == Self.cash } }

    // MARK: money, in minor units

    /// Whether the whole payment was reversed.
    package var isReversed: Bool { operations.contains { $0.kind == .reversal && $0.uniqueID == nil } }

    /// The money that the merchant may take: the amount if the payment is approved and not reversed.
    package var authorised: UInt64 { facts.isApproved && !isReversed ? facts.amount.minorUnits : 0 }

    /// The money that the merchant has taken.
    package var captured: UInt64 {
        guard authorised > 0 else { return 0 }
        return facts.kind.isBookedAtOnce ? authorised : sum(.capture)
    }

    /// The part of it that was given back.
    package var refunded: UInt64 { authorised > 0 ? sum(.refund) : 0 }

    /// The money that the merchant keeps.
    package var booked: UInt64 { captured - min(captured, refunded) }

    private func sum(_ kind: Operation.Kind) -> UInt64 {
        operations.reduce(0) { $0 + ($1.kind == kind && !$1.isReversed ? $1.amount : 0) }
    }

    package var state: State {
        guard facts.isApproved else { return .rejected }
        if isReversed { return .reversed }
        guard captured > 0 else { return facts.kind == .preauthorise ? .preauthorized : .authorized }
        return refunded == captured ? .refunded : .approved
    }

    /// About the memory that it takes, in bytes: its texts and octets, and 64 for each of them.
    var size: Int {
        var texts = [
            key.merchant, key.uniqueID, facts.user, facts.terminalSerial, facts.terminalID, facts.fingerprint,
            facts.reference, facts.issuerReference, facts.errorCode, facts.errorMessage, facts.authorisationCode,
            facts.card.number, facts.card.brand, facts.card.label, facts.card.application, facts.card.holder,
            facts.card.entryMode,
        ]
        texts += facts.items.map(\.note) + facts.details.flatMap { [$0.name, $0.value] }
        texts += operations.flatMap { [$0.uniqueID ?? "", $0.note, $0.function, $0.user] }
        return texts.reduce(facts.issuerResponse.count + certificate.count) { $0 + $1.utf8.count + 64 }
    }

    // MARK: captures, refunds, reversals

    /// The reason why an operation is refused. The raw value is the code on the wire.
    package enum Refusal: String, Error, Sendable {
        case notApproved = "not_approved"
        case reversed
        case tooLate = "too_late"
        case refunded
        case captured
        case notCaptured = "not_captured"
        case amount = "amount_too_high"
        case tooMany = "too_many"
    }

    /// Takes the whole payment back. A reversed payment stays as it is.
    mutating func reverse(_ operation: Operation, before end: Int64) throws(Refusal) {
        guard facts.isApproved else { throw .notApproved }
        guard !isReversed else { return }
        guard refunded == 0 else { throw .refunded }
        guard operation.time < end else { throw .tooLate }
        try append(operation)
    }

    /// Takes a capture or a refund back. A reversed one stays as it is.
    mutating func reverse(operation index: Int, _ reversal: Operation, before end: Int64) throws(Refusal) {
        guard !operations[index].isReversed else { return }
        guard !isReversed else { throw .reversed }
        guard operations[index].kind != .capture || refunded == 0 else { throw .refunded }
        guard reversal.time < end else { throw .tooLate }
        try append(reversal)
        operations[index].isReversed = true
    }

    /// Takes money of an authorisation, once.
    mutating func capture(_ operation: Operation) throws(Refusal) {
        guard facts.isApproved else { throw .notApproved }
        guard !isReversed else { throw .reversed }
        guard captured == 0 else { throw .captured }
        guard (1...facts.amount.minorUnits).contains(operation.amount) else { throw .amount }
        try append(operation)
    }

    /// Gives money back, up to what was captured.
    mutating func refund(_ operation: Operation) throws(Refusal) {
        guard facts.isApproved else { throw .notApproved }
        guard !isReversed else { throw .reversed }
        guard captured > 0 else { throw .notCaptured }
        guard booked > 0 else { throw .refunded }
        guard (1...booked).contains(operation.amount) else { throw .amount }
        try append(operation)
    }

    private mutating func append(_ operation: Operation) throws(Refusal) {
        guard operations.count < Self.maxOperations else { throw .tooMany }
        operations.append(operation)
    }

    /// Whether the sums agree, as they do in books that the sandbox wrote.
    var isSound: Bool {
        guard facts.amount.minorUnits > 0, facts.amount.minorUnits <= Amount.maxNumeric,
            operations.count <= Self.maxOperations, operations.allSatisfy({ $0.amount <= Amount.maxNumeric })
        else { return false }
        return facts.isApproved
            ? captured <= facts.amount.minorUnits && refunded <= captured : operations.isEmpty
    }
}
