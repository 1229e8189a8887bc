// Cardholder verification: EMV Book 3, section 10.5, and Book 4, section 6.3.4.

/// The evaluation of a card's CVM list: a machine that asks for PINs and ends with the CVM Results and the reasons.
///
/// ```swift
/// var verification = CardholderVerification(rules)
/// var step = verification.start()
/// while case .request(let request) = step { step = verification.receive(answer(to: request)) }
/// ```
public struct CardholderVerification: Sendable {
    /// The facts on which the rules depend.
    public struct Situation: Sendable {
        /// The functions of the terminal, of which octet 2 matters.
        public var capabilities: TerminalCapabilities
        /// The kind of transaction.
        public var type: TransactionType
        /// Whether an attendant operates the terminal.
        public var isAttended: Bool
        /// The amount authorised, in minor units.
        public var amount: UInt64
        /// The part of the amount that is cashback, in minor units.
        public var otherAmount: UInt64
        /// Whether the amount is in the card's application currency (9F42). False if the card names none.
        public var isInApplicationCurrency: Bool
        /// Whether the PIN pad is present and works.
        public var isPINPadWorking: Bool

        /// - Parameters:
        ///   - capabilities: the functions of the terminal.
        ///   - type: the kind of transaction.
        ///   - isAttended: whether an attendant operates the terminal.
        ///   - amount: minor units.
        ///   - otherAmount: the part of the amount that is cashback, in minor units.
        ///   - isInApplicationCurrency: whether the amount is in the card's application currency.
        ///   - isPINPadWorking: Default: true.
        public init(
            capabilities: TerminalCapabilities, type: TransactionType, isAttended: Bool, amount: UInt64,
            otherAmount: UInt64, isInApplicationCurrency: Bool, isPINPadWorking: Bool = true
        ) {
            self.capabilities = capabilities
            self.type = type
            self.isAttended = isAttended
            self.amount = amount
            self.otherAmount = otherAmount
            self.isInApplicationCurrency = isInApplicationCurrency
            self.isPINPadWorking = isPINPadWorking
        }
    }

    /// A question of the machine.
    public enum Request: Sendable, Hashable {
        /// Read the PIN try counter (9F17) by GET DATA.
        case tryCounter
        /// Have the cardholder enter a PIN and the card verify it.
        case offlinePIN(isEnciphered: Bool, triesLeft: Int?)
        /// Have the cardholder enter a PIN for the issuer.
        case onlinePIN
    }

    /// The answer to a request.
    public enum Answer: Sendable, Hashable {
        /// To ``Request/tryCounter``: the tries left; nil if the card does not return the counter.
        case tryCounter(Int?)
        /// To ``Request/offlinePIN(isEnciphered:triesLeft:)``: the status word of VERIFY, of a right or a wrong PIN.
        case pinCompared(StatusWord)
        /// To ``Request/offlinePIN(isEnciphered:triesLeft:)``: the PIN could not be enciphered, as the card's key is
        /// not valid.
        case notEnciphered
        /// To ``Request/onlinePIN``: the PIN was entered and enciphered for the issuer.
        case entered
        /// To a request for a PIN: cardholder or merchant bypassed the entry.
        case bypassed
        /// To a request for a PIN: the PIN pad does not work.
        case malfunction
    }

    /// A question, or the end.
    public enum Step: Sendable, Hashable {
        /// A question, which ``CardholderVerification/receive(_:)`` takes the answer to.
        case request(Request)
        /// The end of the evaluation, with its report.
        case finished(CardholderVerificationReport)
    }

    private let list: CardholderVerificationList?
    private let situation: Situation
    private var isPadWorking: Bool
    /// A bypass counts for all later PIN methods of the transaction (Book 4, 6.3.4.3).
    private var isBypassed = false
    private var index = -1
    /// The number of tries that the card reported last. Each wrong PIN must lower it.
    private var triesLeft: Int?
    /// The number of PINs that the card has compared.
    private var comparedCount = 0
    /// Once the number of tries does not decrease, no method has a PIN for the card entered.
    private var isCounterWrong = false
    /// The request that waits for its answer.
    private var open: Request?
    private var report = CardholderVerificationReport()
    private var attempted: CardholderVerificationList.Rule?

