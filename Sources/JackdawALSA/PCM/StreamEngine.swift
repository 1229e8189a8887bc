import Glibc
import JackdawSystem
import Synchronization

/// Keeps a device going: runs its loop, and where the device goes, waits for it to come back.
///
/// Sans-I/O like the loop: whoever runs it waits as it says.
struct StreamEngine<Opener: PCMOpener, Loop: PCMLoop> where Loop.Calls == Opener.Calls {
    /// What to wait for.
    enum Next: Equatable {
        /// The device, so long at most (ms).
        case device(milliseconds: Int32)
        /// So much time (ms).
        case time(milliseconds: Int32)
        /// Nothing: the device is of no use any more.
        case over(SystemFailure)
        /// Nothing: all sound was heard.
        case finished
    }

    private let opener: Opener
    private let configuration: StreamConfiguration
    private(set) var calls: Opener.Calls?
    private var loop: Loop?
    private var sound: Loop.Sound
    /// Up to when there was sound before the device went.
    private var goneSince: Int64 = 0
    private var attempts = 0
    private let sampleRate: Double
    private let framesPerBlock: Int

    /// Pauses before a device that has gone is tried again (ms); the last one again and again.
    private static var pauses: [Int32] { [100, 200, 500, 1_000] }

    /// - Parameters:
    ///   - calls: the open device.
    ///   - opener: opens it again, as it was.
    ///   - configuration: how.
    ///   - framesPerBlock: frames that go through it at once, at most.
    ///   - sound: gets the sound, or gives it.
    init(
        _ calls: Opener.Calls, _ opener: Opener, _ configuration: StreamConfiguration, framesPerBlock: Int,
        sound: Loop.Sound
    ) {
        self.opener = opener
        // What the device was at first it must be again: whoever listens has settled on it.
        var pinned = configuration
        pinned.sampleRate = calls.format.sampleRate
        pinned.channels = calls.format.channels
        self.configuration = pinned
        self.calls = calls
        sampleRate = calls.format.sampleRate
        self.framesPerBlock = framesPerBlock
        self.sound = sound
    }

    /// Starts the device.
    mutating func begin(now: Int64) -> Next {
        guard let calls else { return .over(.gone) }
        loop = Loop(calls, framesPerBlock: framesPerBlock, now: now)
        return follow(loop!.begin(with: &sound, now: now), now)
    }

    /// Goes on.
    /// - Parameters:
    ///   - condition: what the device answered; empty where the time ran out.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: what to wait for.
    mutating func step(_ condition: PollDescriptor.Conditions, now: Int64) -> Next {
        guard loop != nil else { return reopen(now) }
        return follow(loop!.step(condition, with: &sound, now: now), now)
    }

    /// The device failed to wait.
    mutating func fail(_ failure: SystemFailure, now: Int64) -> Next {
        guard loop != nil else { return pause() }
        return follow(loop!.fail(failure, with: &sound, now: now), now)
    }

    /// Whether the owner is to be woken; asked once a step.
    mutating func takeNews() -> Bool { sound.takeNews() }

    /// Lets what the device holds be heard.
    /// - Returns: how long that takes (ms).
    mutating func drain(now: Int64) -> Int32 { loop?.drain(&sound, now: now) ?? 0 }

    /// Gives the device back.
    mutating func close() {
        if let loop { loop.close() } else { calls?.close() }
        loop = nil
        calls = nil
    }

    private mutating func follow(_ next: LoopNext, _ now: Int64) -> Next {
        switch next {
        case .wait(let milliseconds): return .device(milliseconds: milliseconds)
        case .rest(let milliseconds): return .time(milliseconds: milliseconds)
        case .finished:
            close()
            return .finished
        case .ended(let failure):
            let soundUntil = loop?.soundUntil
            // One that opens, but gives no sound, is tried less and less often.
            if loop?.recovery.hasMoved ?? false { attempts = 0 }
            close()
            sound.disconnect(at: now)
            guard configuration.reopens else { return .over(failure) }
            goneSince = soundUntil ?? goneSince
            return pause()
        }
    }

