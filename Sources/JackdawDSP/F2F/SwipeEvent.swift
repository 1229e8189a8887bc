/// An event that a ``SwipeDecoder`` reports. Every stretch of sound that could be a swipe ends in exactly one event per
/// message.
public enum SwipeEvent: Sendable {
    /// A message that passed all its checks.
    case track(DecodedTrack)
    /// A stretch that looked like a swipe and could not be decoded, with the reason.
    case failure(SwipeFailure)
}

/// The direction in which the card passed the head, relative to the order in which the stripe is written.
public enum SwipeDirection: String, Sendable, Hashable {
    /// The start sentinel came first.
    case forward
    /// The start sentinel came last.
    case reverse
}

/// The tier of the decoder that proved a result.
public enum DecoderTier: String, Sendable, Hashable, BitwiseCopyable {
    /// Peak timing with an adaptive clock.
    case fast
    /// Sequence estimation over timing, data and the whole code.
    case strong
}

/// The result of a message's check.
public enum CheckOutcome: String, Sendable, Hashable {
    /// The received bits pass the check unchanged.
    case ok
    /// The bits pass after the decoder replaced unlikely ones.
    case repaired
}

/// The position of a message in the sound.
public struct SwipeSpan: Sendable, Hashable, BitwiseCopyable {
    /// First sample, counted from the first one received since the last reset.
    public let startSample: Int
    /// One past the last sample.
    public let endSample: Int
    /// Samples per second (Hz).
    public let sampleRate: Double

    /// Start in seconds since the last reset.
    public var start: Double { Double(startSample) / sampleRate }
    /// End in seconds since the last reset.
    public var end: Double { Double(endSample) / sampleRate }

    /// Creates a span from positions in samples.
    public init(startSample: Int, endSample: Int, sampleRate: Double) {
        self.startSample = startSample
        self.endSample = endSample
        self.sampleRate = sampleRate
    }
}

/// Speed of the card past the head, in inches per second.
public struct SpeedProfile: Sendable, Hashable {
    /// Mean speed over the message.
    public let mean: Double
    /// Slowest stretch of about eight bit cells.
    public let slowest: Double
    /// Fastest stretch of about eight bit cells.
    public let fastest: Double

    /// Creates a profile from speeds in inches per second.
    public init(mean: Double, slowest: Double, fastest: Double) {
        self.mean = mean
        self.slowest = slowest
        self.fastest = fastest
    }
}

/// A message decoded from a stripe that passed all checks. `description` and reflection never show its text.
public struct DecodedTrack: Sendable, CustomStringConvertible {
    /// The stripe, determined by character code and recording density.
    public let track: TrackNumber
    /// The character code of the message.
    public let code: CharacterCode
    /// Number of the message among all events since the last reset, from 0; tracks that are not reported count too.
    public let swipe: Int
    /// Direction in which the card passed.
    public let direction: SwipeDirection
    /// The position of the message, from start sentinel to LRC.
    public let span: SwipeSpan
    /// ASCII of the message from start sentinel to end sentinel, without the LRC.
    public let characters: WipedArray<UInt8>
    /// Result of the character parity check.
    public let parity: CheckOutcome
    /// Result of the longitudinal redundancy check.
    public let lrc: CheckOutcome
    /// Positions in `characters` whose bits the decoder replaced.
    public let repairedCharacters: [Int]
    /// Confidence that this text is right, 0 to 1.
    public let confidence: Double
    /// Card speed in inches per second.
    public let speed: SpeedProfile
    /// The tier that proved the message.
    public let tier: DecoderTier
    /// Times of the bit cell boundaries from start sentinel to LRC, in samples since the last reset, in the order of
    /// time; one more than there are bits.
    public let cellBoundaries: [Double]

    /// A summary without the card data.
    public var description: String {
        "track \(track.rawValue), \(characters.count) characters, \(direction.rawValue), \(tier.rawValue) tier"
    }
}

/// A swipe that could not be decoded, with its position and the reason.
public struct SwipeFailure: Error, Sendable, CustomStringConvertible {
    /// The reason for which a swipe could not be decoded. A struct, so that reasons can be added.
    public struct Reason: Sendable, Hashable {
        enum Kind: String {
            case noBitCells, unproven, tooWeak, clipped, tooShort, noStartSentinel, noEndSentinel, parity, lrc,
                ambiguous
        }

