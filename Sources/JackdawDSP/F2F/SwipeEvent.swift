/// What a ``SwipeDecoder`` reports: every stretch of sound that could be a swipe ends in exactly one of these per message.
public enum SwipeEvent: Sendable {
    /// A message that passed all its checks.
    case track(DecodedTrack)
    /// A stretch that looked like a swipe and could not be read, with the reason.
    case failure(SwipeFailure)
}

/// Which way the card went through the head, relative to the order in which the stripe is written.
public enum SwipeDirection: String, Sendable, Hashable {
    /// Start sentinel first.
    case forward
    /// Start sentinel last.
    case reverse
}

/// Which tier of the decoder proved a result.
public enum DecoderTier: String, Sendable, Hashable, BitwiseCopyable {
    /// Peak timing with an adaptive clock.
    case fast
    /// Sequence estimation over timing, data and the whole code.
    case strong
}

/// How a check of a message came out.
public enum CheckOutcome: String, Sendable, Hashable {
    /// The received bits pass the check as they are.
    case ok
    /// Passes after the decoder replaced bits that it held unlikely.
    case repaired
}

/// Where a message lies in the sound.
public struct SwipeSpan: Sendable, Hashable, BitwiseCopyable {
    /// First sample, counted from the first one received since the last reset.
    public let startSample: Int
    /// One past the last sample.
    public let endSample: Int
    /// Samples per second (Hz).
    public let sampleRate: Double

    /// Start in seconds.
    public var start: Double { Double(startSample) / sampleRate }
    /// End in seconds.
    public var end: Double { Double(endSample) / sampleRate }

    /// A span of samples.
    public init(startSample: Int, endSample: Int, sampleRate: Double) {
        self.startSample = startSample
        self.endSample = endSample
        self.sampleRate = sampleRate
    }
}

/// Speed of the card past the head, in inches per second.
public struct SpeedProfile: Sendable, Hashable {
    /// Mean over the message.
    public let mean: Double
    /// Slowest stretch of about eight bit cells.
    public let slowest: Double
    /// Fastest stretch of about eight bit cells.
    public let fastest: Double

    /// A profile; all three in inches per second.
    public init(mean: Double, slowest: Double, fastest: Double) {
        self.mean = mean
        self.slowest = slowest
        self.fastest = fastest
    }
}

/// A message read from a stripe, all checks passed. Its text never shows in `description` or reflection.
public struct DecodedTrack: Sendable, CustomStringConvertible, CustomReflectable {
    /// The stripe, told by character code and recording density.
    public let track: TrackNumber
    /// The character code that was read.
    public let code: CharacterCode
    /// Ordinal of the message among all events since the last reset, from 0; tracks that were not asked for count too.
    public let swipe: Int
    /// Direction of the pass.
    public let direction: SwipeDirection
    /// Where the message lies, from start sentinel to LRC.
    public let span: SwipeSpan
    /// ASCII of the message from start sentinel to end sentinel, without the LRC.
    public let characters: WipedArray<UInt8>
    /// Character parity.
    public let parity: CheckOutcome
    /// Longitudinal redundancy check.
    public let lrc: CheckOutcome
    /// Positions in `characters` whose bits the decoder replaced.
    public let repairedCharacters: [Int]
    /// How sure the decoder is that this is the text, 0 to 1.
    public let confidence: Double
    /// Card speed.
    public let speed: SpeedProfile
    /// The tier that proved it.
    public let tier: DecoderTier
    /// Times of the bit cell boundaries from start sentinel to LRC in samples since the last reset; one more than
    /// there are bits, in the order of time.
    public let cellBoundaries: [Double]

    /// Everything but the card data.
    public var description: String {
        "track \(track.rawValue), \(characters.count) characters, \(direction.rawValue), \(tier.rawValue) tier"
    }

    /// Reflection shows nothing of the text.
    public var customMirror: Mirror {
        Mirror(self, children: ["track": track, "swipe": swipe, "tier": tier], displayStyle: .struct)
    }
}

