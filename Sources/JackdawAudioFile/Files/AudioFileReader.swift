import JackdawBytes
public import JackdawTransport
import Synchronization

/// Reads a sound file block by block, front to back: WAV, FLAC, AIFF, AU, W64, RF64, CAF, Ogg, and headerless samples.
/// Memory is the same for a file of any length.
///
/// ```swift
/// var reader = try AudioFileReader(path: "swipe.wav")
/// var block = AudioBlock<Float>(channels: reader.format.channels, capacity: AudioFileReader.blockFrames)
/// while try reader.read(into: &block) > 0 {
///     block.withChannel(0) { samples in ... }
/// }
/// ```
public struct AudioFileReader: ~Copyable, Sendable {
    /// A good number of frames to read at once: large enough that the cost of a call is negligible, small enough that a
    /// block of a few channels stays in the second-level cache.
    public static let blockFrames = 32_768

    /// The path as the caller passed it; `-` is standard input.
    public let path: String
    /// The format of the file, from its header or the caller.
    public let format: AudioFormat
    /// Frames in the file, or nil if only its end shows the number (a pipe, an incomplete recording). The number may be
    /// a mere claim of the header: do not allocate memory by it.
    public let frames: Int?

    private var source: FrameSource
    /// Buffers for samples that are converted to another type or order.
    private var narrow = WipedMemory<Int16>(count: blockFrames)
    private var wide = WipedMemory<Float>(count: blockFrames)

    /// Opens a file.
    ///
    /// WAV and headerless samples from a pipe are read as they arrive; other formats are first copied to a nameless
    /// temporary file.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - raw: the format of a headerless file; nil, the default, reads the header.
    /// - Throws: ``AudioFileError``.
    public init(path: String, raw: RawAudioFormat? = nil) throws(AudioFileError) {
        try self.init(path: path, raw: raw, while: nil)
    }

    /// Opens a file as ``init(path:raw:)`` does, and gives up when a closure returns false.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - raw: the format of a headerless file; nil reads the header.
    ///   - isWanted: called while a pipe has not sent its header, and returns false to end the wait; nil waits without
    ///     limit.
    /// - Throws: ``AudioFileError``, with code `cancelled` if `isWanted` returned false.
    init(path: String, raw: RawAudioFormat?, while isWanted: (() -> Bool)?) throws(AudioFileError) {
        source = FrameSource(try SoundInput(path: path, raw: raw, while: isWanted).sound(path: path))
        self.path = path
        format = source.format
        frames = source.claimedFrames
    }

    /// Number of frames read so far.
    public var framesRead: Int { source.framesRead }

    /// Whether the header claims more frames than could be read. For a WAV file on disk this is known from the start,
    /// for a pipe and for compressed sound after a read has returned 0.
    public var isTruncated: Bool { source.isTruncated }

    /// Samples read so far that were not finite (in floating-point files); each was replaced by 0.
    public var replacedSamples: Int { source.replacedSamples }

    /// Reads the next frames as samples of full scale ±1, channels interleaved.
    ///
    /// An integer sample v of n bits becomes exactly v / 2^(n-1), as far as `Float` can hold it (up to 24 bits).
    /// - Parameter samples: room for one frame at least; as many frames as fit are read.
    /// - Returns: frames read; fewer than fit only at the end, and 0 from then on.
    /// - Throws: ``AudioFileError`` with code `io`, or `damaged` if no frame can be read; the frames before an error
    ///   were returned by earlier reads.
    public mutating func read(into samples: inout MutableSpan<Float>) throws(AudioFileError) -> Int {
        let channels = format.channels
        return try unsafe samples.withUnsafeMutableBufferPointer { (target) throws(AudioFileError) in
            let frames = framesFitting(target.count)
            guard format.isSixteenBit else { return try unsafe source.read(target, frames: frames) }
            return try unsafe source.read(through: narrow.buffer(), frames: frames) { (piece, offset) in
                unsafe take(0, of: 1, from: piece, into: target.extracting((offset * channels)...), scaled)
            }
        }
    }

