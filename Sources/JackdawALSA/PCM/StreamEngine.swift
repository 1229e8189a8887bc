import Glibc
import JackdawSystem

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
