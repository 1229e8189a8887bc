import JackdawEMV

/// A reason for the course of a payment: a code for programs, and a text for people. It has no card data.
///
/// | code | from |
/// |---|---|
/// | `oda.none`, `oda.sda`, `oda.dda`, `oda.cda` | the method of offline data authentication; with a failure also its code: `oda.dda.hash` |
/// | `cvm.signature` and others | the verification of the cardholder; `cvm.failed` if it failed |
/// | `denial.expired_application` and others | a bit of the TVR in the Denial, Online or Default action codes |
/// | `terminal.online_only`, `terminal.default_skipped` | the terminal's type decided instead of action codes |
/// | `card.arqc`, `card.aac` and others | the card's cryptogram, if it is not of the type that the terminal requested |
/// | `card.refuses_application` and others | the card refused the application or the service |
/// | `reader.expired` and others | a rule of a contactless reader |
/// | `issuer.funds` and others | the issuer's reason not to approve (``IssuerReason``) |
/// | `issuer_authentication.failed`, `script.failed` | the card refused the issuer's data or command |
/// | `kernel.missing.8C` and others | the kernel broke the transaction off (`KernelTermination`) |
/// | `app_blocked`, `timer` and others | an event of the payment (`PaymentEvent`) |
public struct PaymentReason: Sendable, Hashable, CustomStringConvertible {
    /// The code, for programs.
    public let code: String
    /// One line for a person.
    public let text: String

    init(_ code: String, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The same as `text`.
    public var description: String { text }
}

extension PaymentReason {
    /// Nil if the event is no reason.
    init?(_ event: PaymentEvent) {
        guard let text = event.reason else { return nil }
        self.init(event.rawValue, text)
    }

    init(_ reason: IssuerReason) {
        self.init("issuer.\(reason.rawValue)", "the issuer does not approve: \(reason.text)")
    }

    init(_ termination: KernelTermination) {
        let tag = termination.tag.map { ".\($0)" } ?? ""
        self.init("kernel.\(termination.code.name)\(tag)", "the transaction is broken off: \(termination)")
    }

    fileprivate static func authentication(_ report: AuthenticationReport) -> PaymentReason {
        guard let method = report.method else {
            return PaymentReason("oda.none", "no offline data authentication: \(report.text)")
        }
        let code = "oda.\(method.rawValue.lowercased())"
        guard let failure = report.failure else {
            return PaymentReason(code, "offline data authentication by \(method.rawValue)")
        }
        return PaymentReason("\(code).\(failure.code.name)", failure.description)
    }

    fileprivate static func verification(_ report: CardholderVerificationReport) -> PaymentReason? {
        guard !report.tvr.contains(.cardholderVerificationFailed) else {
            return PaymentReason("cvm.failed", "the cardholder is not verified")
        }
        guard let method = report.results?.method else { return nil }
        guard method.kind != .unavailable else {
            return PaymentReason("cvm.none", "no method of cardholder verification applies")
        }
        return PaymentReason("cvm.\(method.kind.rawValue)", "cardholder verification: \(method.text)")
    }

    /// The bits of action codes that decided.
    fileprivate static func action(_ action: TerminalAction) -> [PaymentReason] {
        switch action.reason {
        case .denial(let bits): bits.namedBits.map { PaymentReason("denial.\($0.name)", "declined: \($0.text)") }
        case .online(let bits): bits.namedBits.map { PaymentReason("online.\($0.name)", "goes online: \($0.text)") }
        case .default(let bits):
            bits.namedBits.map { PaymentReason("default.\($0.name)", "declined without the issuer: \($0.text)") }
        case .onlineOnly: [PaymentReason("terminal.online_only", "the terminal is online-only")]
        case .defaultSkipped: [PaymentReason("terminal.default_skipped", "declined without the issuer")]
        case .noMatch: []
        }
    }

    /// The card's cryptogram, if the terminal requested another one.
    fileprivate static func cryptogram(
        _ information: CryptogramInformation, for requested: CryptogramType
    ) -> PaymentReason? {
        guard information.type != requested else { return nil }
        return switch information.type {
        case .aac?: PaymentReason("card.aac", "the card declined")
        case .arqc?: PaymentReason("card.arqc", "the card wants the issuer to decide")
        case .tc?: PaymentReason("card.tc", "the card approved what the terminal did not request")
        case nil: PaymentReason("card.reserved", "the card returned a cryptogram of the reserved type")
        }
    }
}

// MARK: - the reasons of a till

/// The reasons for the course of a payment, in their order and each once.
struct PaymentReasons: Sendable {
    private(set) var all: [PaymentReason] = []
    /// The type of the cryptogram that the terminal requested last.
    var requestedType: CryptogramType?

    /// Adds a reason, unless it is there.
    mutating func add(_ reason: PaymentReason?) {
        if let reason, !all.contains(reason) { all.append(reason) }
    }

    /// Adds an event, if it is a reason.
    mutating func add(event: PaymentEvent) {
        add(PaymentReason(event))
    }

    mutating func addReasons(of step: KernelStep) {
        switch step {
        case .offlineAuthentication(let report): add(.authentication(report))
        case .cardholderVerification(let report): add(.verification(report))
        case .actionAnalysis(let action): for reason in PaymentReason.action(action) { add(reason) }
        case .cryptogramRequest(let type, _, _, _): requestedType = type
        case .firstCryptogram(let information, _), .secondCryptogram(let information, _):
            if let requestedType { add(.cryptogram(information, for: requestedType)) }
        case .issuerAuthentication(let status):
            guard status != .success else { return }
            add(PaymentReason("issuer_authentication.failed", step.text))
        case .script(let result):
            guard result.outcome != .successful else { return }
            add(PaymentReason("script.failed", step.text))
        case .processingOptions, .record, .restrictions, .riskManagement, .host, .ignored: break
        }
    }