    /// Reads the next frames as 16-bit samples, channels interleaved. The file's samples must fit 16 bits
    /// (``AudioFormat/isSixteenBit``); shorter samples are scaled up to 16 bits.
    /// - Parameter samples: room for one frame at least; as many frames as fit are read.
    /// - Returns: frames read; fewer than fit only at the end, and 0 from then on.
    /// - Throws: ``AudioFileError`` with code `io`, or `damaged` if no frame can be read; the frames before an error
    ///   were returned by earlier reads.
    public mutating func read(into samples: inout MutableSpan<Int16>) throws(AudioFileError) -> Int {
        precondition(format.isSixteenBit, "the samples do not fit 16 bits")
        return try unsafe samples.withUnsafeMutableBufferPointer { (target) throws(AudioFileError) in
            try unsafe source.read(target, frames: framesFitting(target.count))
        }
    }

    /// Reads the next frames into one run of samples per channel, full scale ±1, scaled as in interleaved reads.
    /// - Parameter block: has as many channels as the file; as many frames as fit are read.
    /// - Returns: frames read, which is also ``AudioBlock/frames`` of the block.
    /// - Throws: ``AudioFileError`` with code `io`, or `damaged` if no frame can be read; the frames before an error
    ///   were returned by earlier reads.
    public mutating func read(into block: inout AudioBlock<Float>) throws(AudioFileError) -> Int {
        try read(into: &block, within: nil) ?? 0
    }

    /// Reads frames as ``read(into:)`` does, but from a pipe only those that it has sent.
    /// - Parameters:
    ///   - block: has as many channels as the file.
    ///   - timeout: the time to wait for a pipe; nil waits until the block is full.
    /// - Returns: frames read, 0 at the end; nil if a pipe has not sent any in time.
    /// - Throws: ``AudioFileError`` with code `io`, or `damaged`.
    mutating func read(
        into block: inout AudioBlock<Float>, within timeout: Duration?
    ) throws(AudioFileError) -> Int? {
        block.frames = 0
        precondition(block.channels == format.channels, "the block is for another number of channels")
        let ready = timeout.flatMap { source.framesReady(within: $0) }
        guard ready != 0 else { return nil }
        let count = min(block.capacity, ready ?? .max)
        if format.isSixteenBit {
            block.frames = try unsafe source.read(through: narrow.buffer(), frames: count) { (piece, offset) in
                unsafe block.spread(piece, at: offset, scaled)
            }
        } else if format.channels == 1 {
            block.frames = try unsafe source.read(block.storage(ofChannel: 0), frames: count)
        } else {
            block.frames = try unsafe source.read(through: wide.buffer(), frames: count) { (piece, offset) in
                unsafe block.spread(piece, at: offset) { $0 }
            }
        }
        return block.frames
    }

    /// Reads the next frames into one run of 16-bit samples per channel. The file's samples must fit 16 bits
    /// (``AudioFormat/isSixteenBit``); shorter samples are scaled up to 16 bits.
    /// - Parameter block: has as many channels as the file; as many frames as fit are read.
    /// - Returns: frames read, which is also ``AudioBlock/frames`` of the block.
    /// - Throws: ``AudioFileError`` with code `io`, or `damaged` if no frame can be read; the frames before an error
    ///   were returned by earlier reads.
    public mutating func read(into block: inout AudioBlock<Int16>) throws(AudioFileError) -> Int {
        block.frames = 0
        precondition(block.channels == format.channels, "the block is for another number of channels")
        precondition(format.isSixteenBit, "the samples do not fit 16 bits")
        if format.channels == 1 {
            block.frames = try unsafe source.read(block.storage(ofChannel: 0), frames: block.capacity)
        } else {
            block.frames = try unsafe source.read(through: narrow.buffer(), frames: block.capacity) { (piece, offset) in
                unsafe block.spread(piece, at: offset) { $0 }
            }
        }
        return block.frames
    }
}

extension AudioFileReader {
    private func framesFitting(_ samples: Int) -> Int {
        precondition(samples >= format.channels, "there is no room for one frame")
        return samples / format.channels
    }
}

