public import JackdawTransport

extension PlaybackStream: PlaybackPort {
    /// Frames per second (Hz).
    public var sampleRate: Double { format.sampleRate }

    /// Changes the source, as ``perform(_:)`` does.
    public func change(_ change: @escaping @Sendable (inout Source) -> Void) { perform(change) }
}

extension DuplexStream: PlaybackPort {
    /// Changes what is played, as ``perform(_:)`` does.
    public func change(_ change: @escaping @Sendable (inout Source) -> Void) { perform(change) }
}
