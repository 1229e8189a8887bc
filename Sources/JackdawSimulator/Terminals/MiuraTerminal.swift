package import JackdawEMV
package import JackdawReaders

/// A Miura reader with a virtual card and its cardholder: the contact kernel, in commands of MPI. A machine without
/// I/O that ``SimulatedReader`` runs, with its faults.
///
/// The reader has no keys for card data, so its results have the card's objects in clear. Each result that is not
/// published is marked in docs/readers/miura.md.
package struct MiuraTerminal<Primitives: AuthenticationPrimitives>: KernelTerminal {
    package let family = "miura"

    /// The card, with its counters and blocks.
    package var card: VirtualCard { slot.card }
    package var reasons: [PaymentReason] { slot.course.all }
    package var candidates: [ApplicationCandidate] { slot.candidates }
    /// The texts that the host had displayed, at most ``maxTexts``.
    package private(set) var texts: [String] = []

    /// Enciphers a PIN for the issuer.
    package typealias PINCipher = TerminalPINCipher

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

    /// The most texts that are kept.
    package static var maxTexts: Int { 100 }
    /// The most commands that wait while a payment is under way; further ones are lost.
    static var maxWaiting: Int { 16 }
    /// The wait for a tap, after which the reader gives up: the timeout in a published configuration of readers.
    static var tapLimit: Duration { .seconds(240) }

    let values: MiuraPaymentSettings
    /// Card, kernel and cardholder. The reader takes a card while it reports it.
    var slot: TerminalSlot<Primitives>
    var state = State.idle
    /// Whether the reader has the cardholder choose, and not the host.
    var asksCardholder = true
    /// The transaction of the last wait for a tap; nil without one.
    var tapTransaction: KernelTransaction?
    /// The objects of the last tap.
    var tapObjects = DataObjectStore()
    /// Whether the card that pays was tapped, so that it takes no part in the rest.
    var isTap = false
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
        self.values = values
        slot = TerminalSlot(settings, card: card, payer: payer, primitives, pinCipher: pinCipher)
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
            if waiting.count < Self.maxWaiting { waiting.append(frame) }
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
        case .startTransaction:
            if let status = device.refusal { return send(status) }
            start(command, at: now)
        case .continueTransaction: resume(command, at: now)
        case .startContactless:
            if let status = device.refusal { return send(status) }
            startContactless(command, at: now)
        case .abort: abort(at: now)
        case .cardStatus:
            slot.isOpen = command.first & 1 != 0
            device.isArmed = slot.isOpen
            guard slot.isOpen else { return }
            reportCard()
            if !slot.isCardIn { presentCard(at: now) }
        case .displayText:
            if texts.count < Self.maxTexts { texts.append(String(decoding: command.data, as: UTF8.self)) }
            messages += Self.status(.done)
        case .reset:
            endProcess()
            slot.isOpen = false
            messages += base.answer(frame.span, &device)
        case .encryptionStatus:
            // The key for PINs is bit 1 (`MpiClient.p2peStatus`).
            let status = TagLengthValueBuilder.encode(
                MiuraTag.encryptionStatus, [slot.hasPINKey && device.hasKeys ? 2 : 0])
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
        case .failure(let fault): return send(fault.status)
        }
        guard slot.isCardIn else { return send(.noCard) }
        asksCardholder = data.store[MiuraTag.applicationSelection] == [values.start.applicationSelection]
        state = .running
        take(slot.start(transaction, at: now), at: now)
    }

    private mutating func startContactless(_ command: MiuraReceivedCommand, at now: Duration) {
        guard state == .idle else { return send(.notAllowed) }
        guard let data = command.objects else { return send(.invalidData) }
        switch data.transaction {
        case .success(let found): tapTransaction = found
        case .failure(let fault): return send(fault.status)
        }
        guard !slot.isCardIn else { return send(.abortedByInsertion) }
        state = .tapping
        slot.limitWait(until: now + Self.tapLimit)
        if values.takesTaps, !slot.isPresenting { presentCard(at: now) }
    }

    /// Asks the cardholder for the card.
    mutating func presentCard(at now: Duration) { slot.presentCard(at: now, takesTaps: values.takesTaps) }

    /// Goes on after the host's choice of an application, or the issuer's answer.
    private mutating func resume(_ command: MiuraReceivedCommand, at now: Duration) {
        guard state == .choosing || state == .authorising else { return send(.notReady) }
        guard let data = command.objects else { return send(.invalidData) }
        guard !isTap else { return completeTap(data) }
        guard slot.isCardIn else { return end(.noCard, at: now) }
        guard state == .authorising else {
            guard let name = data.store[MiuraTag.application] else { return send(.missingData) }
            guard let index = slot.candidates.firstIndex(where: { $0.name == name }) else {
                return send(.invalidData)
            }
            state = .running
            return take(slot.choose(index, at: now), at: now)
        }
        switch data.hostAnswer(values) {
        case .success(let host):
            state = .running
            take(slot.complete(host, at: now), at: now)
        case .failure(let fault): send(fault.status)
        }
    }

    /// ABORT is answered first, and then the command that it ends.
    private mutating func abort(at now: Duration) {
        messages += Self.status(.done)
        if isBusy {
            end(.cancelled, at: now)
        } else if state != .idle {
            endProcess()
            slot.takeCardOut(after: now)
        }
    }

    private mutating func send(_ status: MiuraStatus) { messages += Self.status(status) }

    package var nextDeadline: Duration? { slot.nextDeadline }

    package mutating func advance(to now: Duration, _ device: inout SimulatedDevice) -> [[UInt8]] {
        while let due = slot.nextDeadline, due <= now { take(slot.advance(), at: due) }
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

extension SimulatedDevice {
    /// The status with which a Miura reader in this condition refuses a payment; nil if it takes payments.
    fileprivate var refusal: MiuraStatus? {
        if isDamaged { return .hardwareError }
        if !hasSettings { return .missingFile }
        return hasKeys ? nil : .noKey
    }
}
