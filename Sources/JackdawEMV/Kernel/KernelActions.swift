// The actions that a kernel returns, and the answers of its caller.

/// The phase of a transaction, with the section of EMV Book 3.
public enum KernelPhase: String, Sendable, Hashable {
    /// GET PROCESSING OPTIONS (10.1).
    case initiateApplication = "initiate_application"
    /// READ RECORD along the AFL (10.2).
    case readApplicationData = "read_application_data"
    /// SDA, DDA, or the keys of CDA (10.3).
    case offlineDataAuthentication = "offline_data_authentication"
    /// Version, usage control and dates (10.4).
    case processingRestrictions = "processing_restrictions"
    /// The rules of the CVM list (10.5).
    case cardholderVerification = "cardholder_verification"
    /// Floor limit, random selection and velocity (10.6).
    case terminalRiskManagement = "terminal_risk_management"
    /// The action codes decide on the first cryptogram (10.7).
    case terminalActionAnalysis = "terminal_action_analysis"
    /// The first GENERATE AC (10.8).
    case cardActionAnalysis = "card_action_analysis"
    /// The issuer is asked (10.9).
    case onlineProcessing = "online_processing"
    /// EXTERNAL AUTHENTICATE (10.9).
    case issuerAuthentication = "issuer_authentication"
    /// Issuer scripts of template 71 (10.10).
    case scriptsBeforeCompletion = "scripts_before_completion"
    /// The second GENERATE AC (10.11).
    case completion = "completion"
    /// Issuer scripts of template 72 (10.10).
    case scriptsAfterCompletion = "scripts_after_completion"
}

/// An output of a kernel. The caller carries out effects and answers each with its identifier; steps are for observers.
public enum KernelAction: Sendable {
    /// A task for the caller. At most one is open at a time.
    case effect(KernelEffect)
    /// A decision or an event of the kernel, with its reason.
    case step(KernelStep)
    /// The end of the transaction. Nothing follows it.
    case finished(KernelOutcome)
}

/// A task for the caller.
public struct KernelEffect: Sendable {
    /// The identifier of the effect, which its answer must name. Identifiers begin at 1 and increase.
    public let identifier: Int
    /// The task, with the answers that it allows.
    public let task: Task

    /// A kind of task. Each may also have the answer ``KernelAnswer/cardLost`` or ``KernelAnswer/cancelled``, which
    /// ends the transaction.
    public enum Task: Sendable {
        /// Send a command to the card, over T=0 with ``CardExchange``. Answer: ``KernelAnswer/response(_:)``.
        case transmit(CardCommand)
        /// Take random octets from a source for cryptography. Answer: ``KernelAnswer/random(_:)``.
        case random(count: Int)
        /// Have the cardholder enter a PIN. Answer: ``KernelAnswer/pin(_:)`` for a PIN that the card verifies,
        /// ``KernelAnswer/onlinePINEntered`` for one that the issuer verifies, ``KernelAnswer/pinBypassed`` or
        /// ``KernelAnswer/pinPadFailed``.
        case enterPIN(PINRequest)
        /// Ask the issuer. Answer: ``KernelAnswer/host(_:)``.
        case authorise(OnlineRequest)
    }
}

/// A PIN that the cardholder must enter.
public struct PINRequest: Sendable, Hashable {
    /// Whether the issuer verifies the PIN: it then stays in the PIN pad, enciphered.
    public let isOnline: Bool
    /// The tries that the card reports; nil if it reports none, or the issuer verifies.
    public let triesLeft: Int?
    /// Whether the card refused a PIN just before.
    public let isRetry: Bool

    package init(isOnline: Bool, triesLeft: Int?, isRetry: Bool) {
        self.isOnline = isOnline
        self.triesLeft = triesLeft
        self.isRetry = isRetry
    }
}