/// A swipe that could not be read, with where and why.
public struct SwipeFailure: Error, Sendable, CustomStringConvertible, CustomReflectable {
    /// Why a swipe could not be read. A struct, so that reasons can be added.
    public struct Reason: Sendable, Hashable {
        enum Kind: String {
            case noBitCells, unproven, tooWeak, clipped, tooShort, noStartSentinel, noEndSentinel, parity, lrc,
                ambiguous
        }

        let kind: Kind
        /// Sound, but no bit cells in it: noise, speech, music, or a swipe under them.
        public static let noBitCells = Reason(kind: .noBitCells)
        /// Bit cells that the fast tier could not prove, where the strong one was not to be had: it is off, or the sound
        /// goes on from message to message without a pause for longer than it is spent on.
        public static let unproven = Reason(kind: .unproven)
        /// Hardly above the noise.
        public static let tooWeak = Reason(kind: .tooWeak)
        /// So far over full scale that the timing is lost.
        public static let clipped = Reason(kind: .clipped)
        /// Sound or bit cells for less than the shortest pass of a card.
        public static let tooShort = Reason(kind: .tooShort)
        /// Bit cells, but no start sentinel in either direction.
        public static let noStartSentinel = Reason(kind: .noStartSentinel)
        /// A start, but no end sentinel.
        public static let noEndSentinel = Reason(kind: .noEndSentinel)
        /// Characters with wrong parity that could not be repaired with certainty.
        public static let parity = Reason(kind: .parity)
        /// All characters pass, their LRC does not.
        public static let lrc = Reason(kind: .lrc)
        /// Two or more readings pass the checks about equally well.
        public static let ambiguous = Reason(kind: .ambiguous)
    }

    /// Why.
    public let reason: Reason
    /// Ordinal among all events since the last reset, from 0; tracks that were not asked for count too.
    public let swipe: Int
    /// Where the swipe lies.
    public let span: SwipeSpan
    /// Best guess at the code, where the decoder got that far.
    public let code: CharacterCode?
    /// Direction of the best guess.
    public let direction: SwipeDirection?
    /// ASCII of the best guess with 0 for a character that is not certain; empty where nothing was read.
    public let partialCharacters: WipedArray<UInt8>
    /// Position of the first character that failed, in `partialCharacters`.
    public let firstBadCharacter: Int?
    /// The bits in the order of time, one a byte, for cards that follow no standard; empty where nothing was read.
    public let bits: WipedArray<UInt8>
    /// Times of the bit cell boundaries, in samples since the last reset; one more than there are bits, or empty.
    public let cellBoundaries: [Double]

    /// Where and why in one line, without card data.
    public var description: String {
        let place = firstBadCharacter.map { " at character \($0 + 1) of \(partialCharacters.count)" } ?? ""
        return "\(reason.message)\(place)"
    }

    /// Reflection shows nothing of the text.
    public var customMirror: Mirror {
        Mirror(self, children: ["reason": reason.message, "swipe": swipe], displayStyle: .struct)
    }
}

extension SwipeFailure.Reason {
    /// A name for machines: `tooWeak`, `lrc`, ...
    public var name: String { kind.rawValue }

    /// One sentence for a person.
    public var message: String {
        switch kind {
        case .noBitCells: "sound, but no bit cells in it"
        case .unproven: "bit cells that the fast tier alone could not prove"
        case .tooWeak: "too weak: hardly above the noise"
        case .clipped: "clipped: lower the capture level"
        case .tooShort: "too short for a pass of a card"
        case .noStartSentinel: "no start sentinel in either direction"
        case .noEndSentinel: "no end sentinel"
        case .parity: "wrong character parity"
        case .lrc: "the LRC does not match"
        case .ambiguous: "ambiguous: more than one reading passes the checks"
        }
    }
}

extension TrackMessage {
    /// The message of a track that was read.
    package init(_ track: DecodedTrack) {
        code = track.code
        characters = track.characters
    }
}

/// Why a stretch of a segment could not be read, and how far the decoder got.
struct SegmentFailure: Error {
    var reason: SwipeFailure.Reason
    /// The stretch, in samples of the segment.
    var range: Range<Int>
    var code: CharacterCode?
    var isReversed = false
    /// ASCII of the best guess, 0 where it is not certain.
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
