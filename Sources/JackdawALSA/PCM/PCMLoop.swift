import Glibc
import JackdawSystem

/// Transfers sound between a device and its consumer or producer, and recovers the device from all errors that allow
/// it.
///
/// It makes the device's own calls and does no other I/O: its caller waits as the result requires, then calls
/// ``step(_:with:now:)`` with the answer. Both directions share this code.
protocol PCMLoop {
    associatedtype Calls: PCMCalls
    associatedtype Sound: PCMSound

    /// The direction of the sound.
    static var direction: PCMDirection { get }
    var calls: Calls { get }
    /// The record of the device's failures.
    var recovery: PCMRecovery { get set }
    /// When the last frame was recorded, or will have been played, in nanoseconds of the monotonic clock.
    var soundUntil: Int64 { get }

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: the most frames that are transferred at once.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64)
    /// Prepares and starts the device.
    mutating func start(_ sound: inout Sound, now: Int64) throws(SystemFailure)
    /// Transfers all frames that the device can take or has.
    /// - Returns: whether any frame was transferred.
    mutating func transfer(_ sound: inout Sound, now: Int64) throws(SystemFailure) -> Bool
    /// Reports the time up to now in which no sound was recorded or played.
    mutating func skip(_ gap: PCMGap, _ sound: inout Sound, now: Int64)
    /// Lets the device play the frames that it holds.
    /// - Returns: the time that takes (ms).
    mutating func drain(_ sound: inout Sound, now: Int64) -> Int32
    /// Closes the device and frees all memory.
    func close()
}

/// The consumer or producer of a device's sound; it outlives the device.
protocol PCMSound {
    /// Whether no more sound is needed.
    var isOver: Bool { get }
    /// Whether the owner must be woken; called once a step.
    mutating func takeNews() -> Bool
    /// Reports frames that were not recorded, or were played as silence.
    mutating func lose(_ frames: Int64)
    /// Reports that the device was disconnected.
    mutating func disconnect(at time: Int64)
    /// Reports that the device is back.
    mutating func reconnect(at time: Int64)
    /// Reports an event again for which there was no room.
    mutating func remind(at time: Int64)
}

/// The next step that a loop needs.
enum LoopNext: Equatable {
    /// Wait for the device, for this time at most (ms).
    case wait(milliseconds: Int32)
    /// Wait for this time (ms), and ignore the device.
    case rest(milliseconds: Int32)
    /// The device cannot be used any more.
    case ended(SystemFailure)
    /// All sound was played.
    case finished
}

/// The reason for a gap in the sound.
enum PCMGap: Equatable {
    /// An xrun: the program was late, and the buffer was full or empty.
    case late
    /// The device was suspended with its buffer, and continues with it.
    case slept
    /// The device lost its buffer.
    case reset
}

/// The record of a device's failures.
struct PCMRecovery {
    /// Whether the device is suspended with the system.
    fileprivate(set) var isSuspended = false
    /// Recoveries since sound was last transferred.
    fileprivate var fruitless = 0

    /// Recoveries without any sound between them that are allowed.
    fileprivate static let maxFruitless = 20
    /// Longest pause between attempts to resume a suspended device, and between fruitless recoveries (ms).
    fileprivate static let longestRest = 20.0
    /// The device's state is checked after this many periods without an answer, and after this time at least (ms).
    fileprivate static let patiencePeriods = 8.0
    fileprivate static let leastPatience = 100.0

    /// A device that reports that it runs, but transfers no sound, is restarted after this time (ns).
    fileprivate static let longestSilence: Int64 = 2_000_000_000
    /// When sound was last transferred, or the device was started, in nanoseconds of the monotonic clock.
    fileprivate var movedAt: Int64 = 0
    /// Whether any sound was transferred.
    fileprivate(set) var hasMoved = false

    /// Records that sound was transferred.
    mutating func succeed(at now: Int64) {
        fruitless = 0
        movedAt = now
        hasMoved = true
    }
}

extension PCMLoop {
    /// Starts the device, and recovers it if that fails.
    mutating func begin(with sound: inout Sound, now: Int64) -> LoopNext {
        recovery.movedAt = now
        do throws(SystemFailure) {
            try start(&sound, now: now)
            return .wait(milliseconds: patience)
        } catch {
            return recover(from: error, &sound, now)
        }
    }

    /// Continues after a wait.
    /// - Parameters:
    ///   - condition: the device's answer; empty after a timeout.
    ///   - sound: receives the captured sound, or provides the sound to play.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: the next step.
    mutating func step(
        _ condition: PollDescriptor.Conditions, with sound: inout Sound, now: Int64
    ) -> LoopNext {
        if recovery.isSuspended { return resume(&sound, now) }
        if condition.hasNoDevice { return .ended(.gone) }
        do throws(SystemFailure) {
            // A suspended or reset device answers `poll` at once, again and again, and its number of frames does not
            // change.
            if condition.contains(.failed) { try examine() }
            let hasMoved = try transfer(&sound, now: now)
            if sound.isOver { return .finished }
            if hasMoved { return .wait(milliseconds: patience) }
            if condition.isEmpty { try examine() }
            guard now - recovery.movedAt < PCMRecovery.longestSilence else { throw SystemFailure(code: EBADFD) }
            // The device answered before a period was complete: `poll` would return at once again.
            return condition.isEmpty ? .wait(milliseconds: patience) : .rest(milliseconds: halfPeriod)
        } catch {
            return recover(from: error, &sound, now)
        }
    }

