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
