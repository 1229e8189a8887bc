// The contact kernel: EMV Book 3, sections 8 to 10, as a machine without I/O.

/// A contact transaction from GET PROCESSING OPTIONS to its end.
///
/// The kernel starts with the application that was selected. It returns actions: effects for the caller to carry out,
/// steps for observers, and the outcome. The caller answers each effect with its identifier. The kernel has no deadline
/// of its own: a caller that waits no longer answers ``KernelAnswer/cardLost``, ``KernelAnswer/cancelled`` or
/// ``HostAnswer/unknown``.
///
/// ```swift
/// var kernel = try ContactKernel(configuration, transaction, application: fileControl, primitives)
/// var actions = kernel.start()
/// // For each effect: actions = kernel.receive(answer, to: effect.identifier)
/// ```
public struct ContactKernel<Primitives: AuthenticationPrimitives>: Sendable {
    let configuration: KernelConfiguration
    let transaction: KernelTransaction
    let authentication: OfflineAuthentication<Primitives>

    /// The objects of terminal and card, among them the results.
    var objects: KernelObjects
    var tvr: TerminalVerificationResults = [] {
        didSet { objects.terminal[TerminalVerificationResults.tag] = tvr.octets }
    }
    var tsi: TransactionStatusInformation = [] {
        didSet { objects.terminal[TransactionStatusInformation.tag] = tsi.octets }
    }
    /// The phase that is under way.
    public internal(set) var phase = KernelPhase.initiateApplication

    var profile: ApplicationInterchangeProfile = []
    var method: AuthenticationMethod?
    /// The card's key for signatures; nil if it was not recovered.
    var cardKey: RSAPublicKey?
    var verification: CardholderVerification
    var isPINRetry = false
    var risk = TerminalRiskReport()
    var isSignatureRequired = false
    var isOnlinePINCaptured = false
    var lists = ListValues()
    var request = CryptogramRequest(type: .aac, isSigned: false)
    var host: HostDecision?
    /// Whether a request may have reached a host that has approved.
    var mayBeApproved = false
    /// The scripts whose phase has not begun.
    var scripts: [IssuerScript] = []
    var scriptRun = IssuerScriptRun([], .beforeFinalCryptogram)
    var scriptResults: [IssuerScriptResult] = []
    /// The decision that waits for the scripts after the second cryptogram.
    var completion: SecondCryptogramDecision?

    private var effects = KernelEffects()
    private var waiting: Waiting?
    private var actions: [KernelAction] = []

    /// The values that the card's lists asked for, which a signature covers.
    struct ListValues {
        var pdol = SecretOctets([])
        var ddol = SecretOctets([])
        var cdol1 = SecretOctets([])
        var cdol2 = SecretOctets([])
    }

    /// A cryptogram that the terminal has asked for.
    struct CryptogramRequest {
        let type: CryptogramType
        let isSigned: Bool
    }

    /// The meaning of the open effect's answer.
    enum Waiting {
        case unpredictableNumber
        case processingOptions
        case record(ApplicationFileLocator.Record)
        /// The signature that this key of the card verifies.
        case internalAuthentication(RSAPublicKey)
        case pinTryCounter
        /// A PIN for the issuer.
        case onlinePIN
        /// A PIN for the card, in clear or enciphered with a key.
        case pin(RSAPublicKey?)
        case challenge(SecretOctets, RSAPublicKey)
        case padding(SecretOctets, challenge: [UInt8], RSAPublicKey)
        case pinVerification
        case transactionCounter
        case lastOnlineCounter(UInt16?)
        case selectionNumber
        case firstCryptogram
        case host
        case externalAuthentication
        case script
        case secondCryptogram
    }

    /// - Parameters:
    ///   - configuration: the terminal, with its settings for the application.
    ///   - transaction: the transaction.
    ///   - application: the objects of the answer to SELECT: 84, and 9F38 if the card has a PDOL. Objects that are none
    ///     of its control information are ignored.
    ///   - primitives: RSA and SHA-1 of the caller.
    /// - Throws: ``KernelConfigurationError`` if a data object cannot hold a value of terminal or transaction, for
    ///   example an amount of more than 12 digits.
    public init(
        _ configuration: KernelConfiguration, _ transaction: KernelTransaction, application: DataObjectStore,
        _ primitives: Primitives
    ) throws(KernelConfigurationError) {
        self.configuration = configuration
        self.transaction = transaction
        authentication = OfflineAuthentication(primitives, keys: configuration.keys, date: transaction.date)
        objects = KernelObjects(
            terminal: try configuration.objects(of: transaction), application: application, kernel: nil)
        verification = CardholderVerification(nil, objects.verificationSituation(configuration, transaction))
        objects.terminal[TerminalVerificationResults.tag] = tvr.octets
        objects.terminal[TransactionStatusInformation.tag] = tsi.octets
    }

