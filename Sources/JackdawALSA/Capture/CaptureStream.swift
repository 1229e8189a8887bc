import JackdawBytes
import JackdawSystem
public import JackdawTransport
import Synchronization

/// Captures sound from a sound card. A thread of its own reads the device, without waiting for the receiver or
/// allocating. The caller of ``receive(within:_:)`` may be late by ``StreamConfiguration/secondsHeld`` before frames
/// are lost, and each block has the number of frames lost before it.
///
/// ```swift
/// let stream = try CaptureStream(StreamConfiguration(device: "hw:1,0"))
/// while isWanted { _ = try stream.receive(within: .seconds(1)) { event, samples in ... } }
/// ```
public final class CaptureStream: AudioPort {
    /// The format with which the device was opened.
    public let format: StreamFormat

    private let link: String
    private let ring: BlockRing
    private let state: StreamState
    private let thread: WorkerThread
    private let isReceiving = Atomic(false)

    /// Opens a device and starts it.
    /// - Parameter configuration: the device, and its parameters.
    /// - Throws: `LinkError` with the cause and the remedy if the device cannot be opened or started.
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
                // A device that opens but does not start is reported here.
                try calls.prepare()
                try calls.start()
                calls.drop()
                let state = try StreamState()
                self.state = state
                thread = try WorkerThread(name: "jackdaw-capture", isRealtime: true) { [ring] in
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

    /// Samples of a captured frame, one per channel.
    public var channelCount: Int { format.channels }

    /// Waits for the next event and passes it to `take`. One thread at a time may call it.
    /// - Parameters:
    ///   - timeout: the longest wait.
    ///   - take: receives the event and, with sound, its samples, full scale -1 to 1, channels interleaved; they are
    ///     wiped after the call.
    /// - Returns: whether there was an event.
    /// - Throws: `LinkError` with code `disconnected` after the stream has ended and all that it captured was received.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        precondition(!isReceiving.exchange(true, ordering: .acquiring), "only one thread may receive at a time")
        defer { isReceiving.store(false, ordering: .releasing) }
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        while true {
            // `isOver` is read first: all that the thread wrote before its end can then be read.
            let isOver = state.isOver
            if read(take) { return true }
            if isOver { throw end }
            let left = deadline - clock.now
            // A signal also ends the wait.
            guard left > .zero, state.news.wait(milliseconds: left.milliseconds) else { return read(take) }
        }
    }

    /// Stops the thread and closes the device. Captured sound can still be received; a caller that waits for more is
    /// woken.
    public func close() { if state.stop() { thread.join() } }

    /// The error after the end of the stream.
    private var end: LinkError {
        guard let failure = state.failure else {
            return LinkError(.disconnected, link: link, "the stream is closed")
        }
        return LinkError(
            .disconnected, link: link, "the device was removed", remedy: "plug it in again",
            underlying: failure.message)
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

/// The engine of a capture device.
typealias CaptureEngine<Opener: PCMOpener> = StreamEngine<Opener, CaptureLoop<Opener.Calls>>

extension StreamEngine where Loop == CaptureLoop<Opener.Calls> {
    /// - Parameters:
    ///   - calls: the open device.
    ///   - opener: opens the device again with the same parameters.
    ///   - configuration: the parameters of the device.
    ///   - ring: receives the sound.
    init(_ calls: Opener.Calls, _ opener: Opener, _ configuration: StreamConfiguration, ring: BlockRing) {
        self.init(calls, opener, configuration, framesPerBlock: ring.framesPerBlock, sound: BlockWriter(ring))
    }
}

/// Reads sound from a device when whole periods are available.
@safe struct CaptureLoop<Calls: PCMCalls>: PCMLoop {
    static var direction: PCMDirection { .capture }

    let calls: Calls
    var recovery = PCMRecovery()
    /// The end of the last frame that was read; before the first one, the time at which recording was started. In
    /// nanoseconds of the monotonic clock.
    private(set) var soundUntil: Int64
    private let bytes: UnsafeMutableRawBufferPointer
    private let framesPerBlock: Int
    private var hasRecorded = false

    /// - Parameters:
    ///   - calls: the device.
    ///   - framesPerBlock: the most frames that are read at once.
    ///   - now: the time, in nanoseconds of the monotonic clock; frames that are missing after it are reported as lost.
    init(_ calls: Calls, framesPerBlock: Int, now: Int64) {
        self.calls = calls
        soundUntil = now
        self.framesPerBlock = framesPerBlock
        unsafe bytes = .allocate(byteCount: framesPerBlock * calls.format.bytesPerFrame, alignment: 16)
        // Some plug-ins report more bytes than they have written.
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Wipes and frees the buffer that sound passed through, and closes the device.
    func close() {
        unsafe overwrite(bytes)
        unsafe bytes.deallocate()
        calls.close()
    }

    func start(_ writer: inout BlockWriter, now: Int64) throws(SystemFailure) {
        try makeReady()
        try calls.start()
    }

    /// Reads all whole periods that are available.
    mutating func transfer(_ writer: inout BlockWriter, now: Int64) throws(SystemFailure) -> Bool {
        var available = try calls.available()
        var hasRead = false
        let format = calls.format
        // One buffer at most: a device that always has more would never let this loop end.
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

    /// Reports the frames that were not recorded up to now: computed from the clock, and at least one if there had been
    /// sound.
    mutating func skip(_ gap: PCMGap, _ writer: inout BlockWriter, now: Int64) {
        let lost = max(hasRecorded ? 1 : 0, frames(now - soundUntil))
        writer.lose(Int64(lost))
        soundUntil += nanoseconds(lost)
    }

    /// No one receives the rest, so that draining takes no time.
    func drain(_ writer: inout BlockWriter, now: Int64) -> Int32 { 0 }
}

extension BlockWriter: PCMSound {
    var isOver: Bool { false }
}