    private mutating func pause() -> Next {
        defer { attempts += 1 }
        return .time(milliseconds: Self.pauses[min(attempts, Self.pauses.count - 1)])
    }

    private mutating func reopen(_ now: Int64) -> Next {
        if sound.isOver { return .finished }
        guard let calls = try? opener.open(configuration, Loop.direction) else {
            sound.remind(at: now)
            return pause()
        }
        self.calls = calls
        sound.lose(max(0, Int64((Double(now - goneSince) / 1e9 * sampleRate).rounded())))
        sound.reconnect(at: now)
        return begin(now: now)
    }
}

extension StreamEngine {
    /// What the thread of a stream does.
    /// - Parameter state: what it and its owner tell each other.
    consuming func run(_ state: StreamState) {
        defer { state.end() }
        let wait = DeviceWait(state.wakeUp)
        let clock = SystemWaiting()
        var next = begin(now: clock.now())
        var isHurried = true
        while !state.isStopped {
            // Opening a device loads plug-ins and talks to servers: no work for a thread that is ahead of all others.
            if (calls != nil) != isHurried {
                isHurried.toggle()
                WorkerThread.hurry(isHurried)
            }
            switch next {
            case .device(let milliseconds):
                guard let calls else { return }
                switch wait.wait(for: calls, milliseconds: milliseconds) {
                case .device(let condition): next = step(condition, now: clock.now())
                case .failed(let failure): next = fail(failure, now: clock.now())
                }
            case .time(let milliseconds):
                wait.wait(milliseconds: milliseconds)
                if !state.isStopped { next = step([], now: clock.now()) }
            case .over(let failure):
                state.fail(failure)
                return
            case .finished:
                state.finish()
                return
            }
            if takeNews() { state.news.ring() }
        }
        let rest = drain(now: clock.now())
        // Whatever rings now.
        if rest > 0 { _ = poll(nil, 0, rest) }
        close()
    }
}

/// What the thread of a stream and its owner tell each other.
final class StreamState: Sendable {
    /// Ends the thread's wait.
    let wakeUp: WakeUp
    /// Ends its owner's wait.
    let news: WakeUp
    /// Rung when the thread ends.
    let ended: WakeUp

    private let stopped = Atomic(false)
    private let finished = Atomic(false)
    private let over = Atomic(false)
    private let failureCode = Atomic<Int32>(0)

    /// - Throws: ``SystemFailure`` where the process has no descriptor to spare.
    init() throws(SystemFailure) {
        wakeUp = try WakeUp()
        news = try WakeUp()
        ended = try WakeUp()
    }

    /// Whether the owner wants the thread to end.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Why the thread has ended by itself; nil where it has not.
    var failure: SystemFailure? {
        let code = failureCode.load(ordering: .acquiring)
        return code == 0 ? nil : SystemFailure(code: code)
    }

    /// Whether the thread has ended because there was nothing more to do.
    var hasFinished: Bool { finished.load(ordering: .acquiring) }

    /// Whether the thread has ended, or will without doing more.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Asks the thread to end.
    /// - Returns: false where that was asked before.
    func stop() -> Bool {
        guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        wakeUp.ring()
        return true
    }

    /// The thread fails, and will end.
    func fail(_ failure: SystemFailure) { failureCode.store(failure.code, ordering: .releasing) }

    /// The thread has nothing more to do.
    func finish() { finished.store(true, ordering: .releasing) }

    /// The thread ends: it was asked to, has failed, or has nothing more to do.
    func end() {
        over.store(true, ordering: .releasing)
        ended.ring()
        news.ring()
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, for `poll`; what is longer than it can wait is cut, and nothing waits less than none.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(clamping: max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

/// A value that one thread leaves for another, which then has the only copy: what it changes in it is not copied first.
final class Handover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    /// The value. Once.
    func take() -> Value {
        guard let taken = value.withLock({ $0.take() }) else { preconditionFailure("handed over once") }
        return taken
    }
}
