import JackdawBytes
import JackdawEMV
public import JackdawPayments

/// Version 3 of the Accept host's wire format.
///
/// Paths and names are those of the Android archive of the Accept SDK. What no source shows follows the project's
/// sandbox (docs/sandbox.md): bodies of errors, the issuer's data for the card, the routes of an identifier.
///
/// An attempt's identifier is its `unique_id`, in each request about it and in the paths.
public struct AcceptWire: HostWire {
    /// The route of reversals.
    public enum Reversals: Sendable, Hashable {
        /// Takes back the payment that has the identifier, and closes the identifier if nothing has. Beyond version 3. The
        /// host compares amount, currency and type, so that no other payment is taken back.
        case ofIdentifiers
        /// Takes back a payment, as in version 3. If the host does not know it, or has declined it, the desk asks for
        /// its state, and repeats the reversal until nothing can be booked any more. The host takes back any payment
        /// with the identifier: let the desk make identifiers, so that no other till has them.
        case ofPayments
    }

    /// The path before that of a route: `/v3`.
    public let basePath: String
    /// The route of reversals.
    public let reversals: Reversals

    /// A wire format for one merchant's host.
    /// - Parameters:
    ///   - basePath: the path before that of a route, percent-encoded, without a slash at its end. Default: `/v3`.
    ///   - reversals: the route of reversals. Default: that of identifiers, which ends in one exchange.
    public init(basePath: String = "/v3", reversals: Reversals = .ofIdentifiers) {
        self.basePath = basePath
        self.reversals = reversals
    }

    /// The habits of the sandbox: an enquiry closes no unknown identifier, and the other values are the defaults.
    public static let profile = HostProfile(name: "Accept")

    /// The most bytes of sealed data in a request. The sandbox takes 4096.
    public static let maxCardBytes = 4096
    /// The most bytes of the card's second cryptogram and its data. The sandbox takes 256.
    static let maxCertificateBytes = 256

    /// Writes a request as a form.
    ///
    /// Details become `payment[NAME]`: `tip`, `tip_tax_rate`, `net_taxation`, `callback_url`, `discount`, `note`,
    /// `lat`, `lng`, `pos_data[pos_entry_mode]`, `items[][...]`, `sub_merchant[...]`, `custom_fields` and
    /// `custom_fields[...]`. Captures and refunds have no place for them. An authorisation with the detail
    /// `transaction_type` of `preauthorize` is a pre-authorisation, a purchase with that of `sepa` a direct debit.
    /// - Throws: `HostFailure`, `notWritable`, if the amount is no whole number of hundredths, a detail has another
    ///   name, the data of the card is too large or missing, or the identifier is one that the host's paths reserve.
    public func encode(_ request: HostRequest) throws(HostFailure) -> HTTPRequest {
        let name = try Self.step(request.attempt)
        switch request.operation {
        case .authorise, .advise: return try payment(request)
        case .complete:
            try check(request.octets, most: Self.maxCertificateBytes)
            return http(.put, "payments/\(name).json", Self.certificate(request.octets))
        case .sign:
            guard (1...Delivery.maxSignatureBytes).contains(request.octets.count) else {
                throw Self.notWritable("A signature has 1 to \(Delivery.maxSignatureBytes) bytes.")
            }
            return http(.put, "payments/\(name).json", Self.signature(request.octets))
        case .capture: return try part("capture", request)
        case .refund: return try part("refund", request)
        case .reverse:
            var form = AcceptForm()
            form.add("fnc_type", request.cause.map(Self.function(of:)) ?? "void")
            form.add("note", request.note?.text ?? request.cause?.rawValue ?? "")
            guard reversals == .ofIdentifiers else { return http(.post, "payments/\(name)/reverse.json", form) }
            // So that the host takes back no other payment with the identifier.
            let amount = try WireAmount(request.request.amount)
            form.add("amount", "\(amount.hundredths)")
            form.add("currency", amount.currency)
            form.add("transaction_type", Self.transactionType(of: request.request))
            return http(.post, "unique_ids/\(name)/reverse.json", form)
        case .enquire: return http(.get, "unique_ids/\(name).json", nil)
        }
    }

