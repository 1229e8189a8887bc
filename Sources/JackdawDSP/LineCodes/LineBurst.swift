/// What was measured over a burst: a stretch of a line code without a pause.
public struct LineBurst: Sendable, Hashable, BitwiseCopyable {
    /// Where the burst lies, from its first character to its last.
    public let span: SwipeSpan
    /// Characters in it.
    public let characters: Int
    /// Characters whose start, stop or parity bits were wrong.
    public let framingErrors: Int
    /// Bits that checks turned over.
    public let repairedBits: Int
    /// How the check of its frame came out; nil where the line has none, or the bytes are of no format that has one.
    public let check: Check?
    /// Least confidence of its characters, 0.5 to 1.
    public let confidence: Float
    /// Bits a second.
    public let baud: Double
    /// Frequencies of 1 and 0 in Hz; nil where the line code has no tones.
    public let tones: Tones?
    /// Level of the signal in dBFS: 0 for a sine of full scale.
    public let level: Double
    /// Power of the signal over that of the noise in the whole band up to half the sample rate, in dB.
    public let signalToNoise: Double

    /// How the check of a whole frame came out.
    public enum Check: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// It passes as it was heard.
        case intact
        /// It passes since bits were turned over: ``LineBurst/repairedBits`` of them.
        case repaired
        /// It fails. The characters are as they were heard, and none of them is given as surer than a coin toss.
        case broken
    }

    /// The two tones of a frequency shift keying, in Hz.
    public struct Tones: Sendable, Hashable, BitwiseCopyable {
        /// Frequency of a 1.
        public let mark: Double
        /// Frequency of a 0.
        public let space: Double

        /// Two tones, in Hz.
        public init(mark: Double, space: Double) {
            self.mark = mark
            self.space = space
        }
    }
}
