import JackdawReaders
internal import JackdawSystem

/// Delivers the events of a controller's machine to its delegate and listeners: one at a time, in their order, and none before
/// the handling of the last one has returned.
final class EventTeller: Sendable {
    private struct State {
        weak var delegate: (any PGSwipeDelegate)?
        /// Events that wait for delivery, in this order.
        var deliveries: [Delivery] = []
        var isDelivering = false
        var listeners: [Int: Listener] = [:]
        var listenerCount = 0
        /// Events since the beginning, for the first event stream; nil after that stream has received them, or when
        /// they are no longer kept.
        var beginning: [PGSwipeEvent]? = []
        var type: AudioJackReaderType
        var report: ReaderSearchReport?
        var isOver = false

        /// Keeps an event for the first stream, unless there are too many. A card that the program receives otherwise is not kept.
        mutating func keep(_ event: PGSwipeEvent) {
            let isReceived = delegate != nil || listeners.values.contains { $0.takesCards }
            if case .didSwipeCard(_?, _) = event, isReceived { beginning = nil }
            beginning?.append(event)
            if beginning?.count ?? 0 > EventTeller.mostKept { beginning = nil }
        }
    }

    private struct Listener {
        let continuation: AsyncStream<PGSwipeEvent>.Continuation
        /// Deliveries of events that happened before it listened.
        var skipped: Int
        /// Whether it receives cards for the program; else it waits for another event.
        let takesCards: Bool
    }

    /// The largest number of events kept for the first stream.
    static let mostKept = 64

    /// An event, and the state from it on.
    private struct Delivery {
        let event: PGSwipeEvent?
        var flags: [ReaderKind: DeviceFlags] = [:]
        var type: AudioJackReaderType?
        var report: ReaderSearchReport?
        var isPlugged: Bool?
    }

    let devices: [ReaderKind: PGSwipeDevice]
    let connectionDetector = PGAudioJackConnectionDetector()
    private let state: SystemLock<State>
    private let executor: DelegateExecutor

    init(
        _ type: AudioJackReaderType, devices: [ReaderKind: PGSwipeDevice], delegate: (any PGSwipeDelegate)?,
        executor: DelegateExecutor
    ) {
        self.devices = devices
        self.executor = executor
        state = SystemLock(State(delegate: delegate, type: type))
    }

    var delegate: (any PGSwipeDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The type as of the last event.
    var type: AudioJackReaderType { state.withLock { $0.type } }

    /// The report of the last autodetection.
    var report: ReaderSearchReport? { state.withLock { $0.report } }

    /// Events that are delivered from now on; the first stream begins with those that were delivered before.
    func events() -> AsyncStream<PGSwipeEvent> {
        listen(takesCards: true) { state, listener in
            for event in state.beginning ?? [] { listener.yield(event) }
            state.beginning = nil
            return 0
        }
    }

    /// Listens to events that happen from now on.
    /// - Parameter takesCards: whether the listener receives cards for the program.
    /// - Returns: the events, without those that happened before and wait for delivery.
    func laterEvents(takesCards: Bool) -> AsyncStream<PGSwipeEvent> {
        listen(takesCards: takesCards) { state, _ in state.deliveries.count }
    }

    /// Makes a stream of events.
    /// - Parameters:
    ///   - takesCards: whether the listener receives cards for the program.
    ///   - begin: prepares it, and returns how many deliveries it skips.
    /// - Returns: the stream, which has ended if the teller has.
    private func listen(
        takesCards: Bool, _ begin: (inout State, AsyncStream<PGSwipeEvent>.Continuation) -> Int
    ) -> AsyncStream<PGSwipeEvent> {
        let (stream, listener) = AsyncStream<PGSwipeEvent>.makeStream()
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.listenerCount += 1
            state.listeners[state.listenerCount] = Listener(
                continuation: listener, skipped: begin(&state, listener), takesCards: takesCards)
            return state.listenerCount
        }
        guard let number else {
            listener.finish()
            return stream
        }
        listener.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Takes an action that is an event, which ``deliver()`` delivers.
    /// - Returns: whether it is one; others are for the engine.
    func take(_ action: SwipeAction) -> Bool {
        guard let delivery = delivery(of: action) else { return false }
        state.withLock { if !$0.isOver { $0.deliveries.append(delivery) } }
        return true
    }

    /// Delivers the events that wait, unless another thread does it already.
    func deliver() {
        let begins = state.withLock { state in
            guard !state.isDelivering, !state.deliveries.isEmpty else { return false }
            state.isDelivering = true
            return true
        }
        guard begins else { return }
        executor.run { [self] in
            while let (delivery, delegate, listeners) = nextDelivery() {
                for (reader, flags) in delivery.flags { devices[reader]?.set(flags) }
                if let isPlugged = delivery.isPlugged { connectionDetector.change(isPlugged) }
                guard let event = delivery.event else { continue }
                event.tell(delegate)
                for listener in listeners { listener.yield(event) }
            }
        }
    }

    /// Drops the events that wait, and delivers no more.
    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            state.deliveries = []
            state.beginning = nil
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values { listener.continuation.finish() }
    }

