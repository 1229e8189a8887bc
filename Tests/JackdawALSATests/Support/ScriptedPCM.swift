import Glibc
import Synchronization

@testable import JackdawALSA
import JackdawSystem

/// Time that passes when the test says so, in nanoseconds.
final class VirtualClock: Sendable {
    private let time = Mutex<Int64>(0)

    var now: Int64 { time.withLock(\.self) }

    func advance(milliseconds: Int32) { time.withLock { $0 += Int64(milliseconds) * 1_000_000 } }
}

/// A sound card that runs on a virtual clock, keeps what was played, and fails as the test requests. What it captures
/// is the number of each
/// frame since the clock began.
final class ScriptedPCM: PCMCalls {
    /// Calls that can fail.
    enum Call: String, CaseIterable, Hashable {
        case prepare, start, resume, available, read, write
    }

    struct State {
        var pcm = PCMState.prepared
        /// What it was doing before it stood still.
        var before = PCMState.running
        /// The next frame to be read or written, since the clock began.
        var next: Int64 = 0
        /// The age of the device's last time report, in nanoseconds; nil for a device without such reports.
        var stampAge: Int64?
        /// Frames in a playback buffer that stands still.
        var held: Int64 = 0
        /// Frames of a playback buffer that were thrown away.
        var dropped: Int64 = 0
        /// Frames that were in a playback buffer which said that it was empty.
        var vanished: Int64 = 0
        /// Failures that the next calls come to; 0 for none.
        var failures: [Call: [Int32]] = [:]
        /// The next reads and writes take no more frames than this.
        var maxFrames = Int.max
        /// Whether it says it runs, and does not.
        var isStalled = false
        var played: [Float] = []
        var isClosed = false
        var log: [Call] = []
    }

    let format: StreamFormat
    let direction: PCMDirection
    let clock: VirtualClock
    private let script = Mutex(State())

    init(_ direction: PCMDirection = .capture, _ clock: VirtualClock, format: StreamFormat = ScriptedPCM.usual) {
        self.direction = direction
        self.clock = clock
        self.format = format
    }

    static let usual = StreamFormat(
        sampleRate: 48_000, channels: 1, encoding: .s32, periodFrames: 240, bufferFrames: 2_400, isResampled: false)

    /// The frame of the hardware at this time.
    var frame: Int64 { Int64(Double(clock.now) * format.sampleRate / 1e9) }

    /// Changes what it is doing.
    func change(_ body: (inout State) -> Void) { script.withLock { body(&$0) } }

    /// What it is doing and has done.
    var record: State { script.withLock(\.self) }

    /// It stands still from now on, with what its buffer holds.
    func stop(_ pcm: PCMState) { change { stop(&$0, pcm) } }

    private func stop(_ state: inout State, _ pcm: PCMState) {
        state.held = queue(state)
        state.before = state.pcm
        state.pcm = pcm
    }

    /// It says that it was left alone for too long, whatever the clock says.
    private func runOut(_ state: inout State) {
        if state.pcm == .running {
            state.vanished += queue(state)
            state.held = 0
        }
        state.pcm = .overrun
    }

    func fail(_ call: Call, _ codes: Int32...) { change { $0.failures[call, default: []] += codes } }

    /// Frames of a playback buffer that were not heard yet.
    var queue: Int64 { queue(record) }

    private func queue(_ state: State) -> Int64 {
        guard direction == .playback else { return 0 }
        return state.pcm == .running ? max(0, state.next - frame) : state.held
    }

    private func enter(_ call: Call, _ state: inout State) throws(SystemFailure) {
        state.log.append(call)
        if state.pcm == .disconnected { throw SystemFailure(code: ENODEV) }
        guard var codes = state.failures[call], !codes.isEmpty else { return }
        let code = codes.removeFirst()
        state.failures[call] = codes
        guard code != 0 else { return }
        switch code {
        case EPIPE: runOut(&state)
        case ESTRPIPE: stop(&state, .suspended)
        case ENODEV: stop(&state, .disconnected)
        default: break
        }
        throw SystemFailure(code: code)
    }