/// The request to the issuer: the data objects of an online message (fact sheets of the schemes add further ones).
public struct OnlineRequest: Sendable {
    /// The objects of terminal and card, card data in clear in wiped memory. The caller enciphers what leaves the
    /// device.
    public let objects: DataObjectStore
    /// Whether the message must have an enciphered PIN.
    public let hasOnlinePIN: Bool
}

/// The issuer's answer, or its absence.
public enum HostAnswer: Sendable {
    /// The host answered in time.
    case answered(HostResponse)
    /// The request was not sent. The Default action codes decide.
    case unreachable
    /// The request was sent, and no usable answer came. The card is asked to decline, as the host may have approved.
    case unknown
}

/// The content of an issuer's answer.
public struct HostResponse: Sendable {
    /// Whether the host approved.
    public let isApproved: Bool
    /// The Authorisation Response Code (8A) of the host, which the terminal does not alter.
    public let responseCode: AuthorisationResponseCode
    /// The Issuer Authentication Data (91); nil if the host sent none.
    public let authenticationData: [UInt8]?
    /// The script templates 71 and 72 in their order.
    public let scripts: SecretOctets

    /// - Parameters:
    ///   - isApproved: whether the host approved.
    ///   - responseCode: tag 8A.
    ///   - authenticationData: the value of tag 91. Default: nil.
    ///   - scripts: templates 71 and 72 in BER-TLV. Default: none.
    public init(
        isApproved: Bool, responseCode: AuthorisationResponseCode, authenticationData: [UInt8]? = nil,
        scripts: [UInt8] = []
    ) {
        self.isApproved = isApproved
        self.responseCode = responseCode
        self.authenticationData = authenticationData
        self.scripts = SecretOctets(scripts)
    }
}

/// The answer to an effect.
public enum KernelAnswer: Sendable {
    /// The card's answer to a command.
    case response(CardResponse)
    /// The card does not answer any more, or was removed.
    case cardLost
    /// As many random octets as the effect asked for.
    case random([UInt8])
    /// The digits of a PIN, 4 to 12 octets of 0 to 9.
    case pin(SecretOctets)
    /// The PIN pad has enciphered a PIN for the issuer.
    case onlinePINEntered
    /// The cardholder or the merchant bypassed the entry.
    case pinBypassed
    /// The PIN pad does not work.
    case pinPadFailed
    /// The cardholder cancelled the transaction.
    case cancelled
    /// The issuer's answer, or its absence.
    case host(HostAnswer)
}

/// A decision or an event of the kernel, with its reason.
public enum KernelStep: Sendable {
    /// The card accepted the transaction.
    case processingOptions(ApplicationInterchangeProfile)
    /// A record was read.
    case record(ApplicationFileLocator.Record)
    /// Offline data authentication is done, or with CDA its keys are recovered.
    case offlineAuthentication(AuthenticationReport)
    /// The processing restrictions were checked.
    case restrictions(ProcessingRestrictionsReport)
    /// Cardholder verification is done.
    case cardholderVerification(CardholderVerificationReport)
    /// Terminal risk management is done.
    case riskManagement(TerminalRiskReport)
    /// The terminal decided on the first cryptogram, or on the second without the issuer.
    case actionAnalysis(TerminalAction)
    /// GENERATE AC is about to be sent, with these results.
    case cryptogramRequest(CryptogramType, isSigned: Bool, TerminalVerificationResults, TransactionStatusInformation)
    /// The card answered the first GENERATE AC, and its signature was checked if it must have one.
    case firstCryptogram(CryptogramInformation, FirstCryptogramDecision)
    /// The issuer was asked.
    case host(HostDecision)
    /// EXTERNAL AUTHENTICATE was sent; nil if the issuer's data do not have 8 to 16 octets and nothing was sent.
    case issuerAuthentication(StatusWord?)
    /// A script is done.
    case script(IssuerScriptResult)
    /// The card answered the second GENERATE AC.
    case secondCryptogram(CryptogramInformation, SecondCryptogramDecision)
    /// An answer was ignored.
    case ignored(identifier: Int, IgnoredAnswer)
}
