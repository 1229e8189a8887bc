import Glibc
import JackdawSystem

/// Moves sound between a device and whoever takes or makes it, and brings the device back from all that can be recovered from.
///
/// Sans-I/O but for the device's own calls: whoever runs it waits as it says, then calls ``step(_:with:now:)`` with what came.
/// What the two directions have in common is here.
protocol PCMLoop {
    associatedtype Calls: PCMCalls
    associatedtype Sound: PCMSound

    /// Which way the sound goes.
    static var direction: PCMDirection { get }
    /// The device.
    var calls: Calls { get }
    /// What is remembered of its failures.
    var recovery: PCMRecovery { get set }
    /// When the last frame was recorded, or will have been heard, in nanoseconds of the monotonic clock.
    var soundUntil: Int64 { get }

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: frames that go through the loop at once, at most.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64)
    /// Makes the device ready and lets it run.
    mutating func start(_ sound: inout Sound, now: Int64) throws(SystemFailure)
    /// Moves what there is to move.
    /// - Returns: whether there was something.
    mutating func transfer(_ sound: inout Sound, now: Int64) throws(SystemFailure) -> Bool
    /// Tells of the time up to now in which nothing was recorded or heard.
    mutating func skip(_ gap: PCMGap, _ sound: inout Sound, now: Int64)
    /// Lets what the device holds be heard.
    /// - Returns: how long that takes (ms).
    mutating func drain(_ sound: inout Sound, now: Int64) -> Int32
    /// Gives the device back with all memory.
    func close()
}

/// Where the sound of a device goes to or comes from; it outlives the device.
protocol PCMSound {
    /// Whether no more sound will be wanted.
    var isOver: Bool { get }
    /// Whether its owner is to be woken; asked once a step.
    mutating func takeNews() -> Bool
    /// Frames were not recorded, or silence was heard.
    mutating func lose(_ frames: Int64)
    /// The device has gone.
    mutating func disconnect(at time: Int64)
    /// The device is back.
    mutating func reconnect(at time: Int64)
    /// Tells again what nobody had room for.
    mutating func remind(at time: Int64)
}

/// What a loop wants next.
enum LoopNext: Equatable {
    /// Wait for the device, so long at most (ms).
    case wait(milliseconds: Int32)
    /// Let so much time pass (ms), whatever the device says.
    case rest(milliseconds: Int32)
    /// The device is of no use any more.
    case ended(SystemFailure)
    /// All sound was heard.
    case finished
}

/// Why sound broke off.
enum PCMGap: Equatable {
    /// The buffer was full or empty: nobody came in time.
    case late
    /// The device slept with its buffer, and goes on with it.
    case slept
    /// The device lost its buffer.
    case reset
}

/// What a loop remembers of a device's failures.
struct PCMRecovery {
    /// Whether the device sleeps with the system.
    fileprivate(set) var isSuspended = false
    /// Recoveries since the sound went on last.
    fileprivate var fruitless = 0

    /// Recoveries without any sound between them that a device is granted.
    fileprivate static let mostFruitless = 20
    /// Longest pause between attempts to wake a device that sleeps, and between fruitless recoveries (ms).
    fileprivate static let longestRest = 20.0
    /// The device is asked how it is after so many periods without a word, and at least so much time (ms).
    fileprivate static let patiencePeriods = 8.0
    fileprivate static let leastPatience = 100.0

    /// A device that says it runs, without any sound, is started anew after so long (ns).
    fileprivate static let longestSilence: Int64 = 2_000_000_000
    /// When sound was moved last, or the device was started, in nanoseconds of the monotonic clock.
    fileprivate var movedAt: Int64 = 0
    /// Whether any sound was moved.
    fileprivate(set) var hasMoved = false

    /// The sound goes on.
    mutating func succeed(at now: Int64) {
        fruitless = 0
        movedAt = now
        hasMoved = true
    }
}

