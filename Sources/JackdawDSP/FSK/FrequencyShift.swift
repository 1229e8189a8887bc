/// A binary frequency shift keying with continuous phase: the tones of 1 and 0, and how fast they follow each other.
public struct FrequencyShift: Sendable, Hashable {
    /// Bits a second, 50 to 9,600; samples a bit need not be whole.
    public var baud: Double
    /// Frequency of a 1 in Hz: at least half the baud and 1/4096 of the sample rate, and less than half of that.
    public var mark: Double
    /// Frequency of a 0 in Hz, within the same bounds.
    public var space: Double

    /// A keying.
    /// - Parameters:
    ///   - baud: bits a second, 50 to 9,600.
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
    /// Bauds that are encoded and decoded.
    public static let bauds = 50.0...9_600.0
    /// Sample rates that are encoded and decoded, in Hz.
    public static let sampleRates = Tone.sampleRates

    /// Of a tone that turns less than so often in a bit, noise and offset leave nothing to tell it by.
    private static let leastTurnsPerBit = 0.5
    /// Below this many turns a sample the filter that keeps the offset out would take seconds to come to rest.
    private static let leastTurns = 1.0 / 4_096

    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, Self.sampleRates, "Hz")
        try LineCodeError.check("baud", baud, Self.bauds, "bits a second")
        try LineCodeError.check("baud", baud, 0...sampleRate / 2, "bits a second at this sample rate")
        for (name, tone) in [("mark", mark), ("space", space)] {
            let least = max(Self.leastTurnsPerBit * baud, Self.leastTurns * sampleRate)
            try LineCodeError.check(
                name, tone, least...(sampleRate / 2).nextDown, "Hz at this baud and sample rate")
        }
        try LineCodeError.check("shift", abs(mark - space), baud / 4...sampleRate, "Hz at this baud")
    }
}

/// Something of the space and of the mark, in place: no array of two that would have to be allocated.
struct TonePair<Element> {
    var space: Element
    var mark: Element

    init(space: Element, mark: Element) {
        self.space = space
        self.mark = mark
    }

    /// The same of both.
    init(_ both: Element) {
        space = both
        mark = both
    }

    /// By the bit that the tone stands for: 0 is space, 1 is mark.
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
