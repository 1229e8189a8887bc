// The contactless kernel: EMV mode of Books C-2 and C-3 as a machine without I/O.

/// A contactless transaction with a Mastercard- or Visa-style card in EMV mode, up to its outcome. Experimental: it was
/// compared with three dialogues of one other program.
///
/// The kernel starts with the application that was selected, and returns actions as ``ContactKernel`` does: effects for
/// the caller to carry out, steps for observers, and one outcome. It asks the card for one cryptogram, and the host
/// takes part only after the outcome. A caller that waits no longer answers ``KernelAnswer/cardLost`` or
/// ``KernelAnswer/cancelled``.
///
/// Magnetic stripe mode, relay resistance, the recovery of torn transactions and kernels of other schemes are not
/// covered: the outcome is "try another interface", and a step has the reason. The reader does not announce offline
/// data authentication for online transactions and issuer updates, and makes no use of data exchange, data storage and
/// balances of the card.
///
/// ```swift
/// var kernel = try ContactlessKernel(
///     configuration, profile, transaction, kernel: candidate.kernel, application: objects, primitives)
/// var actions = kernel.start()
/// // For each effect: actions = kernel.receive(answer, to: effect.identifier)
/// ```
public struct ContactlessKernel<Primitives: AuthenticationPrimitives>: Sendable {
    let configuration: KernelConfiguration
    let profile: ContactlessProfile
    let transaction: KernelTransaction
    let authentication: OfflineAuthentication<Primitives>
    let scheme: Scheme

    /// The objects of terminal and card, among them the TVR.
    var objects: KernelObjects
    var tvr: TerminalVerificationResults = [] {
        didSet { objects.terminal[TerminalVerificationResults.tag] = tvr.octets }
    }
    var interchange: ApplicationInterchangeProfile = []
    /// The values of PDOL and CDOL1, which a signature covers.
    var listValues: [SecretOctets] = []
    /// The cryptogram that was requested (Mastercard).
    var request: (type: CryptogramType, isSigned: Bool)?
    /// The qualifiers that the card is sent (Visa).
    var qualifiers: TerminalTransactionQualifiers = []
    var verification: ContactlessOutcome.Verification?
    var isReceiptRequired = false

    private var effects = KernelEffects()
    private var waiting: Waiting?
    private var actions: [ContactlessAction] = []

    /// The kernels of Book B that this type covers.
    enum Scheme: Sendable, Hashable {
        case mastercard
        case visa
        case other(Int?)

        init(kernel: Int?) {
            switch kernel {
            case 2: self = .mastercard
            case 3: self = .visa
            default: self = .other(kernel)
            }
        }
    }

    /// The meaning of the open effect's answer.
    enum Waiting: Sendable {
        case unpredictableNumber
        case processingOptions
        case record(ApplicationFileLocator.Record)
        case cryptogram
    }

    /// - Parameters:
    ///   - configuration: the terminal, with its settings for the application.
    ///   - profile: the reader, with its settings for the application.
    ///   - transaction: the transaction.
    ///   - kernel: the number of the kernel that the card asks for: ``ApplicationCandidate/kernel``.
    ///   - application: the objects of the answer to SELECT: 84, and 9F38 if the card has a PDOL. Objects that are none
    ///     of its control information are ignored.
    ///   - primitives: RSA and SHA-1 of the caller.
    /// - Throws: ``KernelConfigurationError`` if a data object cannot hold a value of terminal or transaction.
    public init(
        _ configuration: KernelConfiguration, _ profile: ContactlessProfile, _ transaction: KernelTransaction,
        kernel: Int?, application: DataObjectStore, _ primitives: Primitives
    ) throws(KernelConfigurationError) {
        self.configuration = configuration
        self.profile = profile
        self.transaction = transaction
        scheme = Scheme(kernel: kernel)
        authentication = OfflineAuthentication(primitives, keys: configuration.keys, date: transaction.date)
        objects = KernelObjects(
            terminal: try configuration.objects(of: transaction), application: application, kernel: kernel)
        objects.terminal[TerminalVerificationResults.tag] = tvr.octets
    }

    /// Begins the transaction. A second call has no effect.
    /// - Returns: the first actions.
    public mutating func start() -> [ContactlessAction] {
        guard effects.start() else { return [] }
        begin()
        return takeActions()
    }

    /// Goes on with an answer.
    /// - Parameters:
    ///   - answer: the answer.
    ///   - identifier: the identifier of the effect that it answers. A late or repeated answer is ignored, and a step
    ///     says so.
    /// - Returns: the next actions.
    public mutating func receive(_ answer: KernelAnswer, to identifier: Int) -> [ContactlessAction] {
        if let reason = effects.close(identifier, with: answer) {
            note(.ignored(identifier: identifier, reason))
        } else if let open = waiting.take() {
            do throws(KernelTermination) { try take(answer, open) } catch { terminate(error) }
        }
        return takeActions()
    }

