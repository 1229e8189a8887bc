import JackdawBytes
import JackdawEMV
import JackdawReaders

/// A change of the books, which a store keeps as one: all of it, or nothing.
public struct SandboxChange: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A payment is new, or has changed: the whole of it.
        case payment(SandboxPayment)
        /// An identifier is closed: nothing will be booked under it.
        case closed(SandboxKey, time: Int64)
        /// A user has a new password.
        case password(user: String, hash: String)
    }

    package let content: Content

    package init(_ content: Content) { self.content = content }

    /// The largest encoded change, in bytes.
    public static let maxSize = 1 << 20

    /// The change as a JSON object without a line break. It has no card data but masked forms, and hashes of passwords.
    public var encoded: [UInt8] { json.encoded() }

    /// Reads an encoded change. Any bytes give a change or an error.
    /// - Throws: ``SandboxStoreError`` with the code ``SandboxStoreError/Code/unreadable``.
    public init(encoded: [UInt8]) throws(SandboxStoreError) {
        let json: JSONValue
        do throws(JSONValue.Fault) { json = try JSONValue(encoded, most: Self.maxSize) } catch {
            throw SandboxStoreError(.unreadable, error.message)
        }
        guard case .object(let members) = json, members.count == 1, let (name, value) = members.first else {
            throw SandboxStoreError(.unreadable, "a change has one member")
        }
        let record = BookRecord(value)
        switch name {
        case "payment": content = .payment(try SandboxPayment(record))
        case "closed": content = .closed(try SandboxKey(record), time: try record.whole("time"))
        case "password": content = .password(user: try record.text("user"), hash: try record.text("hash"))
        default: throw SandboxStoreError(.unreadable, "the change is not known")
        }
    }

    private var json: JSONValue {
        switch content {
        case .payment(let payment): .object(["payment": payment.json])
        case .closed(let key, let time):
            .object(["closed": .object(key.members.merging(["time": .whole(time)]) { $1 })])
        case .password(let user, let hash):
            .object(["password": .object(["user": .text(user), "hash": .text(hash)])])
        }
    }

}

/// The error of a store: a code and a message without a value of the books.
public struct SandboxStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that codes can be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are no books, or of a later version.
        public static let unreadable = Code(rawValue: "unreadable")
        /// Changes contradict each other.
        public static let contradiction = Code(rawValue: "contradiction")
        /// There is no room.
        public static let full = Code(rawValue: "full")
        /// The change cannot be written.
        public static let notWritten = Code(rawValue: "not_written")
    }

    /// The kind of error, for programs to compare.
    public let code: Code
    /// The reason, for people.
    public let message: String

    /// An error of a store. The message must not have a value of the books.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}

// MARK: - the parts of a change

/// An object of the books. A method throws if a member is missing or has another kind.
struct BookRecord {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    private func fail(_ name: String) -> SandboxStoreError {
        SandboxStoreError(.unreadable, "the member \(name) is missing or wrong")
    }

    func text(_ name: String) throws(SandboxStoreError) -> String {
        guard let text = value[name]?.text else { throw fail(name) }
        return text
    }

    /// A whole number from 0 on that a JSON number represents exactly.
    func whole(_ name: String) throws(SandboxStoreError) -> Int64 {
        guard let number = value[name]?.number, let whole = Int64(exactly: number), (0...(1 << 53)).contains(whole)
        else {
            throw fail(name)
        }
        return whole
    }

    func money(_ name: String) throws(SandboxStoreError) -> UInt64 { UInt64(try whole(name)) }

    func flag(_ name: String) throws(SandboxStoreError) -> Bool {
        guard case .flag(let flag)? = value[name] else { throw fail(name) }
        return flag
    }

    func octets(_ name: String) throws(SandboxStoreError) -> [UInt8] {
        let digits = Array(try text(name).utf8)
        var octets: [UInt8] = []
        do throws(HexadecimalError) { try digits.span.decodeHexadecimal { octets.append($0) } } catch {
            throw fail(name)
        }
        return octets
    }

    func choice<Choice: RawRepresentable>(_ name: String) throws(SandboxStoreError) -> Choice
    where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try text(name)) else { throw fail(name) }
        return choice
    }

    func record(_ name: String) throws(SandboxStoreError) -> BookRecord {
        guard let value = value[name] else { throw fail(name) }
        return BookRecord(value)
    }

    func records(_ name: String) throws(SandboxStoreError) -> [BookRecord] {
        guard case .array(let values)? = value[name] else { throw fail(name) }
        return values.map { BookRecord($0) }
    }

    /// A text; nil if the member is null.
    func optionalText(_ name: String) throws(SandboxStoreError) -> String? {
        if case .null? = value[name] { return nil }
        return try text(name)
    }
}

extension JSONValue {
    static func whole(_ number: some BinaryInteger) -> JSONValue { .number(Double(number)) }
    static func money(_ number: UInt64) -> JSONValue { .number(Double(number)) }
    static func hexadecimal(_ octets: [UInt8]) -> JSONValue { .text(octets.hexadecimal) }
}

extension SandboxKey {
    fileprivate var members: [String: JSONValue] { ["merchant": .text(merchant), "unique_id": .text(uniqueID)] }

