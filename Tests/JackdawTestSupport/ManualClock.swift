internal import JackdawTransport

/// A clock that stands still until a test moves it. Who sleeps on it wakes when its time has come,
/// in the order of the times.
public final class ManualClock: Clock {
    /// A time since the clock was made.
    public struct Instant: InstantProtocol {
        /// How long after the beginning.
        public let offset: Duration

        /// The instant so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// How long it is to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether one is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var number: Int
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var nextNumber = 0
        /// Sleepers that were cancelled before they slept.
        var cancelled: Set<Int> = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    /// A clock at its beginning.
    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// When the first sleeper will wake; nil if no task sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Sleeps until the clock has been moved there.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (result, ready): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock {
                    state in
                    if state.cancelled.remove(number) != nil { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    let ready = state.waiting.filter { $0.count <= state.sleepers.count }.map(\.continuation)
                    state.waiting.removeAll { $0.count <= state.sleepers.count }
                    return (nil, ready)
                }
                for waiting in ready { waiting.resume() }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock on, waking who sleeps.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.deadline <= now }.sorted {
                ($0.deadline, $0.number) < ($1.deadline, $1.number)
            }
            state.sleepers.removeAll { $0.deadline <= now }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until so many sleep, and moves the clock to the time at which the first of them wakes.
    public func advance(toFirstOf count: Int) async {
        await sleepers(count)
        if let next = nextDeadline { advance(by: now.duration(to: next)) }
    }

    /// Waits until so many sleep.
    public func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}
