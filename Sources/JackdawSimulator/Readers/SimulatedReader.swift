import JackdawReaders

/// A simulated reader: it receives a program's bytes, and sends its own when they are due. A state machine without a
/// clock and without a link; ``SimulatorHost`` runs it over both.
///
/// Times count from any start, and never decrease.
public struct SimulatedReader: ~Copyable {
    /// An action of the reader.
    public enum Output: Sendable, Hashable {
        /// Bytes for the program.
        case send([UInt8])
        /// The reader breaks the link.
        case disconnect
    }

    private struct Pending {
        let time: Duration
        let output: Output
    }

    /// The state of the reader.
    public private(set) var device: SimulatedDevice
    private var model: any ReaderModel
    private let faults: [PlannedFault]
    private var commands: FrameReader<CommandFormat>
    /// Cards that have not been presented yet.
    private var deck: ArraySlice<Presentation>
    private var presentationTime: Duration?
    /// In the order of their times.
    private var pending: [Pending] = []
    private var messageCount = 0
    private var isDisconnected = false
    private var hasPower = true
    private var chance: UInt64

    /// Creates a connected reader. One with its own power is switched on; for others use ``setPower(_:at:)``.
    /// - Parameters:
    ///   - model: the protocol of its family.
    ///   - device: its properties.
    ///   - deck: cards that are presented, one after the other, each once the reader waits for a card.
    ///   - faults: the faults that will occur.
    ///   - seed: the seed of the random bytes.
    ///   - now: the time at which it is switched on.
    public init(
        _ model: any ReaderModel, device: SimulatedDevice = SimulatedDevice(), deck: [Presentation] = [],
        faults: [PlannedFault] = [], seed: UInt64 = 1, at now: Duration = .zero
    ) {
        self.model = model
        self.device = device
        self.deck = deck[...]
        self.faults = faults
        commands = FrameReader(CommandFormat(model.commandFormat, checkSize: model.checkSize))
        chance = seed
        let kinds = Set(faults.map(\.fault))
        if kinds.contains(.lowBattery) { self.device.battery = 5 }
        if kinds.contains(.noKeys) { self.device.hasKeys = false }
        if kinds.contains(.noSettings) { self.device.hasSettings = false }
        if kinds.contains(.damaged) { self.device.isDamaged = true }
        hasPower = false
        if !model.livesOnJack { switchOn(at: now) }
    }

    /// The protocol with its state, if it is of a type.
    func model<Model: ReaderModel>(as type: Model.Type) -> Model? { model as? Model }

    /// Number of messages that have not been sent yet.
    var unsentCount: Int { pending.count }

    /// Whether its commands and power are too weak; the caller that plays the sound applies the attenuation.
    var isVolumeTooLow: Bool { faults.contains { $0.fault == .volumeTooLow } }

    /// Switches the power of a reader that draws it from the jack. Without power the reader forgets its commands. Does
    /// nothing for a reader with its own power.
    /// - Parameters:
    ///   - isOn: whether it has power.
    ///   - now: the present time.
    public mutating func setPower(_ isOn: Bool, at now: Duration) {
        guard model.livesOnJack, isOn != hasPower, !isDisconnected else { return }
        guard !isOn else { return switchOn(at: now) }
        hasPower = false
        device.isArmed = false
        commands = FrameReader(commands.format)
        pending = []
        presentationTime = nil
    }

    private mutating func switchOn(at now: Duration) {
        hasPower = true
        device.isArmed = model.isAlwaysArmed
        if let message = model.powerUpMessage(device) { send(message, at: now + device.answerDelay) }
        if device.isArmed { planPresentation(at: now) }
    }

    /// The time at which ``advance(to:)`` has an action; nil if none is planned.
    public var nextDeadline: Duration? {
        [presentationTime, pending.first?.time, modelDeadline].compactMap(\.self).min()
    }

    /// The time at which the model acts by itself; nil if it does not.
    private var modelDeadline: Duration? { isDisconnected ? nil : (model as? any TimedReaderModel)?.nextDeadline }

