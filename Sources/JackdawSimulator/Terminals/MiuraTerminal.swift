package import JackdawEMV
package import JackdawReaders

/// A Miura reader with a virtual card and its cardholder: the contact kernel, in commands of MPI. A machine without I/O that
/// ``SimulatedReader`` runs, with its faults.
///
/// The reader has no keys for card data, so its results have the card's objects in clear. Each result that is not published
/// is marked in docs/readers/miura.md.
package struct MiuraTerminal<Primitives: AuthenticationPrimitives>: TimedReaderModel {
    package let family = "miura"

    /// The card, with its counters and blocks.
    package internal(set) var card: VirtualCard
    /// The texts that the host had displayed, at most ``mostTexts``.
    package private(set) var texts: [String] = []

    /// Enciphers a PIN for the issuer: digits in ASCII, and the objects of the authorisation.
    package typealias PINCipher = @Sendable (SecretOctets, DataObjectStore) -> [UInt8]?

    enum State {
        case idle
        /// START CONTACTLESS waits for a tap.
        case tapping
        /// START or CONTINUE TRANSACTION is under way.
        case running
        /// The host must choose an application.
        case choosing
        /// The host must ask the issuer.
        case authorising
    }

    /// Something that happens at a time.
    enum Happening {
        case insertion
        case removal
        case command(CardCommand, process: Int)
        case pin(SimulatedPayer.Answer, process: Int)
        case choice(Int, process: Int)
        case tapEnds(process: Int)
    }

    /// The most texts that are kept.
    package static var mostTexts: Int { 100 }
    /// The most commands that wait while a payment is under way; further ones are lost.
    static var mostWaiting: Int { 16 }
    /// The wait for a tap, after which the reader gives up: the timeout in a published configuration of readers.
    static var tapLimit: Duration { .seconds(240) }
    /// The time in which the cardholder takes the card out after a result.
    static var takingCard: Duration { .seconds(1) }

    let settings: TillSettings
    let values: MiuraPaymentSettings
    let primitives: Primitives
    let pinCipher: PINCipher?
    var payer: SimulatedPayer
    var queue = EventQueue<Happening>()
    var random: SplitMix
    var state = State.idle
    var process: ContactProcess<Primitives>?
    /// The number of the process: what belongs to an earlier one does not count.
    var processNumber = 0
    var isCardIn = false
    var isReporting = false
    /// Whether the reader has the cardholder choose, and not the host.
    var asksCardholder = true
    var request: OnlineRequest?
    var outcome: KernelOutcome?
    /// The entry of a PIN under way.
    var pinRequest: PINRequest?
    /// The PIN for the issuer, digits in ASCII.
    var onlinePIN: SecretOctets?
    /// The reasons for the course of its payments, which a real reader does not report.
    var course = PaymentReasons()
    /// Messages that are sent with the next answer.
    var messages: [[UInt8]] = []
    /// The frames of commands that wait for the end of a payment.
    private var waiting: [[UInt8]] = []
    private let base = MiuraModel()

    /// A reader in which no card is.
    /// - Parameters:
    ///   - settings: the terminal: applications, the time of an exchange with the card, the seed.
    ///   - values: the values of the protocol that may change.
    ///   - card: the card that the cardholder inserts.
    ///   - payer: the cardholder.
    ///   - primitives: RSA and SHA-1 for the terminal.
    ///   - pinCipher: enciphers PINs for the issuer; nil for a reader without a key for PINs.
    package init(
        _ settings: TillSettings, _ values: MiuraPaymentSettings = MiuraPaymentSettings(), card: VirtualCard,
        payer: SimulatedPayer, _ primitives: Primitives, pinCipher: PINCipher? = nil
    ) {
        self.settings = settings
        self.values = values
        self.card = card
        self.payer = payer
        self.primitives = primitives
        self.pinCipher = pinCipher
        random = SplitMix(seed: settings.seed)
    }

    package var commandFormat: any FrameFormat { base.commandFormat }

    package func refuse(_ command: Span<UInt8>) -> [UInt8]? { base.refuse(command) }

    /// Answers without a clock: a payment needs one, all other commands do not.
    package mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        answer(command, &device, at: .zero)
    }

    /// Reports another card than the virtual one, for example a swipe. It ends the wait for a tap.
    package mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        if state == .tapping {
            end(presentation.manner == .inserted ? .abortedByInsertion : .abortedBySwipe, at: nil)
        }
        messages += base.tell(presentation, &device)
        return takeMessages()
    }

    package mutating func answer(
        _ command: Span<UInt8>, _ device: inout SimulatedDevice, at now: Duration
    ) -> [[UInt8]] {
        let frame = command.indices.map { command[$0] }
        guard let command = MiuraReceivedCommand(frame) else { return Self.status(.wrongLength) }
        // While a payment is under way, the reader executes only ABORT.
        if isBusy, command.instruction != .abort {
            if waiting.count < Self.mostWaiting { waiting.append(frame) }
            return []
        }
        execute(command, frame, &device, at: now)
        executeWaiting(&device, at: now)
        return takeMessages()
    }

    private var isBusy: Bool { state == .running || state == .tapping }

    private mutating func executeWaiting(_ device: inout SimulatedDevice, at now: Duration) {
        while !isBusy, !waiting.isEmpty {
            let frame = waiting.removeFirst()
            guard let command = MiuraReceivedCommand(frame) else { continue }
            execute(command, frame, &device, at: now)
        }
    }

    private mutating func execute(
        _ command: MiuraReceivedCommand, _ frame: [UInt8], _ device: inout SimulatedDevice, at now: Duration
    ) {
        switch command.instruction {
        case .startTransaction: start(command, at: now)
        case .continueTransaction: resume(command, at: now)
        case .startContactless: startContactless(command, at: now)
        case .abort: abort(at: now)
        case .cardStatus:
            isReporting = command.first & 1 != 0
            device.isArmed = isReporting
            guard isReporting else { return }
            reportCard()
            if !isCardIn { presentCard(at: now) }
        case .displayText:
            if texts.count < Self.mostTexts { texts.append(String(decoding: command.data, as: UTF8.self)) }
            messages += Self.status(.done)
        case .reset:
            endProcess()
            isReporting = false
            messages += base.answer(frame.span, &device)
        case .encryptionStatus:
            // The key for PINs is bit 1 (`MpiClient.p2peStatus`).
            let status = TagLengthValueBuilder.encode(MiuraTag.encryptionStatus, [pinCipher == nil ? 0 : 2])
            messages += Self.answer(TagLengthValueBuilder.encode(MiuraTag.response, status))
        case .onlinePIN: messages += Self.status(.noKey)
        default: messages += base.answer(frame.span, &device)
        }
    }

    private mutating func start(_ command: MiuraReceivedCommand, at now: Duration) {
        guard state == .idle else { return send(.notAllowed) }
        guard let data = command.objects else { return send(.invalidData) }
        let transaction: KernelTransaction
        switch data.transaction {
        case .success(let found): transaction = found
        case .failure(let refusal): return send(refusal.status)
        }
        guard isCardIn else { return send(.noCard) }
        asksCardholder = data.store[MiuraTag.applicationSelection] == [values.start.applicationSelection]
        state = .running
        processNumber += 1
        (request, outcome, pinRequest, onlinePIN) = (nil, nil, nil, nil)
        course.requestedType = nil
        process = ContactProcess(settings, transaction, primitives, card.wedge, SplitMix(seed: random.next()))
        take(process?.start() ?? [], at: now)
    }

    private mutating func startContactless(_ command: MiuraReceivedCommand, at now: Duration) {
        guard state == .idle else { return send(.notAllowed) }
        guard let data = command.objects else { return send(.invalidData) }
        if case .failure(let refusal) = data.transaction { return send(refusal.status) }
        guard !isCardIn else { return send(.abortedByInsertion) }
        state = .tapping
        processNumber += 1
        queue.add(.tapEnds(process: processNumber), at: now + Self.tapLimit)
    }

    /// Goes on after the host's choice of an application, or the issuer's answer.
    private mutating func resume(_ command: MiuraReceivedCommand, at now: Duration) {
        guard state == .choosing || state == .authorising else { return send(.notReady) }
        guard let data = command.objects else { return send(.invalidData) }
        guard isCardIn else { return end(.noCard, at: now) }
        guard state == .authorising else {
            guard let name = data.store[MiuraTag.application] else { return send(.missingData) }
            guard let index = process?.candidates.firstIndex(where: { $0.name == name }) else {
                return send(.invalidData)
            }
            state = .running
            return take(process?.choose(index) ?? [], at: now)
        }
        switch data.hostAnswer(values) {
        case .success(let host):
            state = .running
            take(process?.complete(host) ?? [], at: now)
        case .failure(let refusal): send(refusal.status)
        }
    }

    /// ABORT is answered first, and then the command that it ends.
    private mutating func abort(at now: Duration) {
        messages += Self.status(.done)
        if isBusy {
            end(.cancelled, at: now)
        } else if state != .idle {
            endProcess()
            queue.add(.removal, at: now + Self.takingCard)
        }
    }

    private mutating func send(_ status: MiuraStatus) { messages += Self.status(status) }

    package var nextDeadline: Duration? { queue.nextDeadline }

    package mutating func advance(to now: Duration, _ device: inout SimulatedDevice) -> [[UInt8]] {
        while let due = queue.nextDeadline, due <= now { happen(queue.removeFirst(), at: due) }
        executeWaiting(&device, at: now)
        return takeMessages()
    }

    mutating func takeMessages() -> [[UInt8]] {
        defer { messages = [] }
        return messages
    }

    static func status(_ status: MiuraStatus) -> [[UInt8]] { answer([], status) }

    static func answer(_ body: [UInt8], _ status: MiuraStatus = .done, isUnsolicited: Bool = false) -> [[UInt8]] {
        let apdu = body + [UInt8(status.rawValue >> 8), UInt8(status.rawValue & 0xFF)]
        // Every APDU here has a status, so it is never too short.
        return (try? MiuraFormat.answer(apdu, isUnsolicited: isUnsolicited)) ?? []
    }
}
