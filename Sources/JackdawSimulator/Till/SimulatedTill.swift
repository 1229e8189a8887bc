public import JackdawCards
public import JackdawEMV

/// One payment with a virtual card, a simulated cardholder and a simulated issuer: the kernels and the payment
/// flow on one queue of events, without I/O and without a clock. The card is inserted, tapped or swiped.
///
/// ```swift
/// var till = try SimulatedTill(
///     settings, reference: "1", transaction, card: card, payer: payer, issuer: issuer,
///     LibCryptoPrimitives(mode: .test))
/// let outcome = till.run()
/// ```
///
/// ``run(for:)`` takes it to its end in virtual time. ``advance()`` takes single steps, between which a caller
/// can interfere (``receive(_:)``, ``kill()``).
public struct SimulatedTill<Primitives: AuthenticationPrimitives>: Sendable {
    /// The payment as a machine.
    public var payment: PaymentFlow { tillPayment.flow }
    /// The journal on disk.
    public var journal: PaymentJournal { tillPayment.journal }
    /// The card, with its counters and blocks.
    public var card: VirtualCard { presented.card }
    /// The issuer, with its ledger.
    public var issuer: SimulatedIssuer { line.issuer }
    /// The time since the start.
    public internal(set) var now = Duration.zero
    /// The events and effects of the payment, at most ``maxEntries``.
    public internal(set) var log: [TillEntry] = []
    /// The decisions of the contact kernel with their reasons, in their order.
    public internal(set) var steps: [KernelStep] = []
    /// The end of the contact kernel; nil before it.
    public internal(set) var kernelOutcome: KernelOutcome?
    /// The decisions of the contactless kernel with their reasons, in their order.
    public internal(set) var tapSteps: [ContactlessStep] = []
    /// The end of the last tap; nil before it.
    public internal(set) var tapOutcome: ContactlessOutcome?
    /// The reasons for the course of the payment, in their order and each once.
    public var reasons: [PaymentReason] { tillPayment.reasons }
    /// The issuer's decision; nil before it.
    public internal(set) var decision: IssuerDecision?
    /// The number of records for settlement.
    public var records: Int { tillPayment.records }
    /// The messages that the issuer refused.
    public internal(set) var refusals: [IssuerRefusal] = []

    /// The TVR of the kernel that has come to its end; nil if none has.
    public var results: TerminalVerificationResults? { kernelOutcome?.tvr ?? tapOutcome?.tvr }

    /// The most entries of the log; further ones are left out.
    public static var maxEntries: Int { 10_000 }

    let settings: TillSettings
    let reference: String
    let transaction: KernelTransaction
    let primitives: Primitives
    /// The payment, with what the till keeps of it.
    var tillPayment: TillPayment
    /// The card and the cardholder.
    var presented: PresentedCard
    var line: IssuerLine
    var queue = EventQueue<Happening>()
    var random: SplitMix
    var process: (any CardProcess)?
    /// The number of the process: events of an earlier one do not count.
    var processNumber = 0
    /// Whether the card is in a reader at a link, so that the caller carries commands and answers.
    var isCardLinked = false
    /// Commands and resets for a card at a link that were not carried out yet.
    var linkTasks: [LinkTask] = []
    /// Whether a card at a link was used in this payment, so that it is reset before it is used again.
    var isLinkedCardUsed = false
    /// The processes of the commands that a card at a link has not answered yet, in their order.
    var awaitedProcesses: [Int] = []
    /// Whether a reader only swipes cards, so that the caller carries out ``readerTasks``.
    var isSwipeOnly = false
    /// The tasks for such a reader that were not carried out yet.
    var readerTasks: [SwipeTask] = []
    /// The answer to reset of the card in the slot.
    var answerToReset: [UInt8] = []
    /// The identifier of the task that waits for its answer.
    var openTask: Int?
    /// The identifier of the task for the card.
    var cardTask: Int?
    /// The objects of the message for the issuer.
    var request: DataObjectStore?
    /// Whether the cardholder signs although the contact kernel has not asked for it: after a tap, or a swipe.
    var signsWithoutContact = false
    /// The objects of the card's decision.
    var objects = DataObjectStore()
    /// The PIN for the issuer, digits in ASCII.
    var onlinePIN: SecretOctets?
    var isSignatureRight = false
    /// The index of the application that the cardholder chose last.
    var choice: Int?

    /// Something that happens at a time.
    enum Happening {
        case event(PaymentEvent, answering: Int?)
        case presentation(SimulatedPayer.Answer, task: Int)
        case removal
        case command(CardCommand, process: Int)
        case pin(SimulatedPayer.Answer, process: Int, isOnline: Bool)
        case choice(Int, task: Int)
        case issuer(IssuerLine.Event)
    }