    fileprivate init(_ record: BookRecord) throws(SandboxStoreError) {
        self.init(merchant: try record.text("merchant"), uniqueID: try record.text("unique_id"))
        guard uniqueID.isIdentifier, merchant.isIdentifier else {
            throw SandboxStoreError(.unreadable, "an identifier is invalid")
        }
    }
}

extension SandboxPayment {
    fileprivate var json: JSONValue {
        var members = key.members
        members["number"] = .whole(number)
        members["facts"] = facts.json
        members["operations"] = .array(operations.map(\.json))
        members["due"] = .flag(isDueAtIssuer)
        members["certificate"] = .hexadecimal(certificate)
        members["signature_size"] = .whole(signatureSize)
        members["receipt"] = .flag(isReceiptRequested)
        return .object(members)
    }

    fileprivate init(_ record: BookRecord) throws(SandboxStoreError) {
        self.init(
            number: Int(try record.whole("number")), key: try SandboxKey(record),
            facts: try Facts(record.record("facts")))
        for operation in try record.records("operations") { operations.append(try Operation(operation)) }
        isDueAtIssuer = try record.flag("due")
        certificate = try record.octets("certificate")
        signatureSize = Int(try record.whole("signature_size"))
        isReceiptRequested = try record.flag("receipt")
        guard isSound else { throw SandboxStoreError(.contradiction, "the sums of a payment do not agree") }
    }
}

extension SandboxPayment.Facts {
    fileprivate var json: JSONValue {
        .object([
            "kind": .text(kind.rawValue), "user": .text(user), "terminal_serial": .text(terminalSerial),
            "terminal_id": .text(terminalID), "amount": .money(amount.minorUnits),
            "currency": .whole(amount.currencyCode ?? 0), "created": .whole(created), "fingerprint": .text(fingerprint),
            "reference": .text(reference), "issuer_reference": .text(issuerReference), "card": card.json,
            "items": .array(items.map(\.json)),
            "details": .array(details.map { .object(["name": .text($0.name), "value": .text($0.value)]) }),
            "approved": .flag(isApproved), "error_code": .text(errorCode), "error_message": .text(errorMessage),
            "authorisation_code": .text(authorisationCode), "issuer_response": .hexadecimal(issuerResponse),
        ])
    }

    fileprivate init(_ record: BookRecord) throws(SandboxStoreError) {
        self.init()
        kind = try record.choice("kind")
        user = try record.text("user")
        terminalSerial = try record.text("terminal_serial")
        terminalID = try record.text("terminal_id")
        guard let code = UInt16(exactly: try record.whole("currency")), Currency.find(code) != nil else {
            throw SandboxStoreError(.unreadable, "the currency is not known")
        }
        amount = Amount(minorUnits: try record.money("amount"), currencyCode: code)
        created = try record.whole("created")
        fingerprint = try record.text("fingerprint")
        reference = try record.text("reference")
        issuerReference = try record.text("issuer_reference")
        card = try SandboxPayment.Card(record.record("card"))
        for item in try record.records("items") { items.append(try SandboxPayment.Item(item)) }
        for detail in try record.records("details") {
            details.append(SandboxPayment.Detail(name: try detail.text("name"), value: try detail.text("value")))
        }
        isApproved = try record.flag("approved")
        errorCode = try record.text("error_code")
        errorMessage = try record.text("error_message")
        authorisationCode = try record.text("authorisation_code")
        issuerResponse = try record.octets("issuer_response")
    }
}

extension SandboxPayment.Card {
    fileprivate var json: JSONValue {
        .object([
            "number": .text(number), "brand": .text(brand), "label": .text(label), "application": .text(application),
            "holder": .text(holder), "entry_mode": .text(entryMode),
        ])
    }

    fileprivate init(_ record: BookRecord) throws(SandboxStoreError) {
        self.init(
            number: try record.text("number"), brand: try record.text("brand"), label: try record.text("label"),
            application: try record.text("application"), holder: try record.text("holder"),
            entryMode: try record.text("entry_mode"))
    }
}

extension SandboxPayment.Item {
    fileprivate var json: JSONValue {
        .object([
            "note": .text(note), "gross_price": .money(grossPrice), "quantity": .money(quantity),
            "tax_rate": .money(taxRate),
        ])
    }

    fileprivate init(_ record: BookRecord) throws(SandboxStoreError) {
        self.init(
            note: try record.text("note"), grossPrice: try record.money("gross_price"),
            quantity: try record.money("quantity"), taxRate: try record.money("tax_rate"))
    }
}

extension SandboxPayment.Operation {
    fileprivate var json: JSONValue {
        .object([
            "kind": .text(kind.rawValue), "unique_id": uniqueID.map { .text($0) } ?? .null, "amount": .money(amount),
            "note": .text(note), "function": .text(function), "user": .text(user), "time": .whole(time),
            "reversed": .flag(isReversed),
        ])
    }

    fileprivate init(_ record: BookRecord) throws(SandboxStoreError) {
        self.init(
            kind: try record.choice("kind"), uniqueID: try record.optionalText("unique_id"),
            amount: try record.money("amount"), note: try record.text("note"), function: try record.text("function"),
            user: try record.text("user"), time: try record.whole("time"), isReversed: try record.flag("reversed"))
    }
}
