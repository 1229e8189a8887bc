/// Sound that is made while it is played: a power tone with commands in it, a recording, silence.
public protocol SoundSource: Sendable {
    /// Samples of a frame.
    var channelCount: Int { get }
    /// Whether nothing but silence follows as long as the source is left alone; false where it never tells.
    var isSilent: Bool { get }

    /// Fills a block with the next frames, full scale -1 to 1, channels interleaved. It runs on the thread that plays: it
    /// must neither wait nor allocate.
    /// - Parameter block: room for a whole number of frames.
    mutating func render(into block: inout MutableSpan<Float>)

    /// Sound that the source needs no longer. The thread that plays takes it after each block and leaves it to another one
    /// to give its memory back; what a source lets go while it plays may have to be given back there.
    /// - Returns: nil where there is none.
    mutating func takeFinished() -> [Float]?
}

extension SoundSource {
    /// A source that never tells.
    public var isSilent: Bool { false }

    /// A source that keeps what it has.
    public mutating func takeFinished() -> [Float]? { nil }
}