    /// Begins the transaction. A second call has no effect.
    /// - Returns: the first actions.
    public mutating func start() -> [KernelAction] {
        guard effects.start() else { return [] }
        ask(.random(count: 4), .unpredictableNumber)
        return takeActions()
    }

    /// Goes on with an answer.
    /// - Parameters:
    ///   - answer: the answer.
    ///   - identifier: the identifier of the effect that it answers. A late or repeated answer is ignored, and a step
    ///     says so.
    /// - Returns: the next actions.
    public mutating func receive(_ answer: KernelAnswer, to identifier: Int) -> [KernelAction] {
        if let reason = effects.close(identifier, with: answer) {
            note(.ignored(identifier: identifier, reason))
        } else if let open = waiting.take() {
            do throws(KernelTermination) { try take(answer, open) } catch { finish(.terminated(error)) }
        }
        return takeActions()
    }

    // MARK: shared by the phases

    /// Adds an effect, and remembers the meaning of its answer.
    mutating func ask(_ task: KernelEffect.Task, _ meaning: Waiting) {
        waiting = meaning
        actions.append(.effect(effects.open(task)))
    }

    /// Asks the card for an object with GET DATA.
    mutating func requestData(_ tag: Tag, _ meaning: Waiting) throws(KernelTermination) {
        try transmit(try? CardCommand.getData(tag), of: tag, meaning)
    }

    mutating func note(_ step: KernelStep) { actions.append(.step(step)) }

    /// Ends the transaction with its outcome, the last action.
    mutating func finish(_ disposition: KernelOutcome.Disposition, isAdviceRequested: Bool = false) {
        closeScripts()
        let isApproved = disposition == .approved
        actions.append(
            .finished(
                KernelOutcome(
                    disposition: disposition, phase: phase, host: host,
                    isReversalRequired: mayBeApproved && !isApproved,
                    isSignatureRequired: isApproved && isSignatureRequired, isAdviceRequested: isAdviceRequested,
                    tvr: tvr, tsi: tsi, scriptResults: scriptResults, objects: objects.all)))
    }

    private mutating func takeActions() -> [KernelAction] {
        defer { actions = [] }
        return actions
    }

    /// Passes an answer to the phase that asked.
    private mutating func take(_ answer: KernelAnswer, _ open: Waiting) throws(KernelTermination) {
        switch (open, answer) {
        case (_, .cardLost): try breakOff(open, KernelTermination(.cardLost))
        case (_, .cancelled): try breakOff(open, KernelTermination(.cancelled))
        case (.unpredictableNumber, .random(let number)):
            objects.terminal[.unpredictableNumber] = number
            try sendProcessingOptions()
        case (.selectionNumber, .random(let number)): try select(by: number)
        case (.padding(let pin, let challenge, let key), .random(let octets)):
            try encipher(pin, challenge, octets, key)
        case (_, .onlinePINEntered): try advanceVerification(.entered)
        case (.pin(let key), .pin(let digits)): try takePIN(digits, key)
        case (_, .pinBypassed): try advanceVerification(.bypassed)
        case (_, .pinPadFailed): try advanceVerification(.malfunction)
        case (_, .host(let answer)): try takeHost(answer)
        case (_, .response(let response)): try take(response, open)
        case (_, .random), (_, .pin): break
        }
    }

    /// Ends the transaction without an answer to the open effect. After the second cryptogram, its decision stands.
    private mutating func breakOff(_ open: Waiting, _ reason: KernelTermination) throws(KernelTermination) {
        if case .host = open {
            // The request may have reached the host, which may have approved.
            host = .unknown
            mayBeApproved = true
            note(.host(.unknown))
        }
        if case .script = open { abandonScripts() }
        guard case .script = open, completion != nil else { throw reason }
        finishCompletion()
    }

    /// Passes a response of the card to the phase that sent the command.
    private mutating func take(_ response: CardResponse, _ open: Waiting) throws(KernelTermination) {
        switch open {
        case .processingOptions: try takeProcessingOptions(response)
        case .record(let record): try takeRecord(response, record)
        case .internalAuthentication(let key): try takeSignature(response, key)
        case .pinTryCounter: try takeTryCounter(response)
        case .challenge(let pin, let key): try takeChallenge(response, pin, key)
        case .pinVerification: try advanceVerification(.pinCompared(response.status))
        case .transactionCounter: try askForLastOnline(response.counter(.transactionCounter))
        case .lastOnlineCounter(let counter): try takeCounters(counter, response.counter(.lastOnlineCounter))
        case .firstCryptogram: try takeFirstCryptogram(response)
        case .externalAuthentication: try takeIssuerAuthentication(response)
        case .script: try takeScript(response)
        case .secondCryptogram: try takeSecondCryptogram(response)
        case .unpredictableNumber, .onlinePIN, .pin, .padding, .selectionNumber, .host: break
        }
    }
}
