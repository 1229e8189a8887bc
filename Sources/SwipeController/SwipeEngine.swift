import JackdawReaders
import JackdawTransport
internal import Synchronization

/// Runs a controller's machine: gives it what happens, has done what it wants done, and tells what it tells.
final class SwipeEngine: Sendable {
    private struct State {
        var machine: SwipeMachine
        weak var delegate: (any PGSwipeDelegate)?
        /// What is still to be told, in this order.
        var deliveries: [Delivery] = []
        var isDelivering = false
        var listeners: [Int: AsyncStream<PGSwipeEvent>.Continuation] = [:]
        var listenerCount = 0
        var timer: (deadline: Duration, task: Task<Void, Never>)?
        /// What listens to the jack and for iDynamo readers.
        var tasks: [Task<Void, Never>] = []
        var type: AudioJackReaderType
        var report: ReaderSearchReport?
        var isOver = false
    }

    /// An event, and what is true of readers from it on.
    private struct Delivery {
        let event: PGSwipeEvent?
        var flags: [ReaderKind: DeviceFlags] = [:]
        var type: AudioJackReaderType?
        var report: ReaderSearchReport?
        var isPlugged: Bool?
    }

    let devices: [ReaderKind: PGSwipeDevice]
    let connectionDetector = PGAudioJackConnectionDetector()
    private let state: Mutex<State>
    private let executor: DelegateExecutor
    private let clock: ElapsedClock
    private let actions: AsyncStream<SwipeAction>.Continuation

    init(
        _ machine: SwipeMachine, _ environment: any SwipeEnvironment, _ interaction: any SwipeInteraction,
        delegate: (any PGSwipeDelegate)?, executor: DelegateExecutor, clock: any Clock<Duration>
    ) {
        let reference = SwipeEngineReference()
        devices = [
            .ipsEnterprise: PGSwipeIpsEnterprise(reference), .ips: PGSwipeIps(reference),
            .uniMag: PGSwipeUniMag(reference), .iDynamo: PGSwipeIDynamo(reference),
        ]
        state = Mutex(State(machine: machine, delegate: delegate, type: machine.type))
        self.executor = executor
        self.clock = ElapsedClock(clock)
        let (stream, actions) = AsyncStream<SwipeAction>.makeStream()
        self.actions = actions
        reference.set(self)
        let operating = SwipeOperator(environment, interaction) { [reference] in reference.engine?.receive($0) }
        // Ends behind the last thing that is to be done.
        Task { for await action in stream { await operating.run(action) } }
        let tasks = [
            Task { [reference] in
                for await isAttached in environment.attachments() {
                    reference.engine?.receive(isAttached ? .attached : .detached)
                }
            },
            Task { for await session in environment.iDynamos() { await operating.adopt(session) } },
        ]
        state.withLock { $0.tasks = tasks }
    }

    var delegate: (any PGSwipeDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    var settings: UniMagSettings { state.withLock { $0.machine.settings } }

    /// The type as far as the last event has told.
    var type: AudioJackReaderType { state.withLock { $0.type } }

    /// What the last autodetection saw.
    var report: ReaderSearchReport? { state.withLock { $0.report } }

    /// What happens from now on.
    func events() -> AsyncStream<PGSwipeEvent> {
        let (stream, listener) = AsyncStream<PGSwipeEvent>.makeStream()
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.listenerCount += 1
            state.listeners[state.listenerCount] = listener
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

    func perform(_ call: SwipeCall) {
        handle { machine, now in machine.perform(call, at: now) }
        guard case .shutDown = call else { return }
        let listeners = state.withLock { state in
            state.isOver = true
            state.deliveries = []
            for task in state.tasks { task.cancel() }
            state.timer?.task.cancel()
            defer { state.listeners = [:] }
            return state.listeners
        }
        for listener in listeners.values { listener.finish() }
        actions.finish()
    }

    func receive(_ input: SwipeInput) { handle { machine, now in machine.receive(input, at: now) } }

    private func handle(_ body: (inout SwipeMachine, Duration) -> [SwipeAction]) {
        let now = clock.now()
        state.withLock { state in
            guard !state.isOver else { return }
            for action in body(&state.machine, now) {
                if let delivery = delivery(of: action) {
                    state.deliveries.append(delivery)
                } else {
                    actions.yield(action)
                }
            }
            guard state.machine.nextDeadline != state.timer?.deadline else { return }
            state.timer?.task.cancel()
            state.timer = state.machine.nextDeadline.map { deadline in
                let task = Task { [weak self, clock] in
                    guard (try? await clock.sleep(deadline)) != nil else { return }
                    self?.handle { machine, now in machine.advance(to: now) }
                }
                return (deadline, task)
            }
        }
        deliver()
    }

    private func delivery(of action: SwipeAction) -> Delivery? {
        switch action {
        case .told(let told, let reader, let flags):
            guard let device = devices[reader] else { return nil }
            return Delivery(event: event(told, device), flags: [reader: flags])
        case .autodetectStarted: return Delivery(event: .deviceAutodetectStarted)
        case .autodetectComplete(let detected):
            return Delivery(
                event: .deviceAutodetectComplete(detected.result), flags: detected.flags, type: detected.type,
                report: detected.report)
        case .tested(let reader, let isThere):
            return devices[reader].map { Delivery(event: .communicationTestComplete($0, isThere)) }
        case .typeChanged(let type): return Delivery(event: nil, type: type)
        case .jackChanged(let isPlugged): return Delivery(event: nil, isPlugged: isPlugged)
        case .warned(let warning): return Delivery(event: .warning(warning))
        case .open, .close, .perform, .permitTones, .readVolume, .raiseVolume, .restoreVolume, .ask, .askForTones,
            .show, .dismiss, .end:
            return nil
        }
    }

    private func event(_ told: SwipeAction.Told, _ device: PGSwipeDevice) -> PGSwipeEvent {
        switch told {
        case .connected: .deviceConnected(device)
        case .disconnected: .deviceDisconnected(device)
        case .activationFinished(let result): .deviceActivationFinished(device, result)
        case .deactivated: .deviceDeactivated(device)
        case .ready: .deviceBecameReadyForSwipe(device)
        case .unready(let reason): .deviceBecameUnreadyForSwipe(device, reason)
        case .swiped(let swipe): .didSwipeCard(swipe.map(PGSwipedCard.make), device)
        }
    }

    /// Tells what is to be told, unless somebody does already.
    private func deliver() {
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

    private func nextDelivery() -> (Delivery, (any PGSwipeDelegate)?, [AsyncStream<PGSwipeEvent>.Continuation])? {
        state.withLock { state in
            guard !state.deliveries.isEmpty else {
                state.isDelivering = false
                return nil
            }
            let delivery = state.deliveries.removeFirst()
            if let type = delivery.type { state.type = type }
            if case .deviceAutodetectComplete = delivery.event { state.report = delivery.report }
            return (delivery, state.delegate, Array(state.listeners.values))
        }
    }
}

/// A controller's engine, as readers know it: gone with the controller.
final class SwipeEngineReference: Sendable {
    private struct Held { weak var engine: SwipeEngine? }

    private let held = Mutex(Held())

    var engine: SwipeEngine? { held.withLock { $0.engine } }

    func set(_ engine: SwipeEngine) { held.withLock { $0.engine = engine } }

    func perform(_ call: SwipeCall) { engine?.perform(call) }
}
