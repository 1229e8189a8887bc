import JackdawSystem
public import JackdawTransport
import Synchronization

/// Sound from a sound card, as it comes: a thread of its own takes it from the device, and neither waits nor allocates; whoever
/// ``receive(within:_:)``s it may be as late as ``StreamConfiguration/secondsHeld`` before anything is lost, and is told what was.
///
/// ```swift
/// let stream = try CaptureStream(StreamConfiguration(device: "hw:1,0"))
/// while isWanted { _ = try stream.receive(within: .seconds(1)) { event, samples in ... } }
/// ```
public final class CaptureStream: AudioPort {
    /// What the device was opened with.
    public let format: StreamFormat

    private let link: String
    private let ring: BlockRing
    private let state: StreamState
    private let thread: WorkerThread
    private let isReceiving = Atomic(false)

    /// Opens a device and starts it.
    /// - Parameter configuration: which, and how.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it.
    public convenience init(_ configuration: StreamConfiguration) throws(LinkError) {
        try self.init(configuration, LibraryOpener())
    }

    init(_ configuration: StreamConfiguration, _ opener: some PCMOpener) throws(LinkError) {
        link = "alsa:\(configuration.device)"
        do throws(SystemFailure) {
            let calls = try opener.open(configuration, .capture)
            format = calls.format
            ring = Self.ring(for: calls.format, seconds: configuration.secondsHeld)
            do throws(SystemFailure) {
                // One that opens, but does not start, is told of here.
                try calls.prepare()
                try calls.start()
                calls.drop()
                let state = try StreamState()
                self.state = state
                thread = try WorkerThread(name: "jackdaw-capture", isHurried: true) { [ring] in
                    CaptureEngine(calls, opener, configuration, ring: ring).run(state)
                }
            } catch {
                calls.close()
                throw error
            }
        } catch {
            throw DeviceDiagnosis.error(opening: configuration.device, .capture, errno: error.code)
        }
    }

    deinit { close() }

    /// Frames per second (Hz).
    public var sampleRate: Double { format.sampleRate }

    /// Samples of a captured frame.
    public var channelCount: Int { format.channels }

    /// Waits for what is captured next and hands it over. For one thread at a time.
    /// - Parameters:
    ///   - timeout: how long to wait at most.
    ///   - take: gets what happened and, where that is sound, its samples, full scale -1 to 1, channels interleaved; they
    ///     are overwritten behind it.
    /// - Returns: whether anything came.
    /// - Throws: `LinkError` with code `disconnected` where the stream has ended and all that it captured was received.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        precondition(!isReceiving.exchange(true, ordering: .acquiring), "one thread receives at a time")
        defer { isReceiving.store(false, ordering: .releasing) }
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        while true {
            // First: what the thread wrote before its end is there then.
            let isOver = state.isOver
            if read(take) { return true }
            if isOver { throw end }
            let left = deadline - clock.now
            // A signal ends the wait, too.
            guard left > .zero, state.news.wait(milliseconds: left.milliseconds) else { return read(take) }
        }
    }

    /// Stops the thread and gives the device back; what has been captured can still be received, and whoever waits for more is
    /// woken.
    public func close() { if state.stop() { thread.join() } }

    /// Why nothing more comes.
    private var end: LinkError {
        guard let failure = state.failure else {
            return LinkError(.disconnected, link: link, "the stream is closed")
        }
        return LinkError(
            .disconnected, link: link, "the device has gone", remedy: "plug it in again", underlying: failure.message)
    }

    private func read(_ take: (CaptureEvent, Span<Float>) -> Void) -> Bool {
        ring.read { header, samples in
            switch header.kind {
            case .disconnected: take(.disconnected, samples)
            case .reconnected: take(.reconnected, samples)
            case .sound:
                let block = CapturedBlock(
                    frames: header.frames, position: header.position, lostBefore: header.lost, time: header.time)
                take(.sound(block), samples)
            }
        }
    }

    private static func ring(for format: StreamFormat, seconds: Double) -> BlockRing {
        let blocks = Int((min(max(seconds, 0.1), 60) / format.period).rounded(.up))
        return BlockRing(blocks: max(4, blocks), framesPerBlock: format.periodFrames, channels: format.channels)
    }
}