    mutating func addReasons(of outcome: KernelOutcome) {
        switch outcome.disposition {
        case .terminated(let reason): add(PaymentReason(reason))
        case .selectAnother:
            add(PaymentReason("card.refuses_application", "the card does not allow this application"))
        case .notAccepted: add(PaymentReason("card.refuses_service", "the card does not allow the service"))
        case .approved, .declined: break
        }
    }

    mutating func addReasons(of step: ContactlessStep) {
        switch step {
        case .offlineAuthentication(let report): add(.authentication(report))
        case .verification(let method, let report):
            if let report, report.tvr.contains(.cardholderVerificationFailed) {
                add(.verification(report))
            } else {
                add(PaymentReason("cvm.\(method.rawValue)", ContactlessStep.verification(method, nil).text))
            }
        case .actionAnalysis(let action): for reason in PaymentReason.action(action) { add(reason) }
        case .cryptogramRequest(let type, _, _): requestedType = type
        case .cryptogram(let information):
            // A Visa-style card is not asked for a type.
            add(.cryptogram(information, for: requestedType ?? information.type.map { max($0, .arqc) } ?? .tc))
        case .rule(let rule): add(PaymentReason("reader.\(rule.name)", rule.text))
        case .ending(let reason): add(reason.paymentReason)
        case .preprocessing, .processingOptions, .record, .restrictions, .ignored: break
        }
    }
}

extension ContactlessRule {
    /// The name in codes.
    fileprivate var name: String {
        switch self {
        case .unknownCryptogram: "unknown_cryptogram"
        case .onlineRequired: "online_required"
        case .expired: "expired"
        case .onExceptionFile: "on_exception_file"
        case .cashNotAllowed: "cash_not_allowed"
        case .cashbackNotAllowed: "cashback_not_allowed"
        case .notAuthenticated: "not_authenticated"
        case .onlinePIN: "online_pin"
        case .deviceNotTrusted: "device_not_trusted"
        case .notVerified: "not_verified"
        }
    }
}

extension ContactlessReason {
    /// The reason; nil if a step before it has the reason, or an event follows.
    fileprivate var paymentReason: PaymentReason? {
        switch self {
        case .amountNotAllowed: PaymentReason("reader.amount_not_allowed", text)
        case .transactionLimit: PaymentReason("reader.transaction_limit", text)
        case .notCovered: PaymentReason("reader.not_covered", text)
        case .refused(let status): PaymentReason("card.refuses.\(status)", text)
        case .terminated(let reason): PaymentReason(reason)
        case .authentication(let failure): PaymentReason("oda.cda.\(failure.code.name)", failure.description)
        case .deviceInteraction, .rule: nil
        }
    }
}

extension PaymentEvent {
    /// The event as a reason, for people; nil of events that every payment has, and of those that other reasons explain.
    fileprivate var reason: String? {
        switch self {
        case .cancelled: "the merchant cancelled"
        case .timer: "a time limit passed"
        case .crash: "the program was killed"
        case .preparationFailed: "the reader could not be prepared"
        case .linkLost: "the link to the reader was lost"
        case .cardRemoved: "the card was removed"
        case .chipCardSwiped: "a card with a chip was swiped"
        case .swipeUnreadable: "the stripe cannot be read"
        case .noCommonApplication: "card and terminal have no application in common"
        case .cardBlocked: "the card is blocked"
        case .applicationBlocked: "the application is blocked"
        case .chipUnreadable: "the chip cannot be read"
        case .tapAgain: "the card must be tapped again"
        case .tapOtherInterface: "the card must be inserted or swiped"
        case .tapSeePhone: "the cardholder must confirm on the device"
        case .tapMultipleCards: "more than one card is in the field"
        case .tapEnded: "the tap cannot go on"
        case .pinWrong: "the PIN is wrong"
        case .pinCancelled: "the cardholder cancelled"
        case .hostReferred: "the merchant must call the issuer"
        case .hostUnreachable: "the issuer cannot be reached"
        case .hostAnswerUnreadable: "the issuer's answer cannot be read"
        case .readerSignatureRejected, .signatureRejected: "the signature was rejected"
        case .signatureRefused: "the cardholder did not sign"
        case .start, .amountChanged, .recovered, .prepared, .cardInserted, .cardSwiped, .cardTapped,
            .applicationsFound, .applicationChosen, .applicationChoiceInvalid, .kernelFailed, .pinRequested,
            .pinEntered, .pinTriesExceeded, .pinBypassed, .firstTC, .firstTCWithSignature, .firstAAC, .firstARQC,
            .hostApproved, .hostApprovedWithSignature, .hostDeclined, .hostAnsweredLate, .readerSignatureRequested,
            .readerSignatureAccepted, .secondTC, .secondTCWithSignature, .secondAAC, .signatureCaptured,
            .signatureAccepted, .recordStored, .answeredLate:
            nil
        }
    }
}

extension IssuerReason {
    /// The reason, for people.
    fileprivate var text: String {
        switch self {
        case .rule: "a rule of its file"
        case .malformed: "an object of the message is missing or malformed"
        case .currency: "another currency"
        case .unknownAccount: "it does not know the account"
        case .status: "the card is lost, stolen, expired or restricted"
        case .noKeys: "it has no keys for the card"
        case .cryptogram: "the cryptogram is wrong"
        case .counter: "the card's counter was used before"
        case .pin: "the PIN is wrong"
        case .pinTries: "the PIN has no tries left"
        case .limit: "the amount exceeds a limit"
        case .funds: "the account has not enough money"
        case .closedBefore: "the payment was closed before"
        default: rawValue
        }
    }
}
