import JackdawBytes
package import JackdawEMV

/// Enciphers a PIN for the issuer: digits in ASCII, and the objects of the authorisation. Nil if it cannot.
package typealias TerminalPINCipher = @Sendable (SecretOctets, DataObjectStore) -> [UInt8]?

/// The slot of a simulated reader that has a kernel: the virtual card, its cardholder and the run of the contact
/// kernel, in virtual time. A machine without I/O, which the models of such readers share.
///
/// A model calls ``advance()`` at ``nextDeadline``, and makes its messages from the notices.
struct TerminalSlot<Primitives: AuthenticationPrimitives>: Sendable {
    /// A report to the reader's model.
    enum Notice: Sendable {
        /// The cardholder has inserted the card.
        case inserted
        /// The cardholder has removed the card.
        case removed
        /// The cardholder holds the card to the reader, which may run ``tap(_:)``.
        case tapped
        /// An event of the card or the kernel.
        case event(PaymentEvent)
        /// The application is selected, and ``begin(_:at:)`` must supply the transaction.
        case transactionNeeded
        /// The cardholder is asked for a PIN.
        case pinAsked(PINRequest)
        /// The cardholder cancelled at the PIN pad.
        case pinCancelled
        /// The wait of ``limitWait(until:)`` is over.
        case waitEnded
    }

    /// Something that happens at a time.
    private enum Happening {
        case insertion
        case removal
        case tap
        case command(CardCommand, process: Int)
        case pin(SimulatedPayer.Answer, process: Int)
        case choice(Int, process: Int)
        case waitEnds(process: Int)
    }

    /// The time in which the cardholder takes the card out after a result.
    static var takingCard: Duration { .seconds(1) }

    /// The card, with its counters and blocks.
    var card: VirtualCard { presented.card }
    var isCardIn: Bool { presented.isPresent }
    /// Whether the reader takes a card. One that is inserted into a closed slot has no effect.
    var isOpen = false
    /// Whether the cardholder is about to present the card.
    private(set) var isPresenting = false
    /// The end of the kernel; nil before it.
    private(set) var outcome: KernelOutcome?
    /// The reasons for the course of its payments, which a real reader does not report.
    private(set) var course = PaymentReasons()
    /// The entry of a PIN under way, or the last one.
    private(set) var pinRequest: PINRequest?

    private let settings: TillSettings
    private let primitives: Primitives
    private let pinCipher: TerminalPINCipher?
    /// The card and the cardholder.
    private var presented: PresentedCard
    private var queue = EventQueue<Happening>()
    private var random: SplitMix
    private var process: ContactProcess<Primitives>?
    /// The number of the process: what belongs to an earlier one does not count.
    private var processNumber = 0
    private var request: OnlineRequest?
    /// The PIN for the issuer, digits in ASCII.
    private var onlinePIN: SecretOctets?
    private var notices: [Notice] = []

    /// A slot without a card.
    /// - Parameters:
    ///   - settings: the terminal: applications, the time of an exchange with the card, the seed.
    ///   - card: the card that the cardholder inserts.
    ///   - payer: the cardholder.
    ///   - primitives: RSA and SHA-1 for the terminal.
    ///   - pinCipher: enciphers PINs for the issuer; nil for a reader without a key for PINs.
    init(
        _ settings: TillSettings, card: VirtualCard, payer: SimulatedPayer, _ primitives: Primitives,
        pinCipher: TerminalPINCipher?
    ) {
        self.settings = settings
        presented = PresentedCard(card, payer)
        self.primitives = primitives
        self.pinCipher = pinCipher
        random = SplitMix(seed: settings.seed)
    }

    /// Whether the reader has a key for PINs.
    var hasPINKey: Bool { pinCipher != nil }

    /// Whether the cardholder or the host must choose one of ``candidates``.
    var isChoosing: Bool { process?.isChoosing == true }

    /// The applications of the choice, best first.
    var candidates: [ApplicationCandidate] { process?.candidates ?? [] }

    /// Whether the kernel broke the payment off because the card was lost.
    var isCardLost: Bool {
        if case .terminated(let reason)? = outcome?.disposition { reason.code == .cardLost } else { false }
    }

    /// Returns the objects for the issuer.
    /// - Parameter pinTag: the tag under which a PIN for the issuer is added, enciphered.
    /// - Returns: the objects; none before the card's request to ask the issuer.
    func authorisation(pinTag: Tag) -> DataObjectStore {
        var objects = request?.objects ?? DataObjectStore()
        if let onlinePIN, let block = pinCipher?(onlinePIN, objects) { objects[pinTag] = block }
        return objects
    }

    // MARK: the cardholder at the reader

    /// Begins another payment: its cardholder has not presented the card yet.
    mutating func beginPayment() { presented.payer = SimulatedPayer(presented.payer.setup) }

    /// Asks the cardholder for the card until they present it in a way that the reader has; swipes have no effect.
    /// - Parameters:
    ///   - now: the time.
    ///   - takesTaps: whether the reader is contactless. Default: false, taps have no effect.
    /// - Returns: whether the cardholder presents it.
    @discardableResult
    mutating func presentCard(at now: Duration, takesTaps: Bool = false) -> Bool {
        while let (way, due) = presented.payer.receive(.presentCard, at: now) {
            switch way {
            case .inserts: queue.add(.insertion, at: due)
            case .taps where takesTaps: queue.add(.tap, at: due)
            default: continue
            }
            isPresenting = true
            return true
        }
        return false
    }

    /// Runs the contactless kernel with a card that is held to the reader, to its end. The reader has no PIN pad for it.
    /// - Returns: the event for the payment, and the objects for the issuer or, after an approval by the card, for
    ///   settlement.
    mutating func tap(_ transaction: KernelTransaction) -> (event: PaymentEvent, objects: DataObjectStore) {
        presented.tap(settings, transaction, primitives, seed: random.next())
    }

