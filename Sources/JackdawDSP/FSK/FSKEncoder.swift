import JackdawBytes

/// Encodes bytes as frequency shift keying: one sine with continuous phase.
public struct FSKEncoder: LineEncoder {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// The start, data, parity and stop bits of characters.
    public let framing: CharacterFraming
    /// Samples per second (Hz).
    public let sampleRate: Double
    /// Peak of the sine, full scale 1.
    public let amplitude: Float

    /// Phase of the sine in turns, 0 to 1.
    private var phase = 0.0
    /// Time of the next sample within the current bit, in samples from the bit's start.
    private var timeInBit = 0.0

    /// Creates an encoder at phase 0.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - framing: framing of the characters; default: 8N1.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - level: level of the sine in dBFS, -120 to 0; default: -6.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double, level: Double = -6
    ) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        try framing.validate()
        try LineCodeError.check("level", level, -120...0, "dBFS")
        self.shift = shift
        self.framing = framing
        self.sampleRate = sampleRate
        amplitude = Float(Numerics.amplitude(decibels: level))
    }

    /// Appends the sound of bytes, each from start bit to stop bits.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices { encode(UInt16(bytes[index]), into: &samples) }
    }

    /// Appends the sound of one character; only the framing's data bits count.
    public mutating func encode(_ value: UInt16, into samples: inout [Float]) {
        let data = value & (1 << UInt16(framing.dataBits) - 1)
        append(tone: shift.space, bits: 1, into: &samples)
        for index in 0..<framing.dataBits {
            appendBit(Int(data >> UInt16(framing.place(ofDataBit: index))) & 1, &samples)
        }
        if let parity = framing.parityBit(of: data) { appendBit(parity, &samples) }
        append(tone: shift.mark, bits: framing.stopBits.rawValue, into: &samples)
    }

    /// Appends bits without start and stop, beginning with the most significant bit of the first byte.
    /// - Parameters:
    ///   - bytes: the bits, eight per byte.
    ///   - samples: the array to append to.
    public mutating func encodeBits(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices {
            for place in stride(from: 7, through: 0, by: -1) { appendBit(Int(bytes[index]) >> place & 1, &samples) }
        }
    }

    /// Appends a held mark, 0 to 600 seconds.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        append(tone: shift.mark, bits: IdleTime.bounded(seconds) * shift.baud, into: &samples)
    }

    /// Starts again at phase 0.
    public mutating func reset() {
        phase = 0
        timeInBit = 0
    }

    private mutating func appendBit(_ bit: Int, _ samples: inout [Float]) {
        append(tone: bit == 1 ? shift.mark : shift.space, bits: 1, into: &samples)
    }

    /// Appends a tone. A bit may begin and end between two samples; from its start on the phase turns at the tone's
    /// rate.
    private mutating func append(tone: Double, bits: Double, into samples: inout [Float]) {
        let length = bits * sampleRate / shift.baud
        let turns = tone / sampleRate
        while timeInBit < length {
            samples.appendWiping(amplitude * Float(Numerics.sineAndCosine(turns: phase + timeInBit * turns).sine))
            timeInBit += 1
        }
        phase += length * turns
        phase -= phase.rounded(.down)
        timeInBit -= length
    }
}

/// The properties of a sender and of the line from it, as learnt from a burst.
struct FSKSender: Sendable {
    /// Bit rate relative to the nominal one.
    var clock = 1.0
    /// Tones of space and mark in Hz.
    var frequencies: SIMD2<Double>
    /// The line's response to the two tones.
    var balance = ToneBalance()

    /// Creates a nominal sender, on a line with the same response to both tones.
    init(_ shift: FrequencyShift) {
        frequencies = SIMD2(shift.space, shift.mark)
    }

    /// Creates a sender with a clock and tones, on a line with the same response to both tones.
    init(clock: Double, frequencies: SIMD2<Double>) {
        self.clock = clock
        self.frequencies = frequencies
    }

    /// Whether clock, tones and line are nominal.
    func isNominal(_ shift: FrequencyShift) -> Bool {
        clock == 1 && balance.isEven && frequencies == FSKSender(shift).frequencies
    }

    /// The largest error of a tone that is accepted, as a share of the shift: if the whole sound was moved in
    /// frequency, as by a carrier system, both tones are off by the same amount.
    private static let maxShiftError = 0.15
    /// The limits of that error as a share of the tone. The upper one is needed for a shift far wider than the tone's
    /// frequency: the range would otherwise extend below 0 Hz, and a mere step would count as the tone.
    private static let maxToneErrors = 0.065...0.25

    /// The largest distance of a sender's tones from space and mark, in Hz.
    static func reach(_ shift: FrequencyShift) -> SIMD2<Double> {
        let nominal = FSKSender(shift).frequencies
        return SIMD2(repeating: maxShiftError * abs(shift.space - shift.mark)).clamped(
            lowerBound: maxToneErrors.lowerBound * nominal, upperBound: maxToneErrors.upperBound * nominal)
    }

    /// The tones, limited to the range of a sender's.
    static func bounded(_ frequencies: SIMD2<Double>, _ shift: FrequencyShift) -> SIMD2<Double> {
        let (nominal, reach) = (FSKSender(shift).frequencies, reach(shift))
        return frequencies.clamped(lowerBound: nominal - reach, upperBound: nominal + reach)
    }

    /// The range within which the clock is followed.
    private static let clocks = 0.94...1.06
    /// The least error of the clock that is corrected.
    private static let leastClockError = 0.004

    /// Corrects the clock from the distances of characters without a pause between them.
    /// - Parameters:
    ///   - distances: the distances, in grid steps of the current clock.
    ///   - gain: the share of the error to correct.
    /// - Returns: whether the clock has changed.
    @discardableResult
    mutating func followClock(_ distances: CharacterDistances, gain: Double) -> Bool {
        guard let error = distances.clockError, abs(error) > Self.leastClockError else { return false }
        clock = min(max(clock * (1 + gain * error), Self.clocks.lowerBound), Self.clocks.upperBound)
        return true
    }
}

/// The mean distance of characters without a pause between them.
struct CharacterDistances {
    /// Grid steps from one to the next, if the clock is right.
    private let expected: Double
    private var sum = 0.0
    private var count = 0

    /// The least number of distances for an estimate, and the largest deviation of one in grid steps.
    private static let leastCount = 8
    private static let maxSlip = 4.0

    init(expected: Double) { self.expected = expected }

    /// Adds a distance, if there is no idle line within it.
    mutating func add(_ distance: Double) {
        guard abs(distance - expected) <= Self.maxSlip else { return }
        sum += distance
        count += 1
    }

    /// The relative error of the clock, positive if it should be faster; nil if there are too few distances.
    var clockError: Double? { count >= Self.leastCount ? expected * Double(count) / sum - 1 : nil }
}
