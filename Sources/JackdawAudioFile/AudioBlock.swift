/// A block of samples, one run of memory a channel: reused from read to read, overwritten before its memory is given
/// back, since recordings of swipes are card data.
@safe
public struct AudioBlock<Sample: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    /// Number of channels.
    public let channels: Int
    /// Most frames that fit.
    public let capacity: Int
    /// Frames that the last read gave.
    public internal(set) var frames = 0

    private var memory: WipedMemory<Sample>
    private let storage: UnsafeMutableBufferPointer<Sample>

    /// An empty block.
    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - capacity: most frames that fit, 1 or more.
    public init(channels: Int, capacity: Int) {
        precondition(channels > 0 && capacity > 0, "a block holds at least one frame of one channel")
        self.channels = channels
        self.capacity = capacity
        memory = WipedMemory(count: channels * capacity)
        unsafe storage = memory.buffer()
    }

    /// Runs a body over the samples of the last read.
    /// - Parameters:
    ///   - channel: 0 to `channels - 1`.
    ///   - body: takes ``frames`` samples.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
    public borrowing func withChannel<Result: ~Copyable, Failure: Error>(
        _ channel: Int, _ body: (Span<Sample>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let samples = unsafe UnsafeBufferPointer(storage(ofChannel: channel).extracting(..<frames))
        return try body(unsafe Span(_unsafeElements: samples))
    }

    /// Room for `capacity` samples of one channel.
    borrowing func storage(ofChannel channel: Int) -> UnsafeMutableBufferPointer<Sample> {
        precondition((0..<channels).contains(channel), "a block has no such channel")
        return unsafe storage.extracting(channel * capacity..<(channel + 1) * capacity)
    }

    /// Sorts interleaved samples into the channels, with `offset` frames before them in the block.
    borrowing func spread<From>(_ source: UnsafeBufferPointer<From>, at offset: Int, _ convert: (From) -> Sample) {
        for channel in 0..<channels {
            let target = unsafe storage(ofChannel: channel).extracting(offset...)
            unsafe take(channel, of: channels, from: source, into: target, convert)
        }
    }
}