    /// Continues after a wait for the device that failed.
    /// - Parameters:
    ///   - failure: the error of the wait.
    ///   - sound: receives the captured sound, or provides the sound to play.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: the next step.
    mutating func fail(_ failure: SystemFailure, with sound: inout Sound, now: Int64) -> LoopNext {
        recover(from: failure, &sound, now)
    }

    /// Prepares the device from any state: the kernel does not prepare a running device.
    func makeReady() throws(SystemFailure) {
        calls.drop()
        try calls.prepare()
    }

    /// The device's time stamp; nil if it is not plausible, since some plug-ins use another clock.
    func timestamp(_ now: Int64) -> (available: Int, time: Int64)? {
        guard let stamp = calls.timestamp() else { return nil }
        let slack: Int64 = 1_000_000_000
        let buffer = calls.format.bufferFrames
        let isPlausible = (now - nanoseconds(Double(buffer)) - slack...now + slack).contains(stamp.time)
        return isPlausible && (0...2 * buffer).contains(stamp.available) ? stamp : nil
    }

    /// Converts a number of frames to nanoseconds.
    func nanoseconds(_ frames: Double) -> Int64 { Int64((frames / calls.format.sampleRate * 1e9).rounded()) }

    /// Converts nanoseconds to a number of frames.
    func frames(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e9 * calls.format.sampleRate).rounded() }

    private var patience: Int32 {
        let periods = (PCMRecovery.patiencePeriods * 1000 * calls.format.period).rounded(.up)
        return Int32(max(PCMRecovery.leastPatience, periods))
    }

    /// Half a buffer at most, so that the pause causes no xrun after the device has recovered.
    private var rest: Int32 {
        let buffer = 1000 * Double(calls.format.bufferFrames) / calls.format.sampleRate
        return Int32(max(1, min(PCMRecovery.longestRest, buffer / 2)))
    }

    private var halfPeriod: Int32 { Int32(max(1, min(PCMRecovery.longestRest, 500 * calls.format.period))) }

    /// Checks the state of a device that transfers nothing, and throws the error for that state.
    private func examine() throws(SystemFailure) {
        switch calls.state() {
        case .disconnected: throw .gone
        case .suspended: throw SystemFailure(code: ESTRPIPE)
        case .overrun: throw SystemFailure(code: EPIPE)
        case .prepared: throw SystemFailure(code: EBADFD)
        case .running, .other: break
        }
    }

    private mutating func recover(from failure: SystemFailure, _ sound: inout Sound, _ now: Int64) -> LoopNext {
        switch failure.code {
        case EAGAIN, EINTR: return .wait(milliseconds: patience)
        case ESTRPIPE:
            recovery.isSuspended = true
            return resume(&sound, now)
        case EPIPE: return restart(after: .late, &sound, now)
        case EBADFD: return restart(after: .reset, &sound, now)
        default: return .ended(failure)
        }
    }

    /// Resumes a device that was suspended with the system; restarts it if it cannot resume.
    private mutating func resume(_ sound: inout Sound, _ now: Int64) -> LoopNext {
        do throws(SystemFailure) {
            try calls.resume()
            recovery.isSuspended = false
            recovery.movedAt = now
            skip(.slept, &sound, now: now)
            return .wait(milliseconds: patience)
        } catch {
            switch error.code {
            case EAGAIN, EINTR: return .rest(milliseconds: rest)
            case ENODEV, ENXIO: return .ended(error)
            default:
                recovery.isSuspended = false
                return restart(after: .reset, &sound, now)
            }
        }
    }

    private mutating func restart(after gap: PCMGap, _ sound: inout Sound, _ now: Int64) -> LoopNext {
        guard calls.state() != .disconnected else { return .ended(.gone) }
        recovery.fruitless += 1
        guard recovery.fruitless <= PCMRecovery.maxFruitless else { return .ended(SystemFailure(code: EIO)) }
        skip(gap, &sound, now: now)
        recovery.movedAt = now
        do throws(SystemFailure) {
            try start(&sound, now: now)
        } catch {
            switch error.code {
            case EAGAIN, EINTR, EPIPE, ESTRPIPE: return .rest(milliseconds: rest)
            default: return .ended(error)
            }
        }
        return recovery.fruitless == 1 ? .wait(milliseconds: patience) : .rest(milliseconds: rest)
    }
}

extension SystemFailure {
    /// The device was disconnected (`ENODEV`).
    static let gone = SystemFailure(code: ENODEV)
}