    private func call<Result>(
        _ call: Call, _ body: (inout State) throws(SystemFailure) -> Result
    ) throws(SystemFailure) -> Result {
        let result: Swift.Result<Result, SystemFailure> = script.withLock { state in
            do throws(SystemFailure) {
                try enter(call, &state)
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func drop() {
        change { state in
            guard state.pcm != .disconnected else { return }
            state.dropped += queue(state)
            state.held = 0
            state.pcm = .prepared
        }
    }

    func prepare() throws(SystemFailure) {
        try call(.prepare) { state throws(SystemFailure) in
            guard state.pcm != .running else { throw SystemFailure(code: EBUSY) }
            state.dropped += queue(state)
            state.held = 0
            state.pcm = .prepared
            state.next = frame
        }
    }

    func start() throws(SystemFailure) {
        try call(.start) { state throws(SystemFailure) in
            guard state.pcm == .prepared else { throw SystemFailure(code: EBADFD) }
            state.pcm = .running
            // What was written before it begins to be heard now.
            state.next = frame + state.held
        }
    }

    func resume() throws(SystemFailure) {
        try call(.resume) { state throws(SystemFailure) in
            state.pcm = state.before == .prepared ? .prepared : .running
            state.next = frame + state.held
        }
    }

    func state() -> PCMState { record.pcm }

    func available() throws(SystemFailure) -> Int {
        try call(.available) { state throws(SystemFailure) in try available(&state) }
    }

    private func available(_ state: inout State) throws(SystemFailure) -> Int {
        switch state.pcm {
        case .running where state.isStalled: return 0
        case .running: break
        // The kernel answers with what was there, and says nothing of the sleep.
        case .suspended: return direction == .capture ? 0 : format.bufferFrames - Int(state.held)
        case .overrun: throw SystemFailure(code: EPIPE)
        case .prepared where direction == .playback: return format.bufferFrames - Int(state.held)
        default: throw SystemFailure(code: EBADFD)
        }
        let frames = direction == .capture ? frame - state.next : Int64(format.bufferFrames) - (state.next - frame)
        // A playback buffer must not even run empty.
        guard frames < format.bufferFrames + (direction == .capture ? 1 : 0) else {
            runOut(&state)
            throw SystemFailure(code: EPIPE)
        }
        return Int(frames)
    }

    func timestamp() -> (available: Int, time: Int64)? {
        let state = record
        guard let age = state.stampAge else { return nil }
        let frame = Int64(Double(clock.now - age) * format.sampleRate / 1e9)
        let available = direction == .capture ? frame - state.next : Int64(format.bufferFrames) - (state.next - frame)
        return (Int(available), clock.now - age)
    }

    func read(_ bytes: UnsafeMutableRawBufferPointer) throws(SystemFailure) -> Int {
        let wanted = bytes.count / format.bytesPerFrame
        let (start, frames) = try call(.read) { state throws(SystemFailure) -> (Int64, Int) in
            let frames = min(wanted, try available(&state), state.maxFrames)
            guard frames > 0 else { throw SystemFailure(code: EAGAIN) }
            defer { state.next += Int64(frames) }
            return (state.next, frames)
        }
        var samples: [Float] = []
        for frame in 0..<frames {
            samples += Array(repeating: Self.sample(start + Int64(frame)), count: format.channels)
        }
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)])
        unsafe format.encoding.encode(samples.span, into: room)
        return frames
    }

    /// What a frame sounds like: its number, of which 24 bits fit.
    static func sample(_ frame: Int64) -> Float { Float(frame & 0x3F_FFFF) / 0x1p23 }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int {
        let wanted = bytes.count / format.bytesPerFrame
        let frames = try call(.write) { state throws(SystemFailure) -> Int in
            let frames = min(wanted, try available(&state), state.maxFrames)
            guard frames > 0 else { throw SystemFailure(code: EAGAIN) }
            if state.pcm == .running { state.next += Int64(frames) } else { state.held += Int64(frames) }
            return frames
        }
        var samples = [Float](repeating: 0, count: frames * format.channels)
        var span = samples.mutableSpan
        unsafe format.encoding.decode(
            UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)]), into: &span)
        change { $0.played += samples }
        return frames
    }

    var descriptorCount: Int { 0 }
    func fill(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) {}
    func condition(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) -> PollDescriptor.Conditions {
        []
    }
    func close() {
        change { state in
            state.dropped += queue(state)
            state.held = 0
            if state.pcm != .disconnected { state.pcm = .other }
            state.isClosed = true
        }
    }
}

/// Hands out scripted cards, the first one at once, the next ones when the test plugs them in.
final class ScriptedOpener: PCMOpener {
    private let cards: Mutex<[ScriptedPCM]>
    private let attempts = Mutex<(misses: Int, opened: Int, last: StreamConfiguration?)>((0, 0, nil))

    /// Attempts to open that found nothing.
    var misses: Int { attempts.withLock(\.misses) }
    /// Cards that were handed out.
    var opened: Int { attempts.withLock(\.opened) }
    /// How the last attempt was to open.
    var lastConfiguration: StreamConfiguration? { attempts.withLock(\.last) }

    init(_ cards: ScriptedPCM...) { self.cards = Mutex(cards) }

    func plugIn(_ card: ScriptedPCM) { cards.withLock { $0.append(card) } }

    func open(_ configuration: StreamConfiguration, _ direction: PCMDirection) throws(SystemFailure) -> ScriptedPCM {
        attempts.withLock { $0.last = configuration }
        let card = cards.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let card else {
            attempts.withLock { $0.misses += 1 }
            throw SystemFailure(code: ENODEV)
        }
        attempts.withLock { $0.opened += 1 }
        return card
    }
}