    /// The greatest number of PINs that the card compares: 63Cx, after the first one, reports at most 15 further tries.
    private static let maxCompared = 16

    /// - Parameters:
    ///   - list: the card's list (8E); nil if it has none.
    ///   - situation: the facts on which the rules depend.
    public init(_ list: CardholderVerificationList?, _ situation: Situation) {
        self.list = list
        self.situation = situation
        isPadWorking = situation.isPINPadWorking
    }

    /// Begins the evaluation with the first rule.
    public mutating func start() -> Step {
        guard let list, !list.rules.isEmpty else {
            report.tvr.insert(.iccDataMissing)
            return .finished(report)
        }
        report.isPerformed = true
        return next()
    }

    /// Goes on with the answer to the request that the last step was. An answer that does not fit returns the request
    /// again.
    public mutating func receive(_ answer: Answer) -> Step {
        guard let rules = list?.rules, rules.indices.contains(index), let request = open else {
            return .finished(report)
        }
        guard answer.fits(request) else { return .request(request) }
        open = nil
        let rule = rules[index]
        switch answer {
        case .tryCounter(let tries):
            triesLeft = tries
            if tries == 0 {
                note(.pinTryCounterZero)
                report.tvr.insert(.pinTryLimitExceeded)
                return failed(rule)
            }
            return askForOfflinePIN(rule)
        case .pinCompared(let status): return compared(status, rule)
        case .notEnciphered:
            note(.pinNotEnciphered)
            return failed(rule)
        case .entered:
            note(.onlinePIN)
            report.tvr.insert(.onlineCVMCaptured)
            return succeeded(rule, .unknown)
        case .bypassed:
            note(.pinBypassed)
            isBypassed = true
            report.tvr.insert(.pinNotEntered)
            return failed(rule)
        case .malfunction:
            isPadWorking = false
            return padFails(rule)
        }
    }

    // MARK: the rules of the list

    private mutating func next() -> Step {
        guard let list else { return .finished(report) }
        while index + 1 < list.rules.count {
            index += 1
            let rule = list.rules[index]
            guard isSatisfied(rule, of: list) else {
                note(.conditionNotSatisfied)
                continue
            }
            guard rule.method.isRecognised else {
                note(.unrecognised)
                report.tvr.insert(.unrecognisedCVM)
                if rule.method.continuesIfFailed { continue }
                return allFailed()
            }
            guard isSupported(rule.method.kind) else {
                note(.notSupported)
                if lacksPINPad(for: rule.method.kind) { report.tvr.insert(.pinPadNotPresentOrNotWorking) }
                if rule.method.continuesIfFailed { continue }
                return allFailed()
            }
            return perform(rule)
        }
        return allFailed()
    }

    private mutating func perform(_ rule: CardholderVerificationList.Rule) -> Step {
        switch rule.method.kind {
        case .fail:
            note(.failCVM)
            attempted = rule
            return allFailed()
        case .signature:
            note(.signature)
            report.isSignatureRequired = true
            return succeeded(rule, .unknown)
        case .noCVM:
            note(.noCVM)
            return succeeded(rule, .successful)
        case .encipheredPINOnline:
            if isBypassed { return failed(rule) }
            return isPadWorking ? ask(.onlinePIN) : padFails(rule)
        case .plaintextPIN, .plaintextPINAndSignature, .encipheredPIN, .encipheredPINAndSignature:
            if isBypassed || isCounterWrong { return failed(rule) }
            guard comparedCount < Self.maxCompared else { return counterIsWrong(rule) }
            return isPadWorking ? ask(.tryCounter) : padFails(rule)
        case .unavailable, .paymentSystemReserved, .issuerReserved, .reserved: return failed(rule)
        }
    }

    private mutating func ask(_ request: Request) -> Step {
        open = request
        return .request(request)
    }

    private mutating func askForOfflinePIN(_ rule: CardholderVerificationList.Rule) -> Step {
        let isEnciphered = rule.method.kind == .encipheredPIN || rule.method.kind == .encipheredPINAndSignature
        return ask(.offlinePIN(isEnciphered: isEnciphered, triesLeft: triesLeft))
    }

