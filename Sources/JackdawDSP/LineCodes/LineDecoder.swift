/// Turns the sound of a line code into characters. One shape for FSK, Manchester and NRZ.
///
/// Feed blocks of any size; the events are the same for every block size. Once the memory of a burst has been used, nothing
/// more is allocated while `events` keeps its capacity. Where it has to grow, what it leaves behind is overwritten.
///
/// ```swift
/// var decoder = try FSKDecoder(.bell202, sampleRate: 48_000)
/// var events: [LineEvent] = []
/// decoder.receive(samples.span, into: &events)
/// decoder.finish(into: &events)
/// ```
public protocol LineDecoder: Sendable {
    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent])

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent])

    /// Ends the recording: appends what is still open and overwrites all sound.
    mutating func finish(into events: inout [LineEvent])

    /// Forgets the past and starts a new recording, keeping its memory.
    mutating func reset()
}

extension LineDecoder {
    /// Takes the next samples, full scale -1 to 1, and returns what they completed.
    public mutating func receive(_ samples: Span<Float>) -> [LineEvent] {
        var events: [LineEvent] = []
        receive(samples, into: &events)
        return events
    }

    /// Takes the next 16-bit samples and returns what they completed.
    public mutating func receive(_ samples: Span<Int16>) -> [LineEvent] {
        var events: [LineEvent] = []
        receive(samples, into: &events)
        return events
    }

    /// Ends the recording and returns what was still open.
    public mutating func finish() -> [LineEvent] {
        var events: [LineEvent] = []
        finish(into: &events)
        return events
    }
}

/// Turns bytes into the sound of a line code. One shape for FSK, Manchester and NRZ.
///
/// What is encoded in parts sounds the same as in one go: phase and position in the bit go on from call to call, and a line
/// that sends packets keeps back what it cannot send before it knows what follows. ``finish(into:)`` ends that, and so does an
/// idle line. Where the samples outgrow their array, what they leave behind is overwritten.
public protocol LineEncoder: Sendable {
    /// Appends the sound of some bytes, full scale -1 to 1.
    mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float])

    /// Ends a message: appends the sound of what was kept back, if anything.
    mutating func finish(into samples: inout [Float])

    /// Ends a message and appends the idle line (a held mark, a running power tone, silence).
    /// - Parameters:
    ///   - seconds: for how long, 0 to 600. What is longer counts as 600; what is negative, not a number or without end, as 0.
    ///   - samples: what is appended to.
    mutating func idle(seconds: Double, into samples: inout [Float])

    /// Starts anew.
    mutating func reset()
}

extension LineEncoder {
    /// Does nothing: a line keeps nothing back unless it sends packets.
    public mutating func finish(into samples: inout [Float]) {}
}

/// What a ``LineDecoder`` reports: the characters of a burst in the order of time, then the burst.
public enum LineEvent: Sendable, BitwiseCopyable {
    /// A character, as soon as it is decided.
    case character(LineCharacter)
    /// The end of a burst, with what was measured over it. No burst is without a character.
    case burst(LineBurst)
}

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

/// Why a line code cannot be encoded or decoded as asked.
public struct LineCodeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case outOfRange, unknownMode }
        private let kind: Kind
        /// A value out of its range.
        public static let outOfRange = Code(kind: .outOfRange)
        /// No mode has this name.
        public static let unknownMode = Code(kind: .unknownMode)
    }

    /// What went wrong.
    public let code: Code
    /// The value and its range, in one line.
    public let message: String

    /// The message.
    public var description: String { message }
}

extension LineCodeError {
    static func check(
        _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(LineCodeError) {
        // NaN lies in no range.
        guard !range.contains(value) else { return }
        throw LineCodeError(
            code: .outOfRange,
            message: "\(name) \(value) is out of range: \(range.lowerBound) to \(range.upperBound) \(unit)")
    }
}
