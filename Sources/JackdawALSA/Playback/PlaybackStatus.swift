/// How sound that is played gets on.
public struct PlaybackStatus: Sendable, Hashable {
    /// Frames of the source that were handed over to the device.
    public let framesWritten: Int64
    /// Frames of the source that have left the device's buffer, as of its last period.
    public let framesPlayed: Int64
    /// How often the sound broke off.
    public let interruptions: Int
    /// Frames of silence that this made.
    public let silence: Int64
    /// Whether the device is there.
    public let isConnected: Bool
}
