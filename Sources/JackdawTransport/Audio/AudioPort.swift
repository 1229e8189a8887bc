/// Where sound comes from: a sound card, or a file that stands in for one.
public protocol AudioPort: Sendable {
    /// Frames per second (Hz).
    var sampleRate: Double { get }
    /// Samples of a captured frame.
    var channelCount: Int { get }

    /// Waits for what is captured next and hands it over. For one thread at a time.
    /// - Parameters:
    ///   - timeout: how long to wait at most.
    ///   - take: gets what happened and, where that is sound, its samples, full scale -1 to 1, channels interleaved; they
    ///     are overwritten behind it.
    /// - Returns: whether anything came.
    /// - Throws: ``LinkError`` where nothing will ever come again.
    func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool
}

/// What comes from a port that captures sound, in the order in which it happened.
public enum CaptureEvent: Sendable, Hashable {
    /// Sound; its samples come with it.
    case sound(CapturedBlock)
    /// The device has gone: unplugged, switched off. Nothing comes until it is back.
    case disconnected
    /// The device is back; the sound that follows does not continue what came before.
    case reconnected
    /// The recording that stood in for a device is over.
    case ended
}

/// What is known of a block of captured sound beside its samples.
public struct CapturedBlock: Sendable, Hashable {
    /// Samples of each channel.
    public let frames: Int
    /// Frames since the beginning before its first one, those that were lost included.
    public let position: Int64
    /// Frames that were lost right before it, as near as the device tells: 0 where it continues the block before it.
    public let lostBefore: Int64
    /// When its first frame was recorded, in nanoseconds of the system's monotonic clock.
    public let time: Int64

    /// A block's description.
    /// - Parameters:
    ///   - frames: samples of each channel.
    ///   - position: frames before its first one.
    ///   - lostBefore: frames that were lost right before it.
    ///   - time: when its first frame was recorded, in nanoseconds of the monotonic clock.
    public init(frames: Int, position: Int64, lostBefore: Int64 = 0, time: Int64) {
        self.frames = frames
        self.position = position
        self.lostBefore = lostBefore
        self.time = time
    }
}
