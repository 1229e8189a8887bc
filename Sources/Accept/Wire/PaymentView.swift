import JackdawBytes
import JackdawPayments
import JackdawReaders

/// The host's view of a payment or an identifier, as its answers have it.
struct PaymentView {
    private let json: JSONValue
    private let sandbox: JSONValue

    /// The most bytes of an answer. A payment of 200 items with the longest texts has about 100,000.
    static let maxBytes = 1 << 19
    /// The most bytes of the issuer's data for the card: two templates of scripts, each of 128 (EMV Book 3, 10.10), and
    /// room for more.
    private static let maxIssuerBytes = 4096

    /// Reads an answer about an attempt.
    /// - Throws: `HostFailure`, `unreadable`, if it is not JSON, too large, or about another attempt.
    init(_ body: HTTPBody, of attempt: AttemptIdentifier) throws(HostFailure) {
        json = try JSONValue(body, most: Self.maxBytes)
        sandbox = json["sandbox"] ?? .null
        let isOperation = sandbox["operation"].map { $0 != .null } ?? false
        // A capture's or refund's answer is the payment that it belongs to.
        guard isOperation || json["unique_id"]?.text == attempt.rawValue else {
            throw Self.unreadable("The answer is about another attempt.")
        }
    }

    static func unreadable(_ message: String) -> HostFailure {
        HostFailure(.unreadable, isCertainlyNotSent: false, message: message)
    }

    // MARK: answers to requests

    /// The answer to an authorisation or an advice.
    func booking(_ request: HostRequest) throws(HostFailure) -> HostReply {
        try checkPayment(request)
        let state = try state()
        // An authorisation alone books nothing.
        guard request.request.kind == .authorisation || (state != .authorized && state != .preauthorized) else {
            throw Self.unreadable("The purchase is authorised, and not booked.")
        }
        switch state {
        case .approved, .authorized, .preauthorized:
            return .approved(
                HostApproval(
                    reference: reference, needsSignature: AcceptWire.needsSignature(request),
                    forCard: try issuerData()))
        case .rejected:
            return .declined(
                HostDecline(reason: reason, isReferral: isReferral, forCard: try issuerData()))
        // It was booked and is no more: the request was a late copy.
        case .refunded, .reversed: return .status(try status(request))
        }
    }

    /// The answer to a completion, or to a signature.
    func certificate(_ request: HostRequest) throws(HostFailure) -> HostReply {
        try checkPayment(request)
        switch try state() {
        case .approved, .authorized, .preauthorized, .refunded: return .acknowledged
        case .rejected: return .status(.declined(reason))
        case .reversed: return .status(.reversed)
        }
    }

    /// The answer to a capture or a refund.
    func part(_ request: HostRequest) throws(HostFailure) -> HostReply {
        switch try partStatus(request) {
        case .approved(let reference): return .approved(HostApproval(reference: reference))
        case let other: return .status(other)
        }
    }

    /// The answer to a reversal: the state after it.
    func reversal(_ request: HostRequest) throws(HostFailure) -> HostReply {
        switch try status(request) {
        case .reversed: return .acknowledged
        case .nothingBooked: return .notFound
        case .declined(let reason): return .status(.declined(reason))
        case .otherPayment: return .status(.otherPayment)
        case .approved, .pending: throw Self.unreadable("The payment is not reversed.")
        }
    }

    /// The answer to an enquiry, or the state in another answer.
    func status(_ request: HostRequest) throws(HostFailure) -> HostStatus {
        if let isKnown = sandbox["known"] {
            guard isKnown == .flag(false), json["unique_id"]?.text == request.attempt.rawValue,
                case .flag(let isClosed)? = sandbox["closed"]
            else {
                throw Self.unreadable("The answer contradicts itself.")
            }
            // Nothing is booked for a closed identifier, and nothing will be.
            return isClosed ? .reversed : .nothingBooked
        }
        guard request.request.kind.paysSale else { return try partStatus(request) }
        if try isOperation(request.attempt) { return .otherPayment }
        guard try isPayment(of: request) else { return .otherPayment }
        return switch try state() {
        case .approved, .authorized, .preauthorized, .refunded: .approved(reference)
        case .rejected: .declined(reason)
        case .reversed: .reversed
        }
    }

