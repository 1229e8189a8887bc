import JackdawReaders
import JackdawTransport

/// Delivers a controller's events to its delegate and its event streams: one event at a time, in order, and never while
/// the handler of another event runs.
final class EventTeller: Sendable {
    private struct State {
        weak var delegate: (any PGSwipeDelegate)?
        /// Deliveries that are still pending, in order.
        var deliveries: [Delivery] = []
        var isDelivering = false
        /// Events since the beginning, for the first event stream; nil after that stream has received them, or when
        /// they are no longer kept.
        var beginning: [PGSwipeEvent]? = []
        var type: AudioJackReaderType
        var report: ReaderSearchReport?
        var isOver = false

        /// Keeps an event for the first stream. Discards all kept events if there are too many, or if the event has a
        /// card that another receiver gets.
        mutating func keep(_ event: PGSwipeEvent, isReceived: Bool) {
            if case .didSwipeCard(_?, _) = event, isReceived { beginning = nil }
            beginning?.append(event)
            if beginning?.count ?? 0 > EventTeller.maxKept { beginning = nil }
        }
    }

    /// The largest number of events kept for the first stream.
    static let maxKept = 64

    /// An event, and the reader state that is valid from it on.
    private struct Delivery {
        let event: PGSwipeEvent?
        var flags: [ReaderKind: DeviceFlags] = [:]
        var type: AudioJackReaderType?
        var report: ReaderSearchReport?
        var isPlugged: Bool?
    }

    let devices: [ReaderKind: PGSwipeDevice]
    let connectionDetector = PGAudioJackConnectionDetector()
    private let state: Lock<State>
    /// The streams that receive cards for the program.
    private let cardStreams = Broadcast<PGSwipeEvent>()
    /// The streams that wait for another event.
    private let otherStreams = Broadcast<PGSwipeEvent>()
    private let executor: DelegateExecutor

    init(
        _ type: AudioJackReaderType, devices: [ReaderKind: PGSwipeDevice], delegate: (any PGSwipeDelegate)?,
        executor: DelegateExecutor
    ) {
        self.devices = devices
        self.executor = executor
        state = Lock(State(delegate: delegate, type: type))
    }

    var delegate: (any PGSwipeDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The enabled type as of the last delivered event.
    var type: AudioJackReaderType { state.withLock { $0.type } }

    /// The report of the last autodetection.
    var report: ReaderSearchReport? { state.withLock { $0.report } }

    /// Events from now on; the first stream begins with the events delivered before it.
    func events() -> AsyncStream<PGSwipeEvent> {
        let (stream, listener) = AsyncStream<PGSwipeEvent>.makeStream()
        state.withLock { state in
            cardStreams.add(listener, beginning: state.beginning ?? [])
            state.beginning = nil
        }
        return stream
    }

    /// Creates a stream of the events that happen from now on.
    /// - Parameter takesCards: whether the listener receives cards for the program.
    /// - Returns: the events, without earlier events whose delivery is pending.
    func laterEvents(takesCards: Bool) -> AsyncStream<PGSwipeEvent> {
        let (stream, listener) = AsyncStream<PGSwipeEvent>.makeStream()
        // Pending deliveries happened before the stream began.
        state.withLock { state in
            (takesCards ? cardStreams : otherStreams).add(listener, skipping: state.deliveries.count)
        }
        return stream
    }

    /// Queues an announcement; ``deliver()`` delivers it.
    func queue(_ announcement: SwipeAnnouncement) {
        guard let delivery = delivery(of: announcement) else { return }
        state.withLock { if !$0.isOver { $0.deliveries.append(delivery) } }
    }

    /// Delivers the queued events, unless another thread is delivering them.
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

    /// Ends all streams, and discards pending deliveries and all later events.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.deliveries = []
            state.beginning = nil
        }
        cardStreams.finish()
        otherStreams.finish()
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
            let isReceived = state.delegate != nil || !cardStreams.isEmpty
            if let event = delivery.event { state.keep(event, isReceived: isReceived) }
            return (delivery, state.delegate, cardStreams.takeReceivers() + otherStreams.takeReceivers())
        }
    }

    private func delivery(of announcement: SwipeAnnouncement) -> Delivery? {
        switch announcement {
        case .device(let news, let reader, let flags):
            devices[reader].map { Delivery(event: event(news, $0), flags: [reader: flags]) }
        case .autodetectStarted: Delivery(event: .deviceAutodetectStarted)
        case .autodetectComplete(let detected):
            Delivery(
                event: .deviceAutodetectComplete(detected.result), flags: detected.flags, type: detected.type,
                report: detected.report)
        case .tested(let reader, let isThere):
            devices[reader].map { Delivery(event: .communicationTestComplete($0, isThere)) }
        case .typeChanged(let type): Delivery(event: nil, type: type)
        case .jackChanged(let isPlugged): Delivery(event: nil, isPlugged: isPlugged)
        case .warned(let code, let message, let reader):
            Delivery(event: .warning(PGSwipeWarning(code, message, device: reader.flatMap { devices[$0] })))
        }
    }

    private func event(_ news: SwipeAnnouncement.DeviceEvent, _ device: PGSwipeDevice) -> PGSwipeEvent {
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