    private mutating func compared(_ status: StatusWord, _ rule: CardholderVerificationList.Rule) -> Step {
        note(.pinCompared(status))
        comparedCount += 1
        switch status {
        case .success:
            let kind = rule.method.kind
            guard kind == .plaintextPINAndSignature || kind == .encipheredPINAndSignature else {
                return succeeded(rule, .successful)
            }
            note(.signature)
            report.isSignatureRequired = true
            return succeeded(rule, .unknown)
        case .authenticationBlocked, .referenceDataInvalidated:
            report.tvr.insert(.pinTryLimitExceeded)
            return failed(rule)
        default:
            guard let tries = status.triesLeft else {
                report = CardholderVerificationReport(terminatedBy: status, events: report.events)
                return .finished(report)
            }
            guard comparedCount < Self.maxCompared || tries == 0, triesLeft.map({ tries < $0 }) ?? true else {
                return counterIsWrong(rule)
            }
            triesLeft = tries
            guard tries == 0 else { return askForOfflinePIN(rule) }
            report.tvr.insert(.pinTryLimitExceeded)
            return failed(rule)
        }
    }

    /// Ends a method whose PIN try counter does not decrease: the card could ask for PINs without end.
    private mutating func counterIsWrong(_ rule: CardholderVerificationList.Rule) -> Step {
        note(.pinTryCounterNotDecreasing)
        isCounterWrong = true
        return failed(rule)
    }

    private mutating func padFails(_ rule: CardholderVerificationList.Rule) -> Step {
        note(.pinPadMalfunction)
        report.tvr.insert(.pinPadNotPresentOrNotWorking)
        return failed(rule)
    }

    // MARK: the ends of the evaluation

    private mutating func succeeded(
        _ rule: CardholderVerificationList.Rule, _ result: CardholderVerificationResults.Outcome
    ) -> Step {
        report.results = CardholderVerificationResults(
            method: rule.method, condition: rule.condition, outcome: result)
        return .finished(report)
    }

    private mutating func failed(_ rule: CardholderVerificationList.Rule) -> Step {
        attempted = rule
        return rule.method.continuesIfFailed ? next() : allFailed()
    }

    private mutating func allFailed() -> Step {
        report.tvr.insert(.cardholderVerificationFailed)
        report.results =
            attempted.map {
                CardholderVerificationResults(method: $0.method, condition: $0.condition, outcome: .failed)
            }
            ?? .none(.failed)
        return .finished(report)
    }

    private mutating func note(_ decision: CardholderVerificationReport.Event.Decision) {
        guard let rule = list?.rules[index] else { return }
        report.events.append(CardholderVerificationReport.Event(index: index, rule: rule, decision: decision))
    }

    // MARK: conditions and methods

    private func isSatisfied(_ rule: CardholderVerificationList.Rule, of list: CardholderVerificationList) -> Bool {
        let amount = situation.amount
        let type = situation.type
        let hasCashback = !type.isCash && type.hasCashback(situation.otherAmount)
        return switch rule.condition.kind {
        case .always: true
        case .unattendedCash: type.isCash && !situation.isAttended
        case .notCashOrCashback: !type.isCash && !hasCashback
        case .terminalSupports: isSupported(rule.method.kind)
        case .manualCash: type.isCash && situation.isAttended
        case .purchaseWithCashback: hasCashback
        case .underX: situation.isInApplicationCurrency && amount < list.x
        case .overX: situation.isInApplicationCurrency && amount > list.x
        case .underY: situation.isInApplicationCurrency && amount < list.y
        case .overY: situation.isInApplicationCurrency && amount > list.y
        case .paymentSystem, .reserved: false
        }
    }

    private func isSupported(_ method: CardholderVerificationMethod.Kind) -> Bool {
        let capabilities = situation.capabilities
        return switch method {
        case .fail: true
        case .plaintextPIN: capabilities.contains(.plaintextPINOffline)
        case .encipheredPINOnline: capabilities.contains(.encipheredPINOnline)
        case .plaintextPINAndSignature: capabilities.isSuperset(of: [.plaintextPINOffline, .signature])
        case .encipheredPIN: capabilities.contains(.encipheredPINOffline)
        case .encipheredPINAndSignature: capabilities.isSuperset(of: [.encipheredPINOffline, .signature])
        case .signature: capabilities.contains(.signature)
        case .noCVM: capabilities.contains(.noCVM)
        case .unavailable, .paymentSystemReserved, .issuerReserved, .reserved: false
        }
    }