/// A sound file in place of a sound card: the same events, as fast as the program receives them, or as fast as a pipe
/// sends them.
public final class AudioFilePort: AudioPort {
    /// Frames per second (Hz).
    public let sampleRate: Double
    /// Samples of a frame, one per channel.
    public let channelCount: Int

    private static let blockFrames = 1_024

    private struct State: ~Copyable {
        var reader: AudioFileReader
        var block: AudioBlock<Float>
        var isOver = false
    }

    private let state: Mutex<State>

    /// Opens a file as a source of capture events.
    /// - Parameter path: a file of any format that ``AudioFileReader`` reads.
    /// - Throws: ``AudioFileError``.
    public convenience init(path: String) throws(AudioFileError) { try self.init(path: path, while: nil) }

    /// Opens a file as ``init(path:)`` does, and gives up when a closure returns false.
    /// - Parameters:
    ///   - path: a file of any format that ``AudioFileReader`` reads.
    ///   - isWanted: called while a pipe has not sent its header, and returns false to end the wait; nil waits without
    ///     limit.
    /// - Throws: ``AudioFileError``, with code `cancelled` if `isWanted` returned false.
    package init(path: String, while isWanted: (() -> Bool)?) throws(AudioFileError) {
        let reader = try AudioFileReader(path: path, raw: nil, while: isWanted)
        let format = reader.format
        sampleRate = format.sampleRate
        channelCount = format.channels
        state = Mutex(
            State(reader: reader, block: AudioBlock(channels: format.channels, capacity: Self.blockFrames)))
    }

    /// Passes the next block to `take`, or `CaptureEvent.ended` after the last one.
    /// - Parameters:
    ///   - timeout: the time to wait for a pipe; a file is always ready.
    ///   - take: receives the block and its samples, channels interleaved; they are wiped after the call.
    /// - Returns: false if a pipe has sent nothing in time, and after the end was reported.
    /// - Throws: `LinkError` with code `system` if the file cannot be read further.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        var samples: [Float] = []
        defer { samples.wipe() }
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

/// A block of samples, one run of memory per channel. It is reused from read to read, and wiped before its memory is
/// freed, since recordings of swipes are card data.
@safe
public struct AudioBlock<Sample: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    /// Number of channels, 1 or more.
    public let channels: Int
    /// The most frames that fit, 1 or more.
    public let capacity: Int
    /// Frames that the last read returned.
    public internal(set) var frames = 0

    private let samples: SecretBuffer<Sample>

    /// An empty block.
    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - capacity: the most frames that fit, 1 or more.
    public init(channels: Int, capacity: Int) {
        precondition(channels > 0 && capacity > 0, "a block holds at least one frame of one channel")
        self.channels = channels
        self.capacity = capacity
        samples = SecretBuffer(zeroed: channels * capacity)
    }

    /// Runs a body over the samples of the last read.
    /// - Parameters:
    ///   - channel: 0 to `channels - 1`.
    ///   - body: receives ``frames`` samples.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    public borrowing func withChannel<Result: ~Copyable, Failure: Error>(
        _ channel: Int, _ body: (Span<Sample>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let samples = unsafe UnsafeBufferPointer(storage(ofChannel: channel).extracting(..<frames))
        return try body(unsafe Span(_unsafeElements: samples))
    }

    /// Room for `capacity` samples of one channel.
    borrowing func storage(ofChannel channel: Int) -> UnsafeMutableBufferPointer<Sample> {
        precondition((0..<channels).contains(channel), "a block has no such channel")
        return unsafe samples.elements.extracting(channel * capacity..<(channel + 1) * capacity)
    }

    /// Distributes interleaved samples to the channels, after `offset` frames in the block.
    borrowing func spread<From>(_ source: UnsafeBufferPointer<From>, at offset: Int, _ convert: (From) -> Sample) {
        for channel in 0..<channels {
            let target = unsafe storage(ofChannel: channel).extracting(offset...)
            unsafe take(channel, of: channels, from: source, into: target, convert)
        }
    }
}
