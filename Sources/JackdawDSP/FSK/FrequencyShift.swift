/// A binary frequency shift keying with continuous phase: the tones of 1 and 0, and the bit rate.
public struct FrequencyShift: Sendable, Hashable {
    /// Bits per second, 50 to 9,600; the samples per bit need not be an integer.
    public var baud: Double
    /// Frequency of a 1 in Hz: at least half the baud and 1/4096 of the sample rate, and less than half of that.
    public var mark: Double
    /// Frequency of a 0 in Hz, within the same bounds.
    public var space: Double

    /// Creates a keying; encoders and decoders check its range.
    /// - Parameters:
    ///   - baud: bits per second, 50 to 9,600.
    ///   - mark: frequency of a 1 in Hz.
    ///   - space: frequency of a 0 in Hz.
    public init(baud: Double, mark: Double, space: Double) {
        self.baud = baud
        self.mark = mark
        self.space = space
    }

    /// Bell 103, originating side: 300 baud.
    public static let bell103 = FrequencyShift(baud: 300, mark: 1_270, space: 1_070)
    /// Bell 202, and the AFSK of packet radio: 1,200 baud.
    public static let bell202 = FrequencyShift(baud: 1_200, mark: 1_200, space: 2_200)
    /// ITU-T V.21, channel 1: 300 baud.
    public static let v21 = FrequencyShift(baud: 300, mark: 980, space: 1_180)
    /// ITU-T V.23, mode 2: 1,200 baud.
    public static let v23 = FrequencyShift(baud: 1_200, mark: 1_300, space: 2_100)
}

extension FrequencyShift {
    /// Bit rates that encoders and decoders accept, in bits per second.
    public static let bauds = 50.0...9_600.0
    /// Sample rates that encoders and decoders accept, in Hz.
    public static let sampleRates = Tone.sampleRates

    /// Least turns of a tone per bit: with fewer, it cannot be distinguished from noise and offset.
    private static let leastTurnsPerBit = 0.5
    /// Least turns per sample: with fewer, the filter that removes the offset would take seconds to settle.
    private static let leastTurns = 1.0 / 4_096

    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, Self.sampleRates, "Hz")
        try LineCodeError.check("baud", baud, Self.bauds, "bits per second")
        try LineCodeError.check("baud", baud, 0...sampleRate / 2, "bits per second at this sample rate")
        for (name, tone) in [("mark", mark), ("space", space)] {
            let least = max(Self.leastTurnsPerBit * baud, Self.leastTurns * sampleRate)
            try LineCodeError.check(
                name, tone, least...(sampleRate / 2).nextDown, "Hz at this baud and sample rate")
        }
        try LineCodeError.check("shift", abs(mark - space), baud / 4...sampleRate, "Hz at this baud")
    }
}

/// A value for the space and one for the mark, stored in place to avoid the allocation of an array.
struct TonePair<Element> {
    var space: Element
    var mark: Element

    init(space: Element, mark: Element) {
        self.space = space
        self.mark = mark
    }

    /// Creates a pair of equal values.
    init(_ both: Element) {
        space = both
        mark = both
    }

    /// The value for a bit: 0 is space, 1 is mark.
    @inline(__always)
    subscript(tone: Int) -> Element {
        _read {
            if tone == 0 { yield space } else { yield mark }
        }
        _modify {
            if tone == 0 { yield &space } else { yield &mark }
        }
    }
}

extension TonePair: Sendable where Element: Sendable {}
extension TonePair: BitwiseCopyable where Element: BitwiseCopyable {}