/// Keeps a capture device going.
typealias CaptureEngine<Opener: PCMOpener> = StreamEngine<Opener, CaptureLoop<Opener.Calls>>

extension StreamEngine where Loop == CaptureLoop<Opener.Calls> {
    /// - Parameters:
    ///   - calls: the open device.
    ///   - opener: opens it again, as it was.
    ///   - configuration: how.
    ///   - ring: gets the sound.
    init(_ calls: Opener.Calls, _ opener: Opener, _ configuration: StreamConfiguration, ring: BlockRing) {
        self.init(calls, opener, configuration, framesPerBlock: ring.framesPerBlock, sound: BlockWriter(ring))
    }
}

/// Takes sound from a device whenever it has some.
@safe struct CaptureLoop<Calls: PCMCalls>: PCMLoop {
    static var direction: PCMDirection { .capture }

    let calls: Calls
    var recovery = PCMRecovery()
    /// When the last frame that was read had been recorded; before the first one, when recording was to begin.
    private(set) var soundUntil: Int64
    private let bytes: UnsafeMutableRawBufferPointer
    private let framesPerBlock: Int
    private var hasRecorded = false

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: frames that are read at once, at most.
    ///   - now: the time, in nanoseconds of the monotonic clock: what is recorded later than that is told to be lost.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64) {
        self.calls = calls
        soundUntil = now
        self.framesPerBlock = framesPerBlock
        unsafe bytes = .allocate(byteCount: framesPerBlock * calls.format.bytesPerFrame, alignment: 16)
        // Some plug-ins say that they have filled what they have not.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Overwrites the memory that sound went through, and gives it back with the device.
    func close() {
        unsafe wipe(bytes)
        unsafe bytes.deallocate()
        calls.close()
    }

    func start(_ writer: inout BlockWriter, now: Int64) throws(SystemFailure) {
        try makeReady()
        try calls.start()
    }

    /// Reads whole periods, as many as are there.
    mutating func transfer(_ writer: inout BlockWriter, now: Int64) throws(SystemFailure) -> Bool {
        var available = try calls.available()
        var hasRead = false
        let format = calls.format
        // No more than the buffer holds: a device that always has more would never let go.
        var most = format.bufferFrames
        while available >= format.periodFrames, most > 0 {
            let stamp = timestamp(now) ?? (available, now)
            let wanted = min(available, framesPerBlock)
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<(wanted * format.bytesPerFrame)])
            let frames = min(wanted, try unsafe calls.read(room))
            guard frames > 0 else { return hasRead }
            let time = stamp.time - nanoseconds(Double(stamp.available))
            let filled = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(frames * format.bytesPerFrame)])
            writer.write(frames: frames, time: time) { unsafe format.encoding.decode(filled, into: &$0) }
            soundUntil = time + nanoseconds(Double(frames))
            recovery.succeed(at: now)
            hasRecorded = true
            hasRead = true
            available -= frames
            most -= frames
        }
        return hasRead
    }

    /// Tells of the frames that were not recorded up to a time: by the clock, and one at least where there had been sound.
    mutating func skip(_ gap: PCMGap, _ writer: inout BlockWriter, now: Int64) {
        let lost = max(hasRecorded ? 1 : 0, frames(now - soundUntil))
        writer.lose(Int64(lost))
        soundUntil += nanoseconds(lost)
    }

    /// What nobody takes any more needs no time.
    func drain(_ writer: inout BlockWriter, now: Int64) -> Int32 { 0 }
}

extension BlockWriter: PCMSound {
    var isOver: Bool { false }
}
