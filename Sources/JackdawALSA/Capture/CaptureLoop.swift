import Glibc

/// Takes sound from a device whenever it has some, and brings it back from all that can be recovered from.
///
/// Sans-I/O but for the device's own calls: whoever runs it waits as it says, then calls ``step(_:now:)`` with what came.
@safe struct CaptureLoop<Calls: PCMCalls> {
    /// What to do next.
    enum Next: Equatable {
        /// Wait for the device, so long at most (ms).
        case wait(milliseconds: Int32)
        /// Let so much time pass (ms), whatever the device says.
        case rest(milliseconds: Int32)
        /// The device is of no use any more.
        case ended(SystemFailure)
    }

    private let calls: Calls
    private let bytes: UnsafeMutableRawBufferPointer
    private let framesPerBlock: Int
    /// When the last frame that was read had been recorded; before the first one, when recording was to begin.
    private(set) var recordedUntil: Int64
    private var hasRecorded = false
    private var isSuspended = false
    /// Recoveries since sound came last.
    private var fruitless = 0

    /// Recoveries without any sound between them that a device is granted.
    private static var mostFruitless: Int { 20 }
    /// Pause between attempts to wake a device that sleeps, and between fruitless recoveries (ms).
    private static var restMilliseconds: Int32 { 20 }
    /// The device is asked how it is after so many periods without a word, and at least so much time (ms).
    private static var patiencePeriods: Double { 8 }
    private static var leastPatience: Double { 100 }

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: frames that are read at once, at most.
    ///   - now: the time, in nanoseconds of the monotonic clock: what is recorded later than that is told to be lost.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64) {
        self.calls = calls
        recordedUntil = now
        self.framesPerBlock = framesPerBlock
        unsafe bytes = .allocate(byteCount: framesPerBlock * calls.format.bytesPerFrame, alignment: 16)
        // Some plug-ins say that they have filled what they have not.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Overwrites the memory that sound went through, and gives it back with the device.
    func close() {
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe bytes.deallocate()
        calls.close()
    }

    private var patience: Int32 {
        Int32(max(Self.leastPatience, (Self.patiencePeriods * 1000 * calls.format.period).rounded(.up)))
    }

    /// Starts the device.
    mutating func begin(into writer: inout BlockWriter, now: Int64) -> Next {
        do throws(SystemFailure) {
            try start()
            return .wait(milliseconds: patience)
        } catch {
            return recover(from: error, &writer, now)
        }
    }

    private func start() throws(SystemFailure) {
        try calls.prepare()
        try calls.start()
    }

    /// Takes what the device has.
    /// - Parameters:
    ///   - condition: what the device answered; empty where the time ran out.
    ///   - writer: gets the sound.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: what to do next.
    mutating func step(_ condition: PollDescriptor.Conditions, into writer: inout BlockWriter, now: Int64) -> Next {
        if isSuspended { return resume(&writer, now) }
        if !condition.isDisjoint(with: [.hungUp, .invalid]) { return .ended(.gone) }
        do throws(SystemFailure) {
            // What the wake-up was worth is what is there; an error at the descriptor shows here too.
            if try read(&writer, now) || !condition.isEmpty { return .wait(milliseconds: patience) }
            return try ask()
        } catch {
            return recover(from: error, &writer, now)
        }
    }

    /// Reads whole periods, as many as are there.
    /// - Returns: whether there was one.
    private mutating func read(_ writer: inout BlockWriter, _ now: Int64) throws(SystemFailure) -> Bool {
        var available = try calls.available()
        var hasRead = false
        let format = calls.format
        // No more than the buffer holds: a device that always has more would never let go.
        var most = format.bufferFrames
        while available >= format.periodFrames, most > 0 {
            let stamp = calls.timestamp() ?? (available, now)
            let wanted = min(available, framesPerBlock)
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<(wanted * format.bytesPerFrame)])
            let frames = min(wanted, try unsafe calls.read(room))
            guard frames > 0 else { return hasRead }
            let time = stamp.time - nanoseconds(Double(stamp.available))
            let filled = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)])
            writer.write(frames: frames, time: time) { unsafe format.encoding.decode(filled, into: &$0) }
            recordedUntil = time + nanoseconds(Double(frames))
            fruitless = 0
            hasRecorded = true
            hasRead = true
            available -= frames
            most -= frames
        }
        return hasRead
    }

    /// Asks a device that has nothing to say how it is.
    private mutating func ask() throws(SystemFailure) -> Next {
        switch calls.state() {
        case .disconnected: return .ended(.gone)
        case .suspended: throw SystemFailure(code: ESTRPIPE)
        case .overrun, .prepared: throw SystemFailure(code: EPIPE)
        case .running, .other: return .wait(milliseconds: patience)
        }
    }

    private mutating func recover(from failure: SystemFailure, _ writer: inout BlockWriter, _ now: Int64) -> Next {
        switch failure.code {
        case EAGAIN, EINTR: return .wait(milliseconds: patience)
        case ESTRPIPE:
            isSuspended = true
            return resume(&writer, now)
        case EPIPE, EBADFD: return restart(&writer, now)
        default: return .ended(failure)
        }
    }

    /// Wakes a device that slept with the system; one that cannot wake is started anew.
    private mutating func resume(_ writer: inout BlockWriter, _ now: Int64) -> Next {
        do throws(SystemFailure) {
            try calls.resume()
            isSuspended = false
            lose(&writer, until: now)
            return .wait(milliseconds: patience)
        } catch {
            switch error.code {
            case EAGAIN, EINTR: return .rest(milliseconds: Self.restMilliseconds)
            case ENODEV, ENXIO: return .ended(error)
            default:
                isSuspended = false
                return restart(&writer, now)
            }
        }
    }

    private mutating func restart(_ writer: inout BlockWriter, _ now: Int64) -> Next {
        guard calls.state() != .disconnected else { return .ended(.gone) }
        fruitless += 1
        guard fruitless <= Self.mostFruitless else { return .ended(SystemFailure(code: EIO)) }
        lose(&writer, until: now)
        do throws(SystemFailure) {
            try start()
        } catch {
            switch error.code {
            case EAGAIN, EINTR, EPIPE, ESTRPIPE: return .rest(milliseconds: Self.restMilliseconds)
            default: return .ended(error)
            }
        }
        return fruitless == 1 ? .wait(milliseconds: patience) : .rest(milliseconds: Self.restMilliseconds)
    }

    /// Tells of the frames that were not recorded up to a time: by the clock, and one at least where there had been sound.
    private mutating func lose(_ writer: inout BlockWriter, until now: Int64) {
        let frames = (Double(now - recordedUntil) / 1e9 * calls.format.sampleRate).rounded()
        let lost = max(hasRecorded ? 1 : 0, frames)
        writer.lose(Int64(lost))
        recordedUntil += nanoseconds(lost)
    }

    private func nanoseconds(_ frames: Double) -> Int64 { Int64((frames / calls.format.sampleRate * 1e9).rounded()) }
}

extension SystemFailure {
    /// The device has gone.
    static let gone = SystemFailure(code: ENODEV)
}