    private func partStatus(_ request: HostRequest) throws(HostFailure) -> HostStatus {
        let kind: String
        let original: AttemptIdentifier
        switch request.request.kind {
        case .capture(let identifier): (kind, original) = ("capture", identifier)
        case .refund(let identifier): (kind, original) = ("refund", identifier)
        case .purchase, .authorisation, .cash: throw Self.unreadable("The answer is about a part of another payment.")
        }
        guard try isOperation(request.attempt) else {
            _ = try state()
            return .otherPayment
        }
        let amount = try WireAmount(request.request.amount)
        guard let operation = sandbox["operation"], let found = operation["kind"]?.text,
            let payment = json["unique_id"]?.text, let currency = json["currency"]?.text,
            let hundredths = operation["amount"]?.wholeNumber, case .flag(let isReversed)? = operation["reversed"]
        else { throw Self.unreadable("The answer contradicts itself.") }
        guard found == kind, payment == original.rawValue, currency == amount.currency, hundredths == amount.hundredths
        else { return .otherPayment }
        return isReversed ? .reversed : .approved(reference)
    }

    /// Whether the identifier is that of a capture or a refund of the payment.
    /// - Throws: `HostFailure`, `unreadable`, if it is that of another one.
    private func isOperation(_ attempt: AttemptIdentifier) throws(HostFailure) -> Bool {
        guard let operation = sandbox["operation"], operation != .null else { return false }
        guard operation["unique_id"]?.text == attempt.rawValue else {
            throw Self.unreadable("The answer is about another attempt.")
        }
        return true
    }

    // MARK: members of an answer

    /// The states that the sandbox uses, of those in the headers of the iOS SDK.
    private enum State: String {
        case approved, authorized, preauthorized, rejected, refunded, reversed
    }

    private func state() throws(HostFailure) -> State {
        guard let state = json["state"]?.text.flatMap({ State(rawValue: $0) }) else {
            throw Self.unreadable("The state of the payment is not known.")
        }
        return state
    }

    /// Checks that the payment is that of the request.
    private func checkPayment(_ request: HostRequest) throws(HostFailure) {
        guard try isPayment(of: request) else { throw Self.unreadable("The answer is about another request.") }
    }

    /// Whether the payment, which has the attempt's identifier, has the amount, the currency and the kind of its request.
    /// - Throws: `HostFailure`, `unreadable`, if the answer does not have these.
    private func isPayment(of request: HostRequest) throws(HostFailure) -> Bool {
        let wanted = try WireAmount(request.request.amount)
        // Purchases have no type in version 3.
        guard json["unique_id"]?.text == request.attempt.rawValue, let amount = json["amount"]?.wholeNumber,
            let currency = json["currency"]?.text, let type = (json["transaction_type"] ?? .text("purchase")).text,
            sandbox["operation"] ?? .null == .null
        else { throw Self.unreadable("The answer is about another request.") }
        let isCash = json[AcceptWire.methodMember]?.text == AcceptWire.cash
        return amount == wanted.hundredths && currency == wanted.currency && isCash == (request.request.kind == .cash)
            && type == AcceptWire.transactionType(of: request.request)
    }

    private var reference: HostReference? { json["guwid"]?.text.flatMap { HostReference(rawValue: $0) } }

    private var reason: ReasonText {
        let parts = [json["error_code"]?.text ?? "", json["error_message"]?.text ?? ""]
        return ReasonText(parts.filter { !$0.isEmpty }.joined(separator: ": "))
    }

    /// Whether the issuer wants a call: 01 and 02 of ISO 8583:1987, field 39.
    private var isReferral: Bool { ["01", "02"].contains(json["error_code"]?.text ?? "") }

    /// The issuer's data for the card: 8A, 91, 71 and 72 in BER-TLV; empty without any.
    private func issuerData() throws(HostFailure) -> HTTPBody {
        guard let member = sandbox["issuer_response"], member != .null else { return HTTPBody() }
        guard let digits = member.text, digits.utf8.count <= 2 * Self.maxIssuerBytes else {
            throw Self.unreadable("The issuer's data is too long.")
        }
        var octets: [UInt8] = []
        do throws(HexadecimalError) { try Array(digits.utf8).span.decodeHexadecimal { octets.append($0) } } catch {
            throw Self.unreadable("The issuer's data is not hexadecimal.")
        }
        return HTTPBody(copying: octets.span)
    }
}

extension JSONValue {
    /// Reads the body of an answer.
    /// - Throws: `HostFailure`, `unreadable`, if it is not JSON, too deep or too large.
    init(_ body: HTTPBody, most: Int) throws(HostFailure) {
        guard body.count <= most else {
            throw PaymentView.unreadable("\(body.count) bytes of an answer; the maximum is \(most).")
        }
        do throws(Fault) {
            self = try body.withBytes { (bytes) throws(Fault) in try JSONValue(Array(span: bytes), most: most) }
        } catch {
            throw PaymentView.unreadable("The answer is not JSON: \(error.code.rawValue).")
        }
    }

    /// The number, if it is whole and exact: 0 to 2^53.
    var wholeNumber: UInt64? {
        guard let number, (0...9_007_199_254_740_992).contains(number) else { return nil }
        return UInt64(exactly: number)
    }
}
