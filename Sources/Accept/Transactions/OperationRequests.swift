import JackdawEMV
import JackdawPayments

/// The requests about a payment that the payment service does not send. Paths are those of the Android archive, except
/// that of the payment itself, which is the sandbox's.
struct OperationRequests: Sendable {
    /// The path before that of a route.
    let basePath: String

    func payment(_ name: AttemptIdentifier) -> HTTPRequest {
        HTTPRequest(.get, path(name), headers: AcceptWire.headers)
    }

    /// A person's decision is a `void`, as in ``AcceptWire``.
    func reversal(_ name: AttemptIdentifier, note: String) -> HTTPRequest {
        var form = AcceptForm()
        form.add("fnc_type", "void")
        form.add("note", note)
        return request(.post, "\(basePath)/payments/\(name.rawValue.percentEncoded)/reverse.json", form)
    }

    func update(_ name: AttemptIdentifier, _ form: AcceptForm) -> HTTPRequest { request(.put, path(name), form) }

    private func path(_ name: AttemptIdentifier) -> String {
        "\(basePath)/payments/\(name.rawValue.percentEncoded).json"
    }

    private func request(_ method: HTTPRequest.Method, _ path: String, _ form: AcceptForm) -> HTTPRequest {
        HTTPRequest(method, path, headers: AcceptWire.headers + [AcceptWire.formType], body: form.body)
    }
}

extension AcceptCall {
    static let operation = AcceptCall(
        tokenExpired: .pay(.tokenExpired), noConnection: .pay(.payConnection), unprocessable: .operationNotAllowed)

    /// The error of an answer about a payment.
    static func operationError(_ answer: HTTPAnswer) -> AcceptError {
        guard answer.status == 404 else { return operation.error(answer) }
        return AcceptError(.paymentNotFound, "The host has no payment with this identifier.")
    }
}

extension AcceptError {
    /// The error of an attempt whose outcome is not known.
    static func lost(_ attempt: AttemptIdentifier, _ message: String) -> AcceptError {
        var error = AcceptError(.pay(.responseLost), message)
        error.attempt = attempt.rawValue
        return error
    }
}

/// The decisions of operations on payments.
enum OperationRules {
    /// Checks that the amount of a reversal, if there is one, is the whole payment.
    static func checkReversal(of whole: AcceptHundredths, amount: AcceptHundredths?) throws(AcceptError) {
        guard amount == nil || amount == whole else {
            throw AcceptError(.amountInvalid, "A reversal takes the whole payment back; a refund takes a part.")
        }
    }

    /// Checks that a payment can be reversed: it is approved or reserved, and that was not more than 24 hours ago. Without
    /// a date the host decides.
    static func checkReversal(of payment: AcceptTransaction, on date: RecordedTime?) throws(AcceptError) {
        guard [.approved, .authorized, .preauthorized].contains(payment.status) else {
            throw AcceptError(.operationNotAllowed, "The payment is \(payment.status.rawValue).")
        }
        guard let date, let created = TransactionTime.seconds(payment.createdAt) else { return }
        guard date.seconds - created < TransactionTime.reversalPeriod else {
            throw AcceptError(.reversalTooLate, "A payment can be reversed for 24 hours; a refund is possible.")
        }
    }

    /// Checks that a payment whose terminal has a host of its own was not approved more than 24 hours ago.
    static func checkReversal(of record: AttemptRecord, on date: RecordedTime?) throws(AcceptError) {
        guard record.state == .approved, let date,
            date.seconds - (record.approved ?? record.began).seconds >= TransactionTime.reversalPeriod
        else { return }
        throw AcceptError(.reversalTooLate, "A payment can be reversed for 24 hours.")
    }

    /// The amount that a refund or a capture can take.
    static func left(of payment: AcceptTransaction, isRefund: Bool) -> AcceptHundredths {
        guard isRefund else { return payment.amount }
        if let booked = payment.bookedAmount { return booked }
        let refunded = payment.refunds.filter { !$0.isReversed }.reduce(0) { $0 + $1.amount.rawValue }
        return AcceptHundredths(rawValue: payment.amount.rawValue - refunded)
    }

    /// A part of a payment in its currency.
    static func amount(
        _ hundredths: AcceptHundredths, of payment: AcceptTransaction
    ) throws(AcceptError) -> Amount {
        guard let currency = Currency.find(alphabeticCode: payment.currency) else {
            throw AcceptError(.answerUnreadable, "The payment has no currency of ISO 4217.")
        }
        guard hundredths > 0, let units = hundredths.minorUnits(of: currency), units <= Amount.maxNumeric else {
            throw AcceptError(.amountInvalid, "\(hundredths) \(payment.currency) is no amount for this operation.")
        }
        return Amount(minorUnits: units, currencyCode: currency.numericCode)
    }

    /// The error of a call that the payment desk refused.
    static func error(_ refusal: DeskRefusal) -> AcceptError {
        switch refusal.code {
        case .unknownAttempt: AcceptError(.paymentNotFound, "The journal has no payment with this identifier.")
        case .originalNotApproved:
            AcceptError(.operationNotAllowed, "The payment is not approved, or of the wrong kind for the operation.")
        case .hasParts:
            AcceptError(.operationNotAllowed, "The payment is captured or refunded: refund what is left.")
        case .salePaid: AcceptError(.operationNotAllowed, "The sale is paid, or the payment is captured.")
        case .amountExceeded: AcceptError(.amountExceeded, "The amount exceeds that of the payment.")
        case .saleInProgress: AcceptError(.saleInProgress, "Another attempt of the sale is not over.")
        case .identifierUsed: AcceptError(.identifierUsed, "The identifier belongs to another request.")
        case .journalFailed: AcceptError(.journalFailed, "The journal could not be read or written.")
        case .notWritable: AcceptError(.configurationInvalid, refusal.reason?.text ?? "The host has no such request.")
        default: AcceptError(.notRunning, "The payment service does not run: \(refusal.code.name).")
        }
    }

    /// The error of a refund or a capture that has ended; nil if it is approved.
    static func error(_ report: AttemptReport) -> AcceptError? {
        let reason = report.reason?.text ?? ""
        switch report.state {
        case .approved: return nil
        case .unknown, .reversing, .open, .asked:
            return .lost(
                report.attempt,
                "The outcome of \(report.attempt) is not known yet. The till goes on asking; see its status.")
        case .needsAttention: return AcceptError(.needsAttention, "Ask the host's operator. \(reason)")
        case .declined, .cancelled, .failed, .reversed:
            return AcceptError(.pay(.transactionNotApproved), "The host did not book it. \(reason)")
        }
    }
}
