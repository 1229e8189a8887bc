/// Sound that is made while it is played: a power tone with commands in it, a recording, silence.
public protocol SoundSource: Sendable {
    /// Samples of a frame.
    var channelCount: Int { get }

    /// Fills a block with the next frames, full scale -1 to 1, channels interleaved. It runs on the thread that plays: it
    /// must neither wait nor allocate.
    /// - Parameter block: room for a whole number of frames.
    mutating func render(into block: inout MutableSpan<Float>)
}
