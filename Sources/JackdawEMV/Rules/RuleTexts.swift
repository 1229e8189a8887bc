import JackdawBytes

// The reasons of the rules' results, for people. No text has card data.

extension TerminalVerificationResults {
    /// The meanings of the bits that are set.
    fileprivate var text: String { listed(namedBits.map { $0.text }) }
}

/// Parts of a text with commas between them.
private func listed(_ parts: [String]) -> String {
    var text = ""
    for part in parts { text += text.isEmpty ? part : ", \(part)" }
    return text
}

extension ProcessingRestrictionsReport.Finding {
    /// The restriction, for people.
    public var text: String {
        switch self {
        case .versionsDiffer(let card, let terminal):
            "the card has application version \(card.hexadecimal), the terminal \(terminal.hexadecimal)"
        case .terminalNotAllowed(let isATM):
            isATM ? "the card is not valid at ATMs" : "the card is valid at ATMs only"
        case .transactionNotAllowed(let type, let isDomestic):
            "the card does not allow \(type.text) \(isDomestic ? "in its own country" : "abroad")"
        case .cashbackNotAllowed(let isDomestic):
            "the card does not allow cashback \(isDomestic ? "in its own country" : "abroad")"
        case .notYetEffective: "the card is not valid yet"
        case .expired: "the card has expired"
        }
    }
}

extension TransactionType {
    /// The kind of transaction in the plural, for people.
    fileprivate var text: String {
        switch self {
        case .purchase: "purchases"
        case .cash: "withdrawals of cash"
        case .cashDisbursement: "cash disbursements"
        case .refund: "refunds"
        default: "transactions of type \(rawValue.hexadecimal)"
        }
    }
}

extension CardholderVerificationReport.Event {
    /// The rule and the decision, for people.
    public var text: String { "rule \(index + 1), \(rule.method.text): \(decision.text)" }
}

extension CardholderVerificationReport.Event.Decision {
    /// The decision, for people.
    public var text: String {
        switch self {
        case .conditionNotSatisfied: "the condition is not satisfied"
        case .unrecognised: "the terminal does not know the method"
        case .notSupported: "the terminal does not support the method"
        case .failCVM: "the rule fails the verification"
        case .pinTryCounterZero: "the card has no PIN try left"
        case .pinTryCounterNotDecreasing: "the card's number of PIN tries does not decrease"
        case .pinCompared(.success): "the card accepted the PIN"
        case .pinCompared(let status): "the card refused the PIN with status \(status)"
        case .pinNotEnciphered: "the PIN cannot be enciphered"
        case .pinBypassed: "the entry of the PIN was bypassed"
        case .pinPadMalfunction: "the PIN pad does not work"
        case .onlinePIN: "the issuer verifies the PIN"
        case .signature: "the cardholder signs"
        case .noCVM: "no verification is required"
        }
    }
}

extension TerminalRiskReport.Finding {
    /// The reason for which the issuer must decide, for people.
    public var text: String {
        switch self {
        case .floorLimitExceeded(let amount, 0, let limit): "\(amount) reaches the floor limit of \(limit)"
        case .floorLimitExceeded(let amount, let logged, let limit):
            "\(amount) and \(logged) of an earlier transaction reach the floor limit of \(limit)"
        case .randomlySelected(let number, let percentage): "random number \(number) of 99 is at most \(percentage)"
        case .countersUnusable: "the counters of the card cannot be used"
        case .lowerLimitExceeded(let count, let limit):
            "\(count) offline transactions exceed the lower limit of \(limit)"
        case .upperLimitExceeded(let count, let limit):
            "\(count) offline transactions exceed the upper limit of \(limit)"
        case .newCard: "the card has never been online"
        case .merchantForcedOnline: "the merchant asks the issuer"
        case .onExceptionFile: "the account is on the exception file"
        }
    }
}

extension TerminalAction {
    /// The request and its reason, for people.
    public var text: String { "\(request.name): \(reason.text)" }
}

extension TerminalAction.Reason {
    /// The reason, for people.
    public var text: String {
        switch self {
        case .denial(let bits): "denied for \(bits.text)"
        case .online(let bits): "the issuer decides for \(bits.text)"
        case .default(let bits): "denied by default for \(bits.text)"
        case .onlineOnly: "the terminal is online-only"
        case .defaultSkipped: "the online-only terminal declines if it cannot go online"
        case .noMatch: "no action code matches"
        }
    }
}

extension FirstCryptogramDecision {
    /// The decision, for people.
    public var text: String {
        switch action {
        case .approveOffline: "approved offline"
        case .declineOffline(isServiceNotAllowed: false): "declined offline"
        case .declineOffline(isServiceNotAllowed: true): "not accepted: the card does not allow the service"
        case .goOnline: "the issuer decides"
        case .terminate: "terminated: the card returned a type of cryptogram above the requested one"
        }
    }
}

extension SecondCryptogramDecision {
    /// The decision, for people.
    public var text: String {
        let decision = isApproved ? "approved" : "declined"
        return isReversalRequired ? "\(decision), and the host must be reversed" : decision
    }
}

extension IssuerScriptResult {
    /// The end of the script, for people.
    public var text: String {
        switch outcome {
        case .notPerformed: "not performed: the script is malformed, or the transaction ended before it"
        case .failed(let command, let status): "command \(command) failed with status \(status)"
        case .successful: "successful"
        }
    }
}
