/// An output for sound that a source renders and a program changes during playback: a sound card, or a replacement for
/// one.
public protocol PlaybackPort<Source>: Sendable {
    /// The source that renders the sound.
    associatedtype Source: SoundSource

    /// Sample frames per second (Hz).
    var sampleRate: Double { get }

    /// Changes the source, after all changes requested before. Never waits for the sound.
    /// - Parameter change: the change. It runs on the playback thread: it must not wait and must not allocate.
    func change(_ change: @escaping @Sendable (inout Source) -> Void)
}

/// The events of playback, in the order in which they happened.
public enum PlaybackEvent: Sendable, Hashable, BitwiseCopyable {
    /// Playback was interrupted, and continues at the sample frame at which it stopped.
    case interrupted(PlaybackGap)
    /// The device was disconnected: unplugged, switched off. The source pauses until it is back.
    case disconnected
    /// The device was reconnected; when playback continues, a gap follows that has the length of the absence.
    case reconnected
}

/// An unintended silence in playback: the program was late, the system slept, or the device was disconnected.
public struct PlaybackGap: Sendable, Hashable, BitwiseCopyable {
    /// Number of sample frames of the source before the gap.
    public let position: Int64
    /// Length of the silence in sample frames, as exactly as the clock shows; the source was paused for that time.
    public let silence: Int64
    /// The largest number of sample frames before ``position`` that the device may have discarded with its buffer, so
    /// that they were not heard.
    public let unheard: Int64

    /// Creates a gap.
    /// - Parameters:
    ///   - position: number of sample frames of the source before the gap.
    ///   - silence: length of the silence in sample frames.
    ///   - unheard: number of sample frames before the gap that may not have been heard.
    public init(position: Int64, silence: Int64, unheard: Int64 = 0) {
        self.position = position
        self.silence = silence
        self.unheard = unheard
    }

    /// Whether the gap affects a range of the source's sample frames, such as a command.
    /// - Parameter frames: the range, counted from the beginning of the source.
    /// - Returns: whether the gap lies inside the range, or some of its sample frames may not have been heard.
    public func touches(_ frames: Range<Int64>) -> Bool {
        position - unheard < frames.upperBound && position > frames.lowerBound
    }
}

/// A sample frame of a source, and the time at which it is heard.
public struct PlaybackMoment: Sendable, Hashable, BitwiseCopyable {
    /// Number of sample frames of the source before this one.
    public let position: Int64
    /// When the sample frame is heard, in nanoseconds of the system's monotonic clock; an interruption before it makes
    /// it later.
    public let time: Int64

    /// Creates a moment.
    /// - Parameters:
    ///   - position: number of sample frames of the source before this one.
    ///   - time: when the sample frame is heard, in nanoseconds of the monotonic clock.
    public init(position: Int64, time: Int64) {
        self.position = position
        self.time = time
    }
}

/// A source that renders sound during playback: a power tone that carries commands, a recording, silence.
public protocol SoundSource: Sendable {
    /// Number of samples in a sample frame.
    var channelCount: Int { get }
    /// Whether only silence follows until the source is changed; false if the source cannot know.
    var isSilent: Bool { get }

    /// Fills a block with the next sample frames, full scale -1 to 1, channels interleaved. It runs on the playback
    /// thread: it must not wait and must not allocate.
    /// - Parameter block: space for a whole number of sample frames.
    mutating func render(into block: inout MutableSpan<Float>)

    /// Returns sound that the source has played and does not need again, an array at a time, so that another thread
    /// frees its memory. The playback thread must not free memory, which it would do if the source itself released the
    /// array. It calls this function after each block, repeatedly, while other threads can take more. It must not wait
    /// and must not allocate.
    /// - Returns: an array, which the source no longer retains; nil if there is none.
    mutating func takeFinished() -> [Float]?
}

extension SoundSource {
    /// Default: false, the source never reports silence.
    public var isSilent: Bool { false }

    /// Default: nil, the source has no sound to free.
    public mutating func takeFinished() -> [Float]? { nil }
}
