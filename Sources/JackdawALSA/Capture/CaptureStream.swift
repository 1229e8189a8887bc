public import JackdawTransport
import Synchronization
import JackdawSystem

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