    private func nextDelivery() -> (Delivery, (any PGSwipeDelegate)?, [AsyncStream<PGSwipeEvent>.Continuation])? {
        state.withLock { state in
            guard !state.deliveries.isEmpty else {
                state.isDelivering = false
                return nil
            }
            let delivery = state.deliveries.removeFirst()
            if let type = delivery.type { state.type = type }
            if case .deviceAutodetectComplete = delivery.event { state.report = delivery.report }
            var listeners: [AsyncStream<PGSwipeEvent>.Continuation] = []
            for (number, listener) in state.listeners {
                if listener.skipped == 0 {
                    listeners.append(listener.continuation)
                } else {
                    state.listeners[number]?.skipped -= 1
                }
            }
            if let event = delivery.event { state.keep(event) }
            return (delivery, state.delegate, listeners)
        }
    }

    private func delivery(of action: SwipeAction) -> Delivery? {
        switch action {
        case .told(let news, let reader, let flags):
            return devices[reader].map { Delivery(event: event(news, $0), flags: [reader: flags]) }
        case .autodetectStarted: return Delivery(event: .deviceAutodetectStarted)
        case .autodetectComplete(let detected):
            return Delivery(
                event: .deviceAutodetectComplete(detected.result), flags: detected.flags, type: detected.type,
                report: detected.report)
        case .tested(let reader, let isThere):
            return devices[reader].map { Delivery(event: .communicationTestComplete($0, isThere)) }
        case .typeChanged(let type): return Delivery(event: nil, type: type)
        case .jackChanged(let isPlugged): return Delivery(event: nil, isPlugged: isPlugged)
        case .warned(let code, let message, let reader):
            return Delivery(event: .warning(PGSwipeWarning(code, message, device: reader.flatMap { devices[$0] })))
        case .open, .close, .perform, .permitTones, .readVolume, .raiseVolume, .restoreVolume, .ask, .askForTones,
            .show, .dismiss, .end:
            return nil
        }
    }

    private func event(_ news: SwipeAction.Told, _ device: PGSwipeDevice) -> PGSwipeEvent {
        switch news {
        case .connected: .deviceConnected(device)
        case .disconnected: .deviceDisconnected(device)
        case .activationFinished(let result): .deviceActivationFinished(device, result)
        case .deactivated: .deviceDeactivated(device)
        case .ready: .deviceBecameReadyForSwipe(device)
        case .unready(let reason): .deviceBecameUnreadyForSwipe(device, reason)
        case .swiped(let swipe):
            .didSwipeCard(swipe.map { PGSwipedCard.make($0, isFromIDynamo: device is PGSwipeIDynamo) }, device)
        }
    }
}
