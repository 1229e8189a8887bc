/// Where sound goes to, made by a source that is changed while it plays: a sound card, or what stands in for one.
public protocol PlaybackPort<Source>: Sendable {
    /// What makes the sound.
    associatedtype Source: SoundSource

    /// Frames per second (Hz).
    var sampleRate: Double { get }

    /// Changes the source, after all changes that were asked for before. Never waits for the sound.
    /// - Parameter change: what is to be done. It runs on the thread that plays: it must neither wait nor allocate.
    func change(_ change: @escaping @Sendable (inout Source) -> Void)
}

/// What happens to sound that is played, in the order in which it happened.
public enum PlaybackEvent: Sendable, Hashable, BitwiseCopyable {
    /// The sound broke off and goes on where it was.
    case interrupted(PlaybackGap)
    /// The device has gone: unplugged, switched off. The source stands still until it is back.
    case disconnected
    /// The device is back; a gap that tells how long it was away follows when the sound goes on.
    case reconnected
}

/// A silence that nobody asked for: the program was late, the system slept, the device was away.
public struct PlaybackGap: Sendable, Hashable, BitwiseCopyable {
    /// Frames of the source before it.
    public let position: Int64
    /// Frames that were silent instead, as near as the clock tells; the source has not gone on meanwhile.
    public let silence: Int64
    /// Frames before ``position`` that the device has thrown away with its buffer, at most: they may not have been heard.
    public let unheard: Int64

    /// A gap.
    /// - Parameters:
    ///   - position: frames of the source before it.
    ///   - silence: frames that were silent.
    ///   - unheard: frames before it that may not have been heard.
    public init(position: Int64, silence: Int64, unheard: Int64 = 0) {
        self.position = position
        self.silence = silence
        self.unheard = unheard
    }

    /// Whether it hit some frames of the source, such as those of a command.
    /// - Parameter frames: numbers of frames since the source began.
    /// - Returns: whether it fell in between them, or some of them may not have been heard.
    public func touches(_ frames: Range<Int64>) -> Bool {
        position - unheard < frames.upperBound && position > frames.lowerBound
    }
}

/// A frame of a source, and when it is heard.
public struct PlaybackMoment: Sendable, Hashable, BitwiseCopyable {
    /// Frames of the source before it.
    public let position: Int64
    /// When it is heard, in nanoseconds of the system's monotonic clock; an interruption meanwhile makes it later.
    public let time: Int64

    /// A moment.
    /// - Parameters:
    ///   - position: frames of the source before it.
    ///   - time: when it is heard, in nanoseconds of the monotonic clock.
    public init(position: Int64, time: Int64) {
        self.position = position
        self.time = time
    }
}

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
