import Glibc
import JackdawSystem
import Synchronization

/// Keeps a stream running: runs the loop of its device, and after a disconnect reopens the device.
///
/// It does not wait itself, like the loop: its caller waits for the event that each call returns.
struct StreamEngine<Opener: PCMOpener, Loop: PCMLoop> where Loop.Calls == Opener.Calls {
    /// The event that the caller must wait for.
    enum Next: Equatable {
        /// The device, for this time at most (ms).
        case device(milliseconds: Int32)
        /// This much time (ms).
        case time(milliseconds: Int32)
        /// No event: the device cannot be used any more.
        case over(SystemFailure)
        /// No event: all sound was played.
        case finished
    }

    private let opener: Opener
    private let configuration: StreamConfiguration
    private(set) var calls: Opener.Calls?
    private var loop: Loop?
    private var sound: Loop.Sound
    /// The end of the sound before the device was disconnected, in nanoseconds of the monotonic clock.
    private var goneSince: Int64 = 0
    private var attempts = 0
    private let sampleRate: Double
    private let framesPerBlock: Int

    /// Pauses between attempts to reopen a disconnected device (ms); the last one repeats.
    private static var pauses: [Int32] { [100, 200, 500, 1_000] }

    /// - Parameters:
    ///   - calls: the open device.
    ///   - opener: opens the device again with the same parameters.
    ///   - configuration: the parameters of the device.
    ///   - framesPerBlock: the most frames that are transferred at once.
    ///   - sound: receives the captured sound, or provides the sound to play.
    init(
        _ calls: Opener.Calls, _ opener: Opener, _ configuration: StreamConfiguration, framesPerBlock: Int,
        sound: Loop.Sound
    ) {
        self.opener = opener
        // The device must be reopened with the same rate and channels, on which the stream's user relies.
        var pinned = configuration
        pinned.sampleRate = calls.format.sampleRate
        pinned.channels = calls.format.channels
        self.configuration = pinned
        self.calls = calls
        sampleRate = calls.format.sampleRate
        self.framesPerBlock = framesPerBlock
        self.sound = sound
    }

    /// Starts the device, and returns the event to wait for.
    mutating func begin(now: Int64) -> Next {
        guard let calls else { return .over(.gone) }
        loop = Loop(calls, framesPerBlock: framesPerBlock, now: now)
        return follow(loop!.begin(with: &sound, now: now), now)
    }

    /// Continues after a wait.
    /// - Parameters:
    ///   - condition: the device's answer; empty after a timeout.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: the event to wait for.
    mutating func step(_ condition: PollDescriptor.Conditions, now: Int64) -> Next {
        guard loop != nil else { return reopen(now) }
        return follow(loop!.step(condition, with: &sound, now: now), now)
    }

    /// Continues after a wait for the device that failed.
    mutating func fail(_ failure: SystemFailure, now: Int64) -> Next {
        guard loop != nil else { return pause() }
        return follow(loop!.fail(failure, with: &sound, now: now), now)
    }

    /// Whether the owner must be woken; called once a step.
    mutating func takeNews() -> Bool { sound.takeNews() }

    /// Lets the device play the frames that it holds.
    /// - Returns: the time that takes (ms).
    mutating func drain(now: Int64) -> Int32 { loop?.drain(&sound, now: now) ?? 0 }

    /// Closes the device and its loop.
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
            // A device that opens but moves no sound is tried less and less often.
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
    /// Runs a stream on the calling thread until the owner stops it.
    /// - Parameter state: the state that the thread and the owner share.
    consuming func run(_ state: StreamState) {
        defer { state.end() }
        let wait = DeviceWait(state.wakeUp)
        let clock = SystemWaiting()
        var next = begin(now: clock.now())
        var isRealtime = true
        while !state.isStopped {
            // Opening a device loads plug-ins and connects to servers: this must not run at real-time priority.
            if (calls != nil) != isRealtime {
                isRealtime.toggle()
                WorkerThread.setRealtime(isRealtime)
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
        // This wait ignores the wake-ups.
        if rest > 0 { _ = poll(nil, 0, rest) }
        close()
    }
}

/// The state that the thread of a stream and its owner share.
final class StreamState: Sendable {
    /// Ends a wait of the thread.
    let wakeUp: WakeUp
    /// Ends a wait of the owner.
    let news: WakeUp
    /// Rung when the thread ends.
    let ended: WakeUp

    private let stopped = Atomic(false)
    private let finished = Atomic(false)
    private let over = Atomic(false)
    private let failureCode = Atomic<Int32>(0)

    /// - Throws: `SystemFailure` if the process has no descriptor to spare.
    init() throws(SystemFailure) {
        wakeUp = try WakeUp()
        news = try WakeUp()
        ended = try WakeUp()
    }

    /// Whether the owner asked the thread to end.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// The failure that ended the thread; nil if it did not fail.
    var failure: SystemFailure? {
        let code = failureCode.load(ordering: .acquiring)
        return code == 0 ? nil : SystemFailure(code: code)
    }

    /// Whether the thread has ended because all its work was done.
    var hasFinished: Bool { finished.load(ordering: .acquiring) }

    /// Whether the thread has ended, or will end without more work.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Asks the thread to end.
    /// - Returns: false if an earlier call did that.
    func stop() -> Bool {
        guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        wakeUp.ring()
        return true
    }

    /// Records a failure of the thread, which then ends.
    func fail(_ failure: SystemFailure) { failureCode.store(failure.code, ordering: .releasing) }

    /// Records that the thread has done all its work.
    func finish() { finished.store(true, ordering: .releasing) }

    /// Records the end of the thread, for any reason, and wakes the owner.
    func end() {
        over.store(true, ordering: .releasing)
        ended.ring()
        news.ring()
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, for `poll`: 0 to 1,000,000,000.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(clamping: max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

/// Passes a value from one thread to another, which then has the only reference: changes do not copy it.
final class Handover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    /// Takes the value. Call once.
    func take() -> Value {
        guard let taken = value.withLock({ $0.take() }) else { preconditionFailure("the value can be taken only once") }
        return taken
    }
}
