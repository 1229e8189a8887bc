// The actions that a contactless kernel returns, and the texts of its steps.

/// An output of a contactless kernel. The caller carries out effects and answers each with its identifier; steps are
/// for observers.
public enum ContactlessAction: Sendable {
    /// A task for the caller: random octets, or a command to the card. At most one is open at a time.
    case effect(KernelEffect)
    /// A decision or an event of the kernel, with its reason.
    case step(ContactlessStep)
    /// The end of the transaction. Nothing follows it.
    case finished(ContactlessOutcome)
}

/// A thing that a contactless kernel has done, with the reason.
public enum ContactlessStep: Sendable {
    /// The amount was compared with the limits of the reader.
    case preprocessing(ContactlessPreprocessing)
    /// The card accepted the transaction.
    case processingOptions(ApplicationInterchangeProfile)
    /// A record was read.
    case record(ApplicationFileLocator.Record)
    /// Offline data authentication is done, or its objects were looked for.
    case offlineAuthentication(AuthenticationReport)
    /// The processing restrictions were checked (Mastercard).
    case restrictions(ProcessingRestrictionsReport)
    /// The verification of the cardholder was selected; the report is that of the card's CVM list, if it was processed.
    case verification(ContactlessOutcome.Verification, CardholderVerificationReport?)
    /// The terminal decided on the cryptogram (Mastercard).
    case actionAnalysis(TerminalAction)
    /// GENERATE AC is about to be sent, with these results (Mastercard).
    case cryptogramRequest(CryptogramType, isSigned: Bool, TerminalVerificationResults)
    /// The card returned its cryptogram.
    case cryptogram(CryptogramInformation)
    /// A rule of the reader decided (Visa).
    case rule(ContactlessRule)
    /// The transaction ends for this reason.
    case ending(ContactlessReason)
    /// An answer was ignored.
    case ignored(identifier: Int, IgnoredAnswer)
}

/// A rule of the reader for Visa-style cards that has decided (Book C-3, sections 5.4 to 5.7).
public enum ContactlessRule: Sendable, Hashable {
    /// The way in which the transaction goes on.
    public enum Consequence: String, Sendable, Hashable {
        /// The issuer decides on the transaction.
        case online
        /// The transaction is declined.
        case decline
        /// Another interface is tried.
        case otherInterface = "other_interface"
    }

    /// The card's cryptogram is of the reserved type.
    case unknownCryptogram
    /// The reader wants an online cryptogram, and the card returned a TC.
    case onlineRequired
    /// The card has expired, or states no expiry date.
    case expired(Consequence)
    /// The card is on the exception file.
    case onExceptionFile
    /// The card does not allow cash.
    case cashNotAllowed(Consequence)
    /// The card does not allow cashback.
    case cashbackNotAllowed(Consequence)
    /// Offline data authentication failed.
    case notAuthenticated(Consequence)
    /// The cardholder enters a PIN, which the issuer verifies.
    case onlinePIN
    /// The card's device says that it verified the cardholder, and does not prove it.
    case deviceNotTrusted
    /// The cardholder must be verified, and card and reader have no method in common.
    case notVerified

    /// The way in which the transaction goes on.
    public var consequence: Consequence {
        switch self {
        case .onlineRequired, .onlinePIN: .online
        case .unknownCryptogram, .onExceptionFile, .deviceNotTrusted, .notVerified: .decline
        case .expired(let consequence), .cashNotAllowed(let consequence), .cashbackNotAllowed(let consequence),
            .notAuthenticated(let consequence):
            consequence
        }
    }

    /// One line for a person.
    public var text: String {
        let reason =
            switch self {
            case .unknownCryptogram: "the cryptogram is of a reserved type"
            case .onlineRequired: "the reader wants an online cryptogram"
            case .expired: "the card has expired"
            case .onExceptionFile: "the card is on the exception file"
            case .cashNotAllowed: "the card does not allow cash"
            case .cashbackNotAllowed: "the card does not allow cashback"
            case .notAuthenticated: "offline data authentication failed"
            case .onlinePIN: "the issuer verifies a PIN"
            case .deviceNotTrusted: "the device does not prove that it verified the cardholder"
            case .notVerified: "the cardholder cannot be verified"
            }
        return switch consequence {
        case .online: "\(reason): the issuer decides"
        case .decline: "\(reason): declined"
        case .otherInterface: "\(reason): another interface is tried"
        }
    }
}

extension ContactlessStep {
    /// The thing that the kernel has done, with the reasons, one a line. No text has card data.
    public var text: String {
        switch self {
        case .preprocessing(let found): found.text
        case .processingOptions(let profile): KernelStep.processingOptions(profile).text
        case .record(let record): KernelStep.record(record).text
        case .offlineAuthentication(let report): KernelStep.offlineAuthentication(report).text
        case .restrictions(let report): KernelStep.restrictions(report).text
        case .verification(let method, nil): method.text
        case .verification(let method, let report?):
            "\(KernelStep.cardholderVerification(report).text)\n  \(method.text)"
        case .actionAnalysis(let action): KernelStep.actionAnalysis(action).text
        case .cryptogramRequest(let type, let isSigned, let tvr):
            KernelStep.cryptogramRequest(type, isSigned: isSigned, tvr, []).text
        case .cryptogram(let information): "the card answers \(information.type?.name ?? "a reserved type")"
        case .rule(let rule): rule.text
        case .ending(let reason): "the transaction ends: \(reason.text)"
        case .ignored(let identifier, let reason): KernelStep.ignored(identifier: identifier, reason).text
        }
    }
}

extension ContactlessPreprocessing {
    /// The limits that the amount reaches, for people, one a line.
    var text: String {
        var text = "contactless pre-processing"
        if isNotAllowed { text += "\n  the amount is not allowed" }
        if isZeroAmount { text += "\n  the amount is zero" }
        if requestsStatus { text += "\n  the state of the account is asked for" }
        if exceedsFloorLimit { text += "\n  the amount is above the floor limit" }
        if exceedsVerificationLimit { text += "\n  the cardholder must be verified" }
        return text
    }
}

extension ContactlessOutcome.Verification {
    /// The verification, for people.
    var text: String {
        switch self {
        case .notRequired: "no verification of the cardholder"
        case .signature: "the cardholder signs"
        case .onlinePIN: "the issuer verifies a PIN"
        case .onDevice: "the cardholder's device has verified"
        }
    }
}