    /// A payment that has not started.
    /// - Parameters:
    ///   - settings: the terminal and the times.
    ///   - reference: the identifier of the payment for the issuer.
    ///   - transaction: the transaction.
    ///   - card: the card that the cardholder presents.
    ///   - payer: the cardholder.
    ///   - issuer: the issuer.
    ///   - primitives: RSA and SHA-1 for the terminal.
    /// - Throws: `KernelConfigurationError` if a data object cannot hold a value of terminal or transaction.
    public init(
        _ settings: TillSettings, reference: String, _ transaction: KernelTransaction, card: VirtualCard,
        payer: SimulatedPayer, issuer: SimulatedIssuer, _ primitives: Primitives
    ) throws(KernelConfigurationError) {
        for application in settings.applications {
            _ = try ContactKernel(
                application.configuration, transaction, application: DataObjectStore(), primitives)
        }
        self.settings = settings
        self.reference = reference
        self.transaction = transaction
        self.primitives = primitives
        presented = PresentedCard(card, payer)
        line = IssuerLine(
            issuer, reference: reference, wedge: card.wedge, replyLimit: settings.replyLimit)
        random = SplitMix(seed: settings.seed)
        tillPayment = TillPayment(settings.policy, nil)
    }

    // MARK: the steps of a run

    /// Starts the payment. A second call changes nothing.
    public mutating func start() { deliver(.start) }

    /// The time of the next step; nil if nothing remains.
    public var nextDeadline: Duration? {
        guard let deadline = payment.nextDeadline else { return queue.nextDeadline }
        return queue.nextDeadline.map { min($0, deadline) } ?? deadline
    }

    /// Takes the next step, at its time.
    /// - Returns: false if nothing remains.
    @discardableResult
    public mutating func advance() -> Bool {
        guard let next = nextDeadline else { return false }
        now = max(now, next)
        if let deadline = payment.nextDeadline, deadline <= next {
            deliver(.timer)
        } else {
            happen(queue.removeFirst())
        }
        return true
    }

    /// Starts the payment, unless it has started, and takes all steps of a time.
    /// - Parameter limit: the time from now, after which it stops, as messages to a silent issuer are repeated without end.
    ///   Default: one hour.
    /// - Returns: the outcome; nil if there is none in this time, or after ``maxEntries`` steps.
    @discardableResult
    public mutating func run(for limit: Duration = .seconds(3_600)) -> PaymentOutcome? {
        if payment.phase == .idle { start() }
        let end = now + limit
        for _ in 0..<Self.maxEntries {
            guard let next = nextDeadline else { break }
            guard next <= end else {
                now = max(now, end)
                break
            }
            advance()
        }
        return payment.outcome
    }

    /// Lets the merchant or the reader send an event now: `PaymentEvent.cancelled`, `PaymentEvent.linkLost` and
    /// other events that answer no effect.
    public mutating func receive(_ event: PaymentEvent) {
        if event == .linkLost { endProcess() }
        deliver(event)
    }

    /// Kills the program now, and starts it again: only the journal, the outbox, card and issuer stay.
    public mutating func kill() {
        guard payment.phase != .idle else { return }
        note(.event(.crash))
        queue = EventQueue()
        endProcess()
        request = nil
        onlinePIN = nil
        openTask = nil
        tillPayment.restart(at: now)
        line.restart(journal)
        deliver(.recovered)
        queue.add(.issuer(.delivery), at: now)
    }

    mutating func note(_ content: TillEntry.Content) {
        guard log.count < Self.maxEntries else { return }
        log.append(TillEntry(time: now, content: content))
    }

    mutating func deliver(_ event: PaymentEvent, answering identifier: Int? = nil) {
        note(.event(event))
        for effect in tillPayment.receive(event, answering: identifier, at: now) { carryOut(effect) }
    }

    private mutating func happen(_ happening: Happening) {
        switch happening {
        case .event(let event, let identifier): deliver(event, answering: identifier)
        case .presentation(let way, let task): presentCard(way, task)
        case .removal: removeCard()
        case .command(let command, let number): transmit(command, number)
        case .pin(let answer, let number, let isOnline): takePIN(answer, number, isOnline)
        case .choice(let index, let task): choose(index, task)
        case .issuer(let event): take(event)
        }
    }
}

extension SimulatedTill: RedactedDescription {
    /// The phase of the payment and the time, and nothing of card, cardholder and messages.
    public var description: String { "simulated till, \(payment.phase.rawValue) at \(now)" }
}
