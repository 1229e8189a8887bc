/// A source of captured sound: a sound card, or a file that replaces one.
public protocol AudioPort: Sendable {
    /// Sample frames per second (Hz).
    var sampleRate: Double { get }
    /// Number of samples in a captured sample frame.
    var channelCount: Int { get }

    /// Waits for the next captured event and passes it to `take`. Only one thread at a time may receive.
    /// - Parameters:
    ///   - timeout: the longest time to wait.
    ///   - take: receives the event and, if it is sound, the samples, full scale -1 to 1, channels interleaved; the
    ///     port overwrites the samples after the call.
    /// - Returns: whether an event was received.
    /// - Throws: ``LinkError`` if the port will never deliver another event.
    func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool
}

/// The events of a port that captures sound, in the order in which they happened.
public enum CaptureEvent: Sendable, Hashable {
    /// A block of sound, delivered together with its samples.
    case sound(CapturedBlock)
    /// The device was disconnected: unplugged, switched off. No event follows until it is back.
    case disconnected
    /// The device was reconnected; the sound that follows does not continue the earlier sound.
    case reconnected
    /// The recording that replaced a device is over.
    case ended
}

/// The description of a block of captured sound, without its samples.
public struct CapturedBlock: Sendable, Hashable {
    /// Number of samples in each channel.
    public let frames: Int
    /// Number of sample frames from the beginning to this block, lost ones included.
    public let position: Int64
    /// Number of sample frames lost right before this block, as exactly as the device reports it; 0 if the block
    /// continues the one before it.
    public let lostBefore: Int64
    /// When the first sample frame was recorded, in nanoseconds of the system's monotonic clock.
    public let time: Int64

    /// Creates the description of a block.
    /// - Parameters:
    ///   - frames: number of samples in each channel.
    ///   - position: number of sample frames before the block.
    ///   - lostBefore: number of sample frames lost right before the block.
    ///   - time: when the first sample frame was recorded, in nanoseconds of the monotonic clock.
    public init(frames: Int, position: Int64, lostBefore: Int64 = 0, time: Int64) {
        self.frames = frames
        self.position = position
        self.lostBefore = lostBefore
        self.time = time
    }
}