    /// Handles bytes from the program.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - now: the present time.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Duration) {
        guard !isDisconnected, hasPower else { return }
        var reader = commands.moveOut()
        reader.receive(bytes) { event, frame in
            // Bytes that are not a command get no answer.
            if case .frame = event { answer(frame, at: now) }
        }
        commands = reader
    }

    /// Advances the time.
    /// - Parameter now: the present time.
    /// - Returns: the actions that are due.
    public mutating func advance(to now: Duration) -> [Output] {
        while let time = presentationTime, time <= now { present(at: time) }
        while let time = modelDeadline, time <= now { advanceModel(to: time) }
        var outputs: [Output] = []
        while !isDisconnected, let first = pending.first, first.time <= now {
            pending.removeFirst()
            outputs.append(first.output)
            isDisconnected = first.output == .disconnect
        }
        if isDisconnected {
            pending = []
            presentationTime = nil
        }
        return outputs
    }

    /// Connects a program again after the reader broke the link. What the reader sent in that time is lost.
    package mutating func reconnect() {
        guard isDisconnected else { return }
        isDisconnected = false
        commands = FrameReader(commands.format)
        pending = []
    }

    /// Presents a card immediately, independent of the deck.
    /// - Parameters:
    ///   - presentation: the card, and how it is presented; its delay is ignored.
    ///   - now: the present time.
    public mutating func present(_ presentation: Presentation, at now: Duration) {
        guard !isDisconnected, device.isArmed else { return }
        for message in model.tell(presentation, &device) { send(message, at: now) }
    }

    private mutating func answer(_ command: Span<UInt8>, at now: Duration) {
        guard commands.format.isRight(command) else {
            if let message = model.reject(command) { send(message, at: now + device.answerDelay) }
            return
        }
        let wasArmed = device.isArmed
        let answers = answers(to: command, at: now)
        let refusal = model.refuse(command)
        for message in answers { send(message, refusal: refusal, at: now + device.answerDelay) }
        guard device.isArmed != wasArmed else { return }
        presentationTime = nil
        if device.isArmed { planPresentation(at: now + device.answerDelay) }
    }

    private mutating func answers(to command: Span<UInt8>, at now: Duration) -> [[UInt8]] {
        guard var timed = model as? any TimedReaderModel else { return model.answer(command, &device) }
        defer { model = timed }
        return timed.answer(command, &device, at: now)
    }

    private mutating func advanceModel(to now: Duration) {
        guard var timed = model as? any TimedReaderModel else { return }
        let messages = timed.advance(to: now, &device)
        model = timed
        // As late as answers, so that a report does not overtake the answer before it.
        for message in messages { send(message, at: now + device.answerDelay) }
    }

    private mutating func planPresentation(at now: Duration) {
        presentationTime = deck.first.map { now + $0.delay }
    }

    private mutating func present(at now: Duration) {
        presentationTime = nil
        guard device.isArmed, let next = deck.popFirst() else { return }
        present(next, at: now)
        if device.isArmed { planPresentation(at: now) }
    }

    /// Sends a message, as the faults change it.
    private mutating func send(_ message: [UInt8], refusal: [UInt8]? = nil, at now: Duration) {
        defer { messageCount += 1 }
        let fault = faults.first { $0.fault.hitsMessages && $0.messages.contains(messageCount) }?.fault
        switch fault {
        case nil, .lowBattery, .volumeTooLow, .noKeys, .noSettings, .damaged: put(message, at: now)
        case .noAnswer: break
        case .refusal: put(refusal ?? message, at: now)
        case .badCheck:
            var damaged = message
            damaged[message.count / 2] ^= 0x01
            put(damaged, at: now)
        case .truncated: put(Array(message.prefix(message.count / 2)), at: now)
        case .wrongLength:
            var longer = message
            longer.insert(0x55, at: message.count / 2)
            put(longer, at: now)
        case .disconnect:
            put(Array(message.prefix(message.count / 2)), at: now)
            add(.disconnect, at: now)
        case .late: put(message, at: now + .seconds(5))
        case .duplicate:
            put(message, at: now)
            put(message, at: now)
        case .garbage:
            put((0..<8).map { _ in nextByte() }, at: now)
            put(message, at: now)
        }
    }

    private mutating func put(_ bytes: [UInt8], at time: Duration) {
        if !bytes.isEmpty { add(.send(bytes), at: time) }
    }

    private mutating func add(_ output: Output, at time: Duration) {
        let place = pending.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        pending.insert(Pending(time: time, output: output), at: place)
    }

    /// SplitMix64; the result is the top byte.
    private mutating func nextByte() -> UInt8 {
        chance &+= 0x9E37_79B9_7F4A_7C15
        var mixed = chance
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return UInt8((mixed ^ mixed >> 31) >> 56)
    }
}