    /// Whether the terminal has no PIN entry of the kind: offline PIN of neither form, or no online PIN (Book 3, 10.5.1
    /// and 10.5.2).
    private func lacksPINPad(for method: CardholderVerificationMethod.Kind) -> Bool {
        switch method {
        case .encipheredPINOnline: true
        case .plaintextPIN, .plaintextPINAndSignature, .encipheredPIN, .encipheredPINAndSignature:
            situation.capabilities.isDisjoint(with: [.plaintextPINOffline, .encipheredPINOffline])
        default: false
        }
    }
}

/// The result of cardholder verification, with the decision on each rule.
public struct CardholderVerificationReport: Sendable, Hashable {
    /// A decision on one rule of the list.
    public struct Event: Sendable, Hashable {
        /// The place of the rule in the list, from 0.
        public let index: Int
        /// The rule, as it is in the list.
        public let rule: CardholderVerificationList.Rule
        /// The decision on the rule, with its reason.
        public let decision: Decision

        /// A decision on a rule, with its reason.
        public enum Decision: Sendable, Hashable {
            /// The condition of the rule is not satisfied, or its data is missing: the next rule follows.
            case conditionNotSatisfied
            /// The terminal does not know the method.
            case unrecognised
            /// The terminal does not support the method.
            case notSupported
            /// The rule fails the verification.
            case failCVM
            /// The card has no PIN try left.
            case pinTryCounterZero
            /// The card reports as many PIN tries as before a wrong PIN, or more.
            case pinTryCounterNotDecreasing
            /// The card compared a PIN, and answered with this status word: 9000 if it was right.
            case pinCompared(StatusWord)
            /// The PIN could not be enciphered.
            case pinNotEnciphered
            /// The entry of the PIN was bypassed.
            case pinBypassed
            /// The PIN pad does not work.
            case pinPadMalfunction
            /// A PIN for the issuer was entered.
            case onlinePIN
            /// The cardholder must sign.
            case signature
            /// No verification is required.
            case noCVM
        }
    }

    /// Whether the list was processed, which the TSI shows.
    public internal(set) var isPerformed = false
    /// The CVM Results (9F34); nil if the transaction terminates.
    public internal(set) var results: CardholderVerificationResults? = .none(.unknown)
    /// The bits that the verification sets: octet 3, and "ICC data missing" if the card has no list.
    public internal(set) var tvr: TerminalVerificationResults = []
    /// Whether the cardholder must sign.
    public internal(set) var isSignatureRequired = false
    /// The status word of VERIFY that terminates the transaction; nil if none does.
    public internal(set) var termination: StatusWord?
    /// The decisions, in their order.
    public internal(set) var events: [Event] = []

    init() {}

    init(terminatedBy status: StatusWord, events: [Event]) {
        results = nil
        termination = status
        self.events = events
    }

    /// Whether a PIN for the issuer was captured.
    public var isOnlinePINCaptured: Bool { tvr.contains(.onlineCVMCaptured) }
}

extension CardholderVerification.Answer {
    /// Whether this can be the answer to a request.
    fileprivate func fits(_ request: CardholderVerification.Request) -> Bool {
        switch (request, self) {
        case (.tryCounter, .tryCounter), (.onlinePIN, .entered), (.offlinePIN, .pinCompared): true
        case (.offlinePIN, .notEnciphered), (.offlinePIN, .bypassed), (.offlinePIN, .malfunction): true
        case (.onlinePIN, .bypassed), (.onlinePIN, .malfunction): true
        default: false
        }
    }
}

extension CardholderVerificationMethod {
    /// Whether the terminal knows the method (Book 3, annex C3). Without biometrics it need not know the biometric ones,
    /// codes 06 to 0F (Book 3, 10.5.5).
    var isRecognised: Bool {
        switch kind {
        case .unavailable, .paymentSystemReserved, .issuerReserved, .reserved: false
        default: true
        }
    }
}

extension CardholderVerificationResults {
    /// The results if no method was performed: `3F00` with an outcome (Book 4, annex A4).
    static func none(_ outcome: Outcome) -> Self {
        Self(method: .init(rawValue: 0x3F), condition: .init(rawValue: 0x00), outcome: outcome)
    }
}