    /// Checks amount, details and identifier as ``encode(_:)`` does.
    /// - Throws: `HostFailure`, `notWritable`.
    public func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure) {
        _ = try WireAmount(request.amount)
        for name in [attempt, request.kind.original] {
            if let name { _ = try Self.step(name) }
        }
        guard request.kind.paysSale else { return }
        if let attempt, !Self.isUsable(attempt) {
            throw Self.notWritable("The host reserves the attempt's identifier.")
        }
        for detail in request.details where Self.path(ofDetail: detail.name) == nil {
            if detail.name == Self.transactionTypeDetail, Self.namedType(of: request) != nil { continue }
            throw Self.notWritable("The format has no detail \(detail.name.prefix(40)).")
        }
    }

    /// Reads the answer to a request. Any answer gives a reply or a failure.
    ///
    /// An answer counts only if it names the attempt, and if amount, currency and kind are those of the request. An
    /// error of the host is a refusal only if no copy of the request can be booked, however often it was sent; every
    /// other error leaves the outcome open.
    /// - Throws: `HostFailure`: `notLoggedIn` for status 401 with a challenge, `conflict` for 409 and for most of 422,
    ///   `hostError` for 429 and 500 or more, `unreadable` for other answers that are none to the request.
    public func decode(_ answer: HTTPAnswer, to request: HostRequest) throws(HostFailure) -> HostReply {
        guard (200...299).contains(answer.status) else { return try HostError(answer).reply(to: request, reversals) }
        let view = try PaymentView(answer.body, of: request.attempt)
        return switch request.operation {
        case .authorise, .advise: try view.booking(request)
        case .complete, .sign: try view.certificate(request)
        case .capture, .refund: try view.part(request)
        case .reverse: try view.reversal(request)
        case .enquire: .status(try view.status(request))
        }
    }

    // MARK: pieces of requests

    /// The form with the card's second cryptogram and its data.
    static func certificate(_ octets: HTTPBody) -> AcceptForm {
        var form = AcceptForm()
        form.add("payment[cnp_transaction_certificate]", digitsOf: octets)
        return form
    }

    /// The form with the image of the cardholder's signature.
    static func signature(_ image: HTTPBody) -> AcceptForm {
        var form = AcceptForm()
        form.add("payment[signature]", digitsOf: image)
        return form
    }

    private func http(_ method: HTTPRequest.Method, _ path: String, _ form: AcceptForm?) -> HTTPRequest {
        var request = HTTPRequest(method, "\(basePath)/\(path)", headers: Self.headers)
        if let form {
            request.headers.append(Self.formType)
            request.body = form.body
        }
        return request
    }

    /// The version of the interface: 20 in the Android archive.
    static let headers = [HTTPField("Accept", "application/json"), HTTPField("X-Compatibility-Level", "20")]
    static let formType = HTTPField("Content-Type", "application/x-www-form-urlencoded")

    private func payment(_ request: HostRequest) throws(HostFailure) -> HTTPRequest {
        let name = request.attempt.rawValue
        try check(request.request, as: request.attempt)
        let amount = try WireAmount(request.request.amount)
        let isCash = request.request.kind == .cash
        if !isCash { try check(request.octets, most: Self.maxCardBytes) }
        var form = AcceptForm()
        form.add("payment[unique_id]", name)
        form.add("payment[transaction_type]", Self.transactionType(of: request.request))
        form.add("payment[amount]", "\(amount.hundredths)")
        form.add("payment[currency]", amount.currency)
        var hasEntryMode = false
        for detail in request.request.details {
            guard let path = Self.path(ofDetail: detail.name) else { continue }
            hasEntryMode = hasEntryMode || path == Self.entryModePath
            form.add(path, detail.value)
        }
        guard !isCash else {
            form.add("payment[\(Self.methodMember)]", Self.cash)
            return http(.post, "payments.json", form)
        }
        if !hasEntryMode, let mode = Self.entryMode(request) { form.add(Self.entryModePath, mode) }
        form.add("payment[raw_data]", digitsOf: request.octets)
        return http(.post, "payments.json", form)
    }

    /// A capture or a refund of another attempt, with an identifier of its own.
    private func part(_ action: String, _ request: HostRequest) throws(HostFailure) -> HTTPRequest {
        guard let original = request.request.kind.original else {
            throw Self.notWritable("The request names no original.")
        }
        let amount = try WireAmount(request.request.amount)
        var form = AcceptForm()
        form.add("unique_id", request.attempt.rawValue)
        form.add("amount", "\(amount.hundredths)")
        return http(.post, "payments/\(try Self.step(original))/\(action).json", form)
    }

    /// Whether an identifier may be that of a payment: some are parts of other paths, or end like one.
    static func isUsable(_ attempt: AttemptIdentifier) -> Bool {
        let name = attempt.rawValue
        return !name.hasSuffix(".json") && name != "search" && name != "total_sums" && name != "." && name != ".."
    }

    /// An identifier as a step of a path. The steps `.` and `..` would lead to another path (RFC 3986, 5.2.4).
    private static func step(_ attempt: AttemptIdentifier) throws(HostFailure) -> String {
        guard attempt.rawValue != ".", attempt.rawValue != ".." else {
            throw notWritable("The host reserves the attempt's identifier.")
        }
        return attempt.rawValue.percentEncoded
    }

    private func check(_ octets: HTTPBody, most: Int) throws(HostFailure) {
        guard (1...most).contains(octets.count) else {
            throw Self.notWritable("\(octets.count) bytes of the card; the format takes 1 to \(most).")
        }
    }

    static func notWritable(_ message: String) -> HostFailure {
        HostFailure(.notWritable, isCertainlyNotSent: true, message: message)
    }

    /// The host's word for the till's reason: a person's decision is a void, as is a merchant's reversal, anything else is technical. The words are those
    /// of the Android archive; no source shows their meaning.
    private static func function(of cause: ReversalCause) -> String {
        switch cause {
        case .cardDeclined, .signatureRejected: "void"
        case .linkLost, .timeout, .crash, .cardRemoved, .kernelFailed: "technical"
        }
    }

    // MARK: details of an attempt

    /// The detail that makes an authorisation a pre-authorisation or a purchase a direct debit, and its values.
    package static let transactionTypeDetail = "transaction_type"
    package static let preauthorize = "preauthorize"
    package static let directDebit = "sepa"
    /// The kind of a payment without that detail.
    static let (purchase, authorize) = ("purchase", "authorize")

    /// The member that says how a payment is paid, and its value for cash. No source shows the host's.
    static let methodMember = "payment_method"
    static let cash = "cash"

    /// The kind of a payment that its detail names; nil without a detail that goes with its kind.
    private static func namedType(of request: AttemptRequest) -> String? {
        let name = request.details.first { $0.name == transactionTypeDetail }?.value
        return switch (request.kind, name) {
        case (.authorisation, preauthorize?), (.purchase, directDebit?): name
        default: nil
        }
    }

    /// The host's word for the kind of a payment.
    static func transactionType(of request: AttemptRequest) -> String {
        namedType(of: request) ?? (request.kind == .authorisation ? authorize : purchase)
    }

    private static let entryModePath = "payment[pos_data][pos_entry_mode]"
    private static let plainDetails: Set = [
        "tip", "tip_tax_rate", "net_taxation", "callback_url", "discount", "note", "lat", "lng", "custom_fields",
    ]
    private static let nestedDetails: Set = ["pos_data", "items", "sub_merchant", "custom_fields"]

    /// The name in the form of a detail: `tip`, or `items[][note]`; nil if the format has none.
    private static func path(ofDetail name: String) -> String? {
        let first = name.prefix { $0 != "[" }
        guard first.utf8.count < name.utf8.count else {
            return plainDetails.contains(name) ? "payment[\(name)]" : nil
        }
        guard nestedDetails.contains(String(first)) else { return nil }
        return "payment[\(first)]\(name.dropFirst(first.count))"
    }

    /// The values of `pos_entry_mode` in the Android archive.
    private static let entryModes: Set = ["00", "01", "02", "03", "04", "05", "07", "79", "80", "90", "91"]

    /// The entry modes of a stripe: of its track, as a fallback from the chip, and of the whole stripe.
    private static let stripeModes: Set = ["02", "80", "90"]

    /// Whether the cardholder must sign: after a swipe without a PIN, as no kernel has verified the cardholder (guide 1.6.182,
    /// 068). The host does not say it.
    static func needsSignature(_ request: HostRequest) -> Bool {
        // The PIN block (EMV Book 3, annex A).
        guard cardObjects(request.octets)?.contains(0x99) != true else { return false }
        if let entry = request.entry { return entry == .swipe }
        return entryMode(request).map(stripeModes.contains) ?? false
    }

    /// The card's objects; nil if they cannot be read, as those that are sealed for a real host.
    private static func cardObjects(_ octets: HTTPBody) -> DataObjectStore? {
        var objects = DataObjectStore()
        do throws(DataObjectError) {
            try octets.withBytes { (bytes) throws(DataObjectError) in _ = try objects.add(bytes) }
            return objects
        } catch { return nil }
    }

    /// The entry mode in the card's objects (9F39, EMV Book 3, annex A); if they have none, or are enciphered, that of the
    /// flow: a chip, a tap with the data of a chip, or a stripe.
    private static func entryMode(_ request: HostRequest) -> String? {
        if let mode = entryMode(request.octets) { return mode }
        return switch request.entry {
        case .chip: "05"
        case .tap: "07"
        case .swipe: "90"
        default: nil
        }
    }

    private static func entryMode(_ octets: HTTPBody) -> String? {
        guard let objects = cardObjects(octets) else { return nil }
        guard let value = objects[0x9F39], value.count == 1 else { return nil }
        return entryModes.contains(value.hexadecimal) ? value.hexadecimal : nil
    }
}

/// An amount on the wire: hundredths of the major unit in every currency (Accept SDK integration guide 1.6.182, 3.2).
struct WireAmount: Hashable {
    let hundredths: UInt64
    /// The letters of ISO 4217.
    let currency: String

    /// - Throws: `HostFailure` if the amount is no whole number of hundredths.
    init(_ amount: Amount) throws(HostFailure) {
        guard let currency = amount.currencyCode.flatMap({ Currency.find($0) }) else {
            throw AcceptWire.notWritable("The amount has no currency of ISO 4217.")
        }
        let units = amount.minorUnits
        let (factor, divisor): (UInt64, UInt64) =
            switch currency.exponent {
            case 0: (100, 1)
            case 1: (10, 1)
            case 2: (1, 1)
            case 3: (1, 10)
            default: (1, 100)
            }
        let (product, overflows) = units.multipliedReportingOverflow(by: factor)
        guard !overflows, product.isMultiple(of: divisor) else {
            throw AcceptWire.notWritable("The format takes whole hundredths of \(currency.alphabeticCode) alone.")
        }
        hundredths = product / divisor
        self.currency = currency.alphabeticCode
    }
}
