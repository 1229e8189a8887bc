import JackdawReaders
import JackdawTransport

/// Runs a controller's state machine: passes inputs to it, and its outputs to the operator and the teller.
final class SwipeEngine: Sendable {
    private struct State {
        var machine: SwipeMachine
        var timer: DeadlineTimer
        /// The tasks that watch the jack and wait for iDynamo readers.
        var tasks: [Task<Void, Never>] = []
        var isOver = false
    }

    let teller: EventTeller
    private let state: Lock<State>
    private let clock: ElapsedClock
    private let effects: AsyncStream<SwipeEffect>.Continuation

    init(
        _ machine: SwipeMachine, _ environment: any SwipeEnvironment, _ interaction: any SwipeInteraction,
        delegate: (any PGSwipeDelegate)?, executor: DelegateExecutor, clock: any Clock<Duration>
    ) {
        let reference = SwipeEngineReference()
        teller = EventTeller(
            machine.type, devices: ReaderKind.makeDevices(reference), delegate: delegate, executor: executor)
        let elapsed = ElapsedClock(clock)
        state = Lock(State(machine: machine, timer: DeadlineTimer(elapsed)))
        self.clock = elapsed
        let (stream, effects) = AsyncStream<SwipeEffect>.makeStream()
        self.effects = effects
        reference.set(self)
        let operating = SwipeOperator(environment, interaction) { [reference] in reference.engine?.receive($0) }
        // This task ends after the last effect.
        Task { for await effect in stream { await operating.run(effect) } }
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

    var settings: UniMagSettings { state.withLock { $0.machine.settings } }

    /// Whether a reader is powered up, including changes whose delivery is pending.
    func isActivated(_ reader: ReaderKind) -> Bool {
        state.withLock { $0.machine.flags[reader]?.isActivated == true }
    }

    func receive(_ input: SwipeInput) {
        handle { machine, now in machine.receive(input, at: now) }
        guard case .shutDown = input else { return }
        state.withLock { state in
            state.isOver = true
            for task in state.tasks { task.cancel() }
            state.timer.cancel()
        }
        teller.end()
        effects.finish()
    }

    private func handle(_ body: (inout SwipeMachine, Duration) -> [SwipeOutput]) {
        let now = clock.now()
        state.withLock { state in
            guard !state.isOver else { return }
            for output in body(&state.machine, now) {
                switch output {
                case .effect(let effect): effects.yield(effect)
                case .announcement(let announcement): teller.queue(announcement)
                }
            }
            state.timer.arm(for: state.machine.nextDeadline) { [weak self] in self?.reach($0) }
        }
        teller.deliver()
    }

    private func reach(_ deadline: Duration) {
        guard state.withLock({ $0.timer.reach(deadline) }) else { return }
        handle { machine, now in machine.advance(to: max(deadline, now)) }
    }
}

/// A weak reference from the readers to their controller's engine.
final class SwipeEngineReference: Sendable {
    private struct Held { weak var engine: SwipeEngine? }

    private let held = Lock(Held())

    var engine: SwipeEngine? { held.withLock { $0.engine } }

    func set(_ engine: SwipeEngine) { held.withLock { $0.engine = engine } }

    func receive(_ input: SwipeInput) { engine?.receive(input) }
}

extension ReaderKind {
    /// Creates a device of each kind.
    static func makeDevices(_ reference: SwipeEngineReference) -> [ReaderKind: PGSwipeDevice] {
        [
            .ipsEnterprise: PGSwipeIpsEnterprise(reference), .ips: PGSwipeIps(reference),
            .uniMag: PGSwipeUniMag(reference), .iDynamo: PGSwipeIDynamo(reference),
        ]
    }
}