        let kind: Kind
        /// The sound contains no bit cells: noise, speech, music, or a swipe hidden by them.
        public static let noBitCells = Reason(kind: .noBitCells)
        /// The fast tier could not prove the bit cells, and the strong one was not available: it is disabled, or the
        /// sound has more messages without a pause than the strong tier is used for.
        public static let unproven = Reason(kind: .unproven)
        /// The swipe is hardly above the noise.
        public static let tooWeak = Reason(kind: .tooWeak)
        /// The sound is so far over full scale that the timing is lost.
        public static let clipped = Reason(kind: .clipped)
        /// Sound or bit cells for less than the shortest pass of a card.
        public static let tooShort = Reason(kind: .tooShort)
        /// Bit cells, but no start sentinel in either direction.
        public static let noStartSentinel = Reason(kind: .noStartSentinel)
        /// A start sentinel, but no end sentinel.
        public static let noEndSentinel = Reason(kind: .noEndSentinel)
        /// Characters with wrong parity that could not be repaired with certainty.
        public static let parity = Reason(kind: .parity)
        /// All characters pass, but the LRC does not.
        public static let lrc = Reason(kind: .lrc)
        /// Two or more readings pass the checks about equally well.
        public static let ambiguous = Reason(kind: .ambiguous)
    }

    /// The reason for the failure, for programs to compare.
    public let reason: Reason
    /// Number among all events since the last reset, from 0; tracks that are not reported count too.
    public let swipe: Int
    /// The position of the swipe.
    public let span: SwipeSpan
    /// Best guess at the code; nil if the decoder did not get that far.
    public let code: CharacterCode?
    /// Direction of the best guess; nil without one.
    public let direction: SwipeDirection?
    /// ASCII of the best guess with 0 for each uncertain character; empty if nothing was decoded.
    public let partialCharacters: WipedArray<UInt8>
    /// Position of the first character that failed, in `partialCharacters`.
    public let firstBadCharacter: Int?
    /// The bits in the order of time, one per byte, for cards that follow no standard; empty if nothing was decoded.
    public let bits: WipedArray<UInt8>
    /// Times of the bit cell boundaries, in samples since the last reset; one more than there are bits, or empty.
    public let cellBoundaries: [Double]

    /// The reason and the position in one line, without card data.
    public var description: String {
        let place = firstBadCharacter.map { " at character \($0 + 1) of \(partialCharacters.count)" } ?? ""
        return "\(reason.message)\(place)"
    }
}

extension SwipeFailure.Reason {
    /// A machine-readable name: `tooWeak`, `lrc`, ...
    public var name: String { kind.rawValue }

    /// One sentence for a person.
    public var message: String {
        switch kind {
        case .noBitCells: "sound, but no bit cells in it"
        case .unproven: "bit cells that the fast tier alone could not prove"
        case .tooWeak: "too weak: barely above the noise"
        case .clipped: "clipped: lower the capture level"
        case .tooShort: "too short for a swipe"
        case .noStartSentinel: "no start sentinel in either direction"
        case .noEndSentinel: "no end sentinel"
        case .parity: "wrong character parity"
        case .lrc: "the LRC does not match"
        case .ambiguous: "ambiguous: more than one reading passes the checks"
        }
    }
}

extension TrackMessage {
    /// Creates the message of a decoded track.
    package init(_ track: DecodedTrack) {
        code = track.code
        characters = track.characters
    }
}

/// The reason for which a stretch of a segment could not be decoded, and the partial result.
struct SegmentFailure: Error {
    var reason: SwipeFailure.Reason
    /// The stretch, in samples of the segment.
    var range: Range<Int>
    var code: CharacterCode?
    var isReversed = false
    /// ASCII of the best guess, 0 for each uncertain character.
    @Wiped var characters: [UInt8] = []
    /// Bits in the order of time and their boundaries in samples of the segment.
    @Wiped var bits: [UInt8] = []
    var boundaries: [Float] = []

    /// Characters of the best guess that are certain.
    var certainCharacters: Int { characters.count { $0 != 0 } }

    func moved(by offset: Int) -> SegmentFailure {
        var moved = self
        moved.range = range.lowerBound + offset..<range.upperBound + offset
        moved.boundaries = boundaries.map { $0 + Float(offset) }
        return moved
    }

    func swipeFailure(offset: Int, swipe: Int, sampleRate: Double) -> SwipeFailure {
        SwipeFailure(
            reason: reason, swipe: swipe,
            span: SwipeSpan(
                startSample: range.lowerBound + offset, endSample: range.upperBound + offset, sampleRate: sampleRate),
            code: code, direction: code.map { _ in isReversed ? .reverse : .forward },
            partialCharacters: WipedArray(characters), firstBadCharacter: characters.firstIndex(of: 0),
            bits: WipedArray(bits), cellBoundaries: boundaries.map { Double($0) + Double(offset) })
    }
}
