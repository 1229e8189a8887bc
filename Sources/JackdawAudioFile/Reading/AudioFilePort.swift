public import JackdawTransport
import Synchronization

/// A sound file that stands in for a sound card: the same events, as fast as they are received; those of a pipe as it sends.
public final class AudioFilePort: AudioPort {
    /// Frames per second (Hz).
    public let sampleRate: Double
    /// Samples of a frame.
    public let channelCount: Int

    private static let blockFrames = 1_024

    private struct State: ~Copyable {
        var reader: AudioFileReader
        var block: AudioBlock<Float>
        var isOver = false
    }

    private let state: Mutex<State>

    /// Opens a file.
    /// - Parameter path: of any format that ``AudioFileReader`` knows.
    /// - Throws: ``AudioFileError``.
    public convenience init(path: String) throws(AudioFileError) { try self.init(path: path, while: nil) }

    /// Opens a file, for as long as that is wanted.
    /// - Parameters:
    ///   - path: of any format that ``AudioFileReader`` knows.
    ///   - isWanted: asked while a pipe has not sent its header; nil waits for as long as it takes.
    /// - Throws: ``AudioFileError``, with code `cancelled` once it is not wanted.
    package init(path: String, while isWanted: (() -> Bool)?) throws(AudioFileError) {
        let reader = try AudioFileReader(path: path, raw: nil, while: isWanted)
        let format = reader.format
        sampleRate = format.sampleRate
        channelCount = format.channels
        state = Mutex(
            State(reader: reader, block: AudioBlock(channels: format.channels, capacity: Self.blockFrames)))
    }

    /// Hands over the next block, or `CaptureEvent.ended` behind the last one.
    /// - Parameters:
    ///   - timeout: how long to wait for a pipe; a file is always ready.
    ///   - take: gets the block, and its samples, channels interleaved; they are overwritten behind it.
    /// - Returns: false if a pipe has sent nothing in time, and after the end was handed over.
    /// - Throws: `LinkError` with code `system` where the file cannot be read on.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        var samples: [Float] = []
        defer { unsafe samples.withUnsafeMutableBytes { unsafe wipe($0) } }
        let next: Result<CaptureEvent?, AudioFileError> = state.withLock { state in
            Result { () throws(AudioFileError) in try Self.next(&state, channelCount, sampleRate, timeout, &samples) }
        }
        do throws(AudioFileError) {
            guard let event = try next.get() else { return false }
            take(event, samples.span)
            return true
        } catch {
            throw LinkError(
                .system, link: "wav:\(error.path)", error.message, underlying: error.underlying)
        }
    }

    private static func next(
        _ state: inout State, _ channels: Int, _ sampleRate: Double, _ timeout: Duration, _ samples: inout [Float]
    ) throws(AudioFileError) -> CaptureEvent? {
        guard !state.isOver else { return nil }
        let position = state.reader.framesRead
        guard let frames = try state.reader.read(into: &state.block, within: timeout) else { return nil }
        guard frames > 0 else {
            state.isOver = true
            return .ended
        }
        samples = [Float](repeating: 0, count: frames * channels)
        for channel in 0..<channels {
            state.block.withChannel(channel) { source in
                for frame in source.indices { samples[frame * channels + channel] = source[frame] }
            }
        }
        let time = Int64(Double(position) / sampleRate * 1e9)
        return .sound(CapturedBlock(frames: frames, position: Int64(position), time: time))
    }
}
