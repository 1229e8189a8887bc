#if Payments
import Accept
import JackdawConsole
import JackdawPayments
import JackdawStore
import JackdawTransport

extension CommandError {
    /// The error of a call of the SDK.
    init(_ error: AcceptError) {
        guard !error.isTokenExpired else {
            self.init(.unavailable, "the login has expired: run jackdaw-pay login")
            return
        }
        self.init(Self.status(error.code), error.description)
    }

    private static func status(_ code: AcceptError.Code) -> ExitStatus {
        switch code {
        case .common(.applicationConfigurationInvalid), .configurationInvalid, .basketInvalid, .amountInvalid,
            .amountOverflow, .gratuityNotAllowed, .contactInvalid, .currencyNotAccepted, .amountLimit:
            .usage
        case .common(.wrongUserNameOrPassword), .programRefused, .answerUnreadable: .badData
        case .paymentNotFound, .operationNotAllowed, .reversalTooLate, .amountExceeded, .identifierUsed,
            .pay(.transactionNotApproved), .common(.unsupportedFeature):
            .nothingFound
        case .pay(.responseLost), .needsAttention, .saleInProgress: .unsettled
        case .journalFailed: .inputOutput
        case .cancelled, .pay(.transactionTerminated): .interrupted
        default: .unavailable
        }
    }

    /// The error of a journal.
    init(_ error: JournalError) {
        let status: ExitStatus =
            switch error.code {
            case .inUse: .unavailable
            case .notPermitted: .noInput
            case .full, .system: .inputOutput
            default: .badData
            }
        self.init(status, "journal: \(error)")
    }

    /// The error of a call that the payment desk refused.
    init(_ refusal: DeskRefusal) {
        switch refusal.code {
        case .unknownAttempt: self.init(.nothingFound, "the journal has no payment with this identifier")
        case .attentionNotNeeded: self.init(.nothingFound, "no person must look at this payment")
        case .journalFailed: self.init(.inputOutput, "the journal cannot be read or written")
        default: self.init(.unavailable, "the payment service refuses the call: \(refusal.code.name)")
        }
    }

    /// The error of a file with a secret.
    init(_ error: SecretFileError) {
        let status: ExitStatus =
            switch error.code {
            case .missing, .notPrivate: .noInput
            case .tooLarge: .badData
            default: .inputOutput
            }
        self.init(status, error.description)
    }

    /// The error of the address of a host.
    init(_ error: HTTPFailure) {
        self.init(error.code == .invalidRequest ? .usage : .unavailable, error.message)
    }

    /// The error of a link, or of a file of the till.
    init(_ error: LinkError) {
        self.init(ExitStatus(rawValue: error.code.exitStatus) ?? .inputOutput, error.description)
    }
}
#endif
