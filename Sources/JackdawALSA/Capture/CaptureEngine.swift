import Glibc

/// Keeps a capture device going: runs its loop, and where the device goes, waits for it to come back.
///
/// Sans-I/O like the loop: whoever runs it waits as it says.
struct CaptureEngine<Opener: PCMOpener> {
    /// What to wait for.
    enum Next: Equatable {
        /// The device, so long at most (ms).
        case device(milliseconds: Int32)
        /// So much time (ms).
        case time(milliseconds: Int32)
        /// Nothing: it is over.
        case over(SystemFailure)
    }

    private let opener: Opener
    private let configuration: StreamConfiguration
    private(set) var calls: Opener.Calls?
    private var loop: CaptureLoop<Opener.Calls>?
    private var writer: BlockWriter
    /// When the last frame had been recorded before the device went.
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
    ///   - ring: gets the sound.
    init(_ calls: Opener.Calls, _ opener: Opener, _ configuration: StreamConfiguration, ring: BlockRing) {
        self.opener = opener
        // What the device was at first it must be again: whoever listens has settled on it.
        var pinned = configuration
        pinned.sampleRate = calls.format.sampleRate
        pinned.channels = calls.format.channels
        self.configuration = pinned
        self.calls = calls
        sampleRate = calls.format.sampleRate
        framesPerBlock = ring.framesPerBlock
        writer = BlockWriter(ring)
    }

    /// Starts the device.
    mutating func begin(now: Int64) -> Next {
        guard let calls else { return .over(.gone) }
        var loop = CaptureLoop(calls, framesPerBlock: framesPerBlock, now: now)
        let next = loop.begin(into: &writer, now: now)
        self.loop = loop
        return follow(next, now)
    }

    /// Goes on.
    /// - Parameters:
    ///   - condition: what the device answered; empty where the time ran out.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    mutating func step(_ condition: PollDescriptor.Conditions, now: Int64) -> Next {
        guard loop != nil else { return reopen(now) }
        return follow(loop!.step(condition, into: &writer, now: now), now)
    }

    /// The device failed to wait.
    mutating func fail(_ failure: SystemFailure, now: Int64) -> Next { follow(.ended(failure), now) }

    /// Gives the device back.
    mutating func close() {
        loop?.close()
        loop = nil
        calls = nil
    }

    private mutating func follow(_ next: CaptureLoop<Opener.Calls>.Next, _ now: Int64) -> Next {
        switch next {
        case .wait(let milliseconds): return .device(milliseconds: milliseconds)
        case .rest(let milliseconds): return .time(milliseconds: milliseconds)
        case .ended(let failure):
            let recordedUntil = loop?.recordedUntil
            close()
            writer.disconnect(at: now)
            guard configuration.reopens else { return .over(failure) }
            goneSince = recordedUntil ?? goneSince
            attempts = 0
            return pause()
        }
    }

    private mutating func pause() -> Next {
        defer { attempts += 1 }
        return .time(milliseconds: Self.pauses[min(attempts, Self.pauses.count - 1)])
    }

    private mutating func reopen(_ now: Int64) -> Next {
        guard let calls = try? opener.open(configuration, .capture) else { return pause() }
        self.calls = calls
        writer.lose(Int64((Double(now - goneSince) / 1e9 * sampleRate).rounded()))
        writer.reconnect(at: now)
        return begin(now: now)
    }
}