extension PCMLoop {
    /// Starts the device.
    mutating func begin(with sound: inout Sound, now: Int64) -> LoopNext {
        recovery.movedAt = now
        do throws(SystemFailure) {
            try start(&sound, now: now)
            return .wait(milliseconds: patience)
        } catch {
            return recover(from: error, &sound, now)
        }
    }

    /// Goes on.
    /// - Parameters:
    ///   - condition: what the device answered; empty where the time ran out.
    ///   - sound: gets the sound, or gives it.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: what to do next.
    mutating func step(
        _ condition: PollDescriptor.Conditions, with sound: inout Sound, now: Int64
    ) -> LoopNext {
        if recovery.isSuspended { return resume(&sound, now) }
        if condition.hasNoDevice { return .ended(.gone) }
        do throws(SystemFailure) {
            // A device that sleeps or has been reset answers at once and for ever, and its count of frames stands still.
            if condition.contains(.failed) { try examine() }
            let hasMoved = try transfer(&sound, now: now)
            if sound.isOver { return .finished }
            if hasMoved { return .wait(milliseconds: patience) }
            if condition.isEmpty { try examine() }
            guard now - recovery.movedAt < PCMRecovery.longestSilence else { throw SystemFailure(code: EBADFD) }
            // Awake before there is a period: waiting for it would be no waiting.
            return condition.isEmpty ? .wait(milliseconds: patience) : .rest(milliseconds: halfPeriod)
        } catch {
            return recover(from: error, &sound, now)
        }
    }

    /// The device could not be waited for.
    /// - Parameters:
    ///   - failure: why.
    ///   - sound: gets the sound, or gives it.
    ///   - now: the time, in nanoseconds of the monotonic clock.
    /// - Returns: what to do next.
    mutating func fail(_ failure: SystemFailure, with sound: inout Sound, now: Int64) -> LoopNext {
        recover(from: failure, &sound, now)
    }

    /// Makes the device ready, whatever it was doing: the kernel refuses that to one that runs.
    func makeReady() throws(SystemFailure) {
        calls.drop()
        try calls.prepare()
    }

    /// What the device tells of the time, where that can be true: some plug-ins tell that of another clock.
    func timestamp(_ now: Int64) -> (available: Int, time: Int64)? {
        guard let stamp = calls.timestamp() else { return nil }
        let slack: Int64 = 1_000_000_000
        let buffer = calls.format.bufferFrames
        let isPlausible = (now - nanoseconds(Double(buffer)) - slack...now + slack).contains(stamp.time)
        return isPlausible && (0...2 * buffer).contains(stamp.available) ? stamp : nil
    }

    /// Length of so many frames.
    func nanoseconds(_ frames: Double) -> Int64 { Int64((frames / calls.format.sampleRate * 1e9).rounded()) }

    /// Frames of a time, in nanoseconds.
    func frames(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e9 * calls.format.sampleRate).rounded() }

    private var patience: Int32 {
        let periods = (PCMRecovery.patiencePeriods * 1000 * calls.format.period).rounded(.up)
        return Int32(max(PCMRecovery.leastPatience, periods))
    }

    /// Half a buffer at most: a device that is well again shall not be late because of it.
    private var rest: Int32 {
        let buffer = 1000 * Double(calls.format.bufferFrames) / calls.format.sampleRate
        return Int32(max(1, min(PCMRecovery.longestRest, buffer / 2)))
    }

    private var halfPeriod: Int32 { Int32(max(1, min(PCMRecovery.longestRest, 500 * calls.format.period))) }

    /// Asks a device that has nothing to say how it is.
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

    /// Wakes a device that slept with the system; one that cannot wake is started anew.
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
        guard recovery.fruitless <= PCMRecovery.mostFruitless else { return .ended(SystemFailure(code: EIO)) }
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
    /// The device has gone.
    static let gone = SystemFailure(code: ENODEV)
}
