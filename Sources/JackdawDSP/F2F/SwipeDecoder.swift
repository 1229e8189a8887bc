/// Turns the sound of a magstripe head into messages, sample by sample or hour by hour.
///
/// Feed blocks of any size; the events are the same for every block size. Works from 8 to 192 kHz, either polarity,
/// either swipe direction.
///
/// ```swift
/// var decoder = SwipeDecoder(configuration: .init(sampleRate: 44_100))
/// for event in decoder.receive(samples.span) + decoder.finish() { ... }
/// ```
public struct SwipeDecoder: Sendable {
    /// What a decoder is to look for.
    public struct Configuration: Sendable, Hashable {
        /// Samples per second, 8,000 to 192,000 Hz.
        public var sampleRate: Double
        /// Tracks to report; all three by default.
        public var tracks: Set<TrackNumber>
        /// Whether segments that the fast tier could not prove go to the strong tier; true by default.
        public var usesStrongTier: Bool

        /// A configuration.
        /// - Parameters:
        ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
        ///   - tracks: tracks to report.
        ///   - usesStrongTier: whether to spend the strong tier on what the fast tier could not prove.
        public init(
            sampleRate: Double, tracks: Set<TrackNumber> = Set(TrackNumber.allCases), usesStrongTier: Bool = true
        ) {
            self.sampleRate = sampleRate
            self.tracks = tracks
            self.usesStrongTier = usesStrongTier
        }
    }

    /// What this decoder looks for.
    public let configuration: Configuration

    /// A decoder at the start of a recording.
    public init(configuration: Configuration) {
        self.configuration = configuration
    }

    /// Takes the next samples, full scale -1 to 1, and returns what they completed.
    public mutating func receive(_ samples: Span<Float>) -> [SwipeEvent] { [] }

    /// Takes the next 16-bit samples and returns what they completed; the same events as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>) -> [SwipeEvent] { [] }

    /// Ends the recording: decodes what is still open.
    public mutating func finish() -> [SwipeEvent] { [] }

    /// Forgets the past and starts a new recording, keeping its memory.
    public mutating func reset() {}
}