    /// Has the cardholder take the card out, if it is in.
    mutating func takeCardOut(after now: Duration) {
        if isCardIn { queue.add(.removal, at: now + Self.takingCard) }
    }

    /// Has the cardholder choose an application.
    mutating func askForApplication(at now: Duration) {
        let question = SimulatedPayer.Question.chooseApplication(candidates)
        guard case (.chooses(let index), let due)? = presented.payer.receive(question, at: now) else { return }
        queue.add(.choice(index, process: processNumber), at: due)
    }

    /// Has the cardholder sign.
    /// - Returns: whether the merchant finds the signature right, and the time; nil if the cardholder does not answer.
    mutating func sign(at now: Duration) -> (isRight: Bool, at: Duration)? {
        presented.payer.sign(at: now).map { ($0.isRight, $0.at) }
    }

    // MARK: the run of the kernel

    /// Begins a payment with the card in the slot. Without a transaction, it is asked for after the selection.
    mutating func start(_ transaction: KernelTransaction?, at now: Duration) -> [Notice] {
        endProcess()
        course.requestedType = nil
        process = ContactProcess(settings, transaction, primitives, card.wedge, SplitMix(seed: random.next()))
        take(process?.start() ?? [], at: now)
        return takeNotices()
    }

    /// Goes on with an application, an index of ``candidates``.
    mutating func choose(_ index: Int, at now: Duration) -> [Notice] {
        take(process?.choose(index) ?? [], at: now)
        return takeNotices()
    }

    /// Goes on with the transaction that was asked for.
    mutating func begin(_ transaction: KernelTransaction, at now: Duration) -> [Notice] {
        take(process?.begin(transaction) ?? [], at: now)
        return takeNotices()
    }

    /// Goes on with the issuer's answer, or its absence.
    mutating func complete(_ host: HostAnswer, at now: Duration) -> [Notice] {
        take(process?.complete(host) ?? [], at: now)
        return takeNotices()
    }

    /// Plans the end of a wait. It does not come if a payment starts or ends before.
    mutating func limitWait(until due: Duration) {
        processNumber += 1
        queue.add(.waitEnds(process: processNumber), at: due)
    }

    /// Ends the payment: what it still waits for does not count.
    mutating func endProcess() {
        process = nil
        processNumber += 1
        (request, outcome, pinRequest, onlinePIN) = (nil, nil, nil, nil)
    }

    // MARK: steps in virtual time

    /// The time of the next step; nil if there is none.
    var nextDeadline: Duration? { queue.nextDeadline }

    /// Takes the next step, whose time is ``nextDeadline``.
    mutating func advance() -> [Notice] {
        guard let now = queue.nextDeadline else { return [] }
        switch queue.removeFirst() {
        case .insertion: insert()
        case .removal: remove()
        case .tap:
            isPresenting = false
            if !isCardIn { notices.append(.tapped) }
        case .command(let command, let number): transmit(command, number, at: now)
        case .pin(let answer, let number): takePIN(answer, number, at: now)
        case .choice(let index, let number):
            guard number == processNumber, isChoosing else { break }
            if candidates.indices.contains(index) {
                take(process?.choose(index) ?? [], at: now)
            } else {
                askForApplication(at: now)
            }
        case .waitEnds(let number): if number == processNumber { notices.append(.waitEnded) }
        }
        return takeNotices()
    }

    private mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    private mutating func insert() {
        isPresenting = false
        guard !isCardIn, isOpen else { return }
        _ = presented.insert()
        notices.append(.inserted)
    }

    private mutating func remove() {
        guard isCardIn else { return }
        presented.takeAway()
        notices.append(.removed)
    }

    private mutating func transmit(_ command: CardCommand, _ number: Int, at now: Duration) {
        guard number == processNumber, isCardIn else { return }
        guard let (answer, removal) = presented.transmit(command, at: now) else {
            return take(process?.loseCard() ?? [], at: now)
        }
        if let removal { queue.add(.removal, at: removal) }
        take(process?.receive(answer) ?? [], at: now)
    }

    private mutating func takePIN(_ answer: SimulatedPayer.Answer, _ number: Int, at now: Duration) {
        guard number == processNumber else { return }
        guard let (entry, pin) = answer.pinEntry(isOnline: pinRequest?.isOnline == true) else {
            return notices.append(.pinCancelled)
        }
        if let pin { onlinePIN = pin }
        take(process?.enter(entry) ?? [], at: now)
    }

    private mutating func take(_ outputs: [CardProcessOutput], at now: Duration) {
        for output in outputs {
            switch output {
            case .transmit(let command):
                queue.add(.command(command, process: processNumber), at: now + settings.exchange)
            case .enterPIN(let question): enterPIN(question, at: now)
            case .authorise(let request): self.request = request
            case .finished(let outcome):
                self.outcome = outcome
                course.addReasons(of: outcome)
            case .step(let step): course.addReasons(of: step)
            case .event(let event): notices.append(.event(event))
            case .transactionNeeded: notices.append(.transactionNeeded)
            case .tapStep, .tapFinished: break
            }
        }
    }

    private mutating func enterPIN(_ question: PINRequest, at now: Duration) {
        pinRequest = question
        guard !question.isOnline || hasPINKey else { return take(process?.enter(.pinPadFailed) ?? [], at: now) }
        notices.append(.pinAsked(question))
        guard let (answer, due) = presented.payer.receive(.enterPIN(question), at: now) else { return }
        queue.add(.pin(answer, process: processNumber), at: due)
    }
}