    // MARK: shared by the phases

    mutating func note(_ step: ContactlessStep) { actions.append(.step(step)) }

    /// Ends the transaction with its outcome, the last action.
    mutating func finish(_ outcome: ContactlessOutcome) {
        if let reason = outcome.reason { note(.ending(reason)) }
        var outcome = outcome
        outcome.tvr = tvr
        actions.append(.finished(outcome))
    }

    /// Ends the transaction, as it needs a function that the kernel does not have.
    mutating func tryAnotherInterface(_ function: UncoveredFunction) {
        var outcome = ContactlessOutcome(.tryAnotherInterface, .notCovered(function))
        outcome.display = DisplayRequest(.insertOrSwipe, .processingError)
        finish(outcome)
    }

    /// Ends the application, as the card broke the rules (Books C-2 and C-3: insert, swipe or try another card).
    mutating func endApplication(_ reason: ContactlessReason) {
        var outcome = ContactlessOutcome(.endApplication, reason)
        outcome.display = DisplayRequest(.insertSwipeOrTryAnother, scheme == .visa ? .processingError : .notReady)
        if scheme == .mastercard { outcome.display?.holdTime = profile.mastercard.holdTime }
        finish(outcome)
    }

    /// Takes the next application of the card (Book B section 3.5.1.4).
    mutating func selectNext(_ reason: ContactlessReason) {
        var outcome = ContactlessOutcome(.selectNext, reason)
        outcome.start = .combinationSelection
        finish(outcome)
    }

    mutating func ask(_ task: KernelEffect.Task, _ meaning: Waiting) {
        waiting = meaning
        actions.append(.effect(effects.open(task)))
    }

    private mutating func takeActions() -> [ContactlessAction] {
        defer { actions = [] }
        return actions
    }

    private mutating func begin() {
        if case .other(let kernel) = scheme { return tryAnotherInterface(.kernel(kernel)) }
        let found = ContactlessPreprocessing(
            amount: transaction.amount, majorUnit: transaction.majorUnit, limits: profile.limits)
        note(.preprocessing(found))
        guard !found.isNotAllowed else {
            var outcome = ContactlessOutcome(.tryAnotherInterface, .amountNotAllowed)
            outcome.display = DisplayRequest(.insertOrSwipe, .processingError)
            return finish(outcome)
        }
        if scheme == .visa {
            guard prepareQualifiers(found.qualifiers) else { return tryAnotherInterface(.magneticStripeMode) }
        } else {
            setMethods([])
        }
        ask(.random(count: 4), .unpredictableNumber)
    }

    /// Passes an answer to the phase that asked.
    private mutating func take(_ answer: KernelAnswer, _ open: Waiting) throws(KernelTermination) {
        switch (open, answer) {
        case (_, .cancelled): throw KernelTermination(.cancelled)
        case (_, .cardLost): loseCard(open)
        case (.unpredictableNumber, .random(let number)):
            objects.terminal[.unpredictableNumber] = number
            try sendProcessingOptions()
        case (.processingOptions, .response(let response)): try takeProcessingOptions(response)
        case (.record(let record), .response(let response)): try takeRecord(response, record)
        case (.cryptogram, .response(let response)): try takeCryptogram(response)
        default: break
        }
    }

    /// Has the card presented again. The books say "try again" for GET PROCESSING OPTIONS, and "end application" with a
    /// new activation for later commands; this kernel says the former for all.
    private mutating func loseCard(_ open: Waiting) {
        if case .cryptogram = open, profile.refused.contains(.tornTransactions), !objects.isEmpty(.recoveryList) {
            return tryAnotherInterface(.tornTransaction)
        }
        var outcome = ContactlessOutcome(.tryAgain, .terminated(KernelTermination(.cardLost)))
        outcome.start = .protocolActivation
        outcome.restartDisplay = DisplayRequest(.tryAgain, .readyToRead)
        finish(outcome)
    }

    private mutating func terminate(_ reason: KernelTermination) {
        guard reason.code != .cancelled else {
            return finish(ContactlessOutcome(.endApplication, .terminated(reason)))
        }
        endApplication(.terminated(reason))
    }
}

extension KernelTransaction {
    /// Number of minor units in the major unit of the currency.
    fileprivate var majorUnit: UInt64 {
        // A currency has at most 4 decimal places (ISO 4217); 18 fit.
        (0..<min(currencyExponent, 18)).reduce(1) { unit, _ in 10 * unit }
    }
}
