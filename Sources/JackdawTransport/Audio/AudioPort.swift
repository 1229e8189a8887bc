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
