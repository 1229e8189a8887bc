/// A decoder of a line code: sound to characters, with one interface for FSK, Manchester and NRZ.
///
/// The caller passes blocks of any size; the events are the same for every block size. After the first burst, the
/// decoder allocates no more memory while `events` keeps its capacity. If `events` has to grow, its old memory is
/// overwritten.
///
/// ```swift
/// var decoder = try FSKDecoder(.bell202, sampleRate: 48_000)
/// var events: [LineEvent] = []
/// decoder.receive(samples.span, into: &events)
/// decoder.finish(into: &events)
/// ```
public protocol LineDecoder: Sendable {
    /// Processes the next samples, full scale -1 to 1, and appends the events that they complete. A sample that is not
    /// a number, or with a magnitude of 1e6 or more, counts as 0.
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent])

    /// Processes the next 16-bit samples and appends the events that they complete; the events are the same as for
    /// `Float` input.
    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent])

    /// Ends the recording: appends the pending events and overwrites all sound.
    mutating func finish(into events: inout [LineEvent])

    /// Discards all state and starts a new recording; the memory stays allocated.
    mutating func reset()
}

extension LineDecoder {
    /// Processes the next samples, full scale -1 to 1, and returns the events that they complete.
    public mutating func receive(_ samples: Span<Float>) -> [LineEvent] {
        var events: [LineEvent] = []
        receive(samples, into: &events)
        return events
    }

    /// Processes the next 16-bit samples and returns the events that they complete.
    public mutating func receive(_ samples: Span<Int16>) -> [LineEvent] {
        var events: [LineEvent] = []
        receive(samples, into: &events)
        return events
    }

    /// Ends the recording and returns the pending events.
    public mutating func finish() -> [LineEvent] {
        var events: [LineEvent] = []
        finish(into: &events)
        return events
    }
}

/// An encoder of a line code: bytes to sound, with one interface for FSK, Manchester and NRZ.
///
/// The sound does not depend on how the bytes are divided into calls: the phase and the position in the bit continue
/// from call to call, and a line that sends packets holds bytes back until it knows the bytes after them.
/// ``finish(into:)`` and an idle line end that. If `samples` has to grow, its old memory is overwritten.
public protocol LineEncoder: Sendable {
    /// Appends the sound of bytes, full scale -1 to 1.
    mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float])

    /// Ends a message: appends the sound of the bytes that were held back, if any.
    mutating func finish(into samples: inout [Float])

    /// Ends a message and appends the idle line (a held mark, a running power tone, silence).
    /// - Parameters:
    ///   - seconds: the duration, 0 to 600 seconds. A longer one counts as 600; one that is negative, infinite or not a
    ///     number, as 0.
    ///   - samples: the array to append to.
    mutating func idle(seconds: Double, into samples: inout [Float])

    /// Returns to the state after initialisation, and discards the bytes that were held back.
    mutating func reset()
}

extension LineEncoder {
    /// The default does nothing: a line holds nothing back unless it sends packets.
    public mutating func finish(into samples: inout [Float]) {}
}

/// An event that a ``LineDecoder`` reports: the characters of a burst in the order of time, then the burst.
public enum LineEvent: Sendable, BitwiseCopyable {
    /// A character, as soon as it is decided.
    case character(LineCharacter)
    /// The end of a burst, with the values measured over it. A burst has at least one character.
    case burst(LineBurst)
}

/// The values measured over a burst: a stretch of a line code without a pause.
public struct LineBurst: Sendable, Hashable, BitwiseCopyable {
    /// The position of the burst, from its first character to its last.
    public let span: SwipeSpan
    /// Number of characters in the burst.
    public let characters: Int
    /// Characters whose start, stop or parity bits were wrong.
    public let framingErrors: Int
    /// Bits that checks turned over.
    public let repairedBits: Int
    /// The result of the frame's check; nil if the line has no check, or the bytes have no format with a check.
    public let check: Check?
    /// Least confidence of its characters, 0.5 to 1.
    public let confidence: Float
    /// Measured rate in bits per second; on a line of nibbles, in chips per second.
    public let baud: Double
    /// Frequencies of 1 and 0 in Hz; nil if the line code has no tones.
    public let tones: Tones?
    /// Level of the signal in dBFS: 0 for a sine of full scale.
    public let level: Double
    /// Power of the signal over that of the noise in the whole band up to half the sample rate, in dB.
    public let signalToNoise: Double

    /// The result of the check over a whole frame.
    public enum Check: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        /// The frame passes as received.
        case intact
        /// The frame passes after a repair that turned over ``LineBurst/repairedBits`` bits.
        case repaired
        /// The frame fails. Its characters are reported as received, each with a confidence of 0.5, a coin toss.
        case broken
    }

    /// The two tones of a frequency shift keying, in Hz.
    public struct Tones: Sendable, Hashable, BitwiseCopyable {
        /// Frequency of a 1.
        public let mark: Double
        /// Frequency of a 0.
        public let space: Double

        /// Creates a pair of tones, in Hz.
        public init(mark: Double, space: Double) {
            self.mark = mark
            self.space = space
        }
    }
}

/// The error of encoding or decoding a line code with invalid parameters.
public struct LineCodeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case outOfRange, unknownMode }
        private let kind: Kind
        /// A value is out of its range.
        public static let outOfRange = Code(kind: .outOfRange)
        /// No mode has this name.
        public static let unknownMode = Code(kind: .unknownMode)
    }

    /// The kind of error, for programs to compare.
    public let code: Code
    /// The value and its range, in one line.
    public let message: String

    public var description: String { message }
}

extension LineCodeError {
    static func check(
        _ name: String, _ value: Double, _ range: ClosedRange<Double>, _ unit: String
    ) throws(LineCodeError) {
        // NaN is in no range.
        guard !range.contains(value) else { return }
        throw LineCodeError(
            code: .outOfRange,
            message: "\(name) \(value) is out of range: \(range.lowerBound) to \(range.upperBound) \(unit)")
    }
}
