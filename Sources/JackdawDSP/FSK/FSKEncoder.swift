/// Turns bytes into frequency shift keying: one sine whose phase never jumps.
public struct FSKEncoder: LineEncoder {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// How characters lie among start and stop bits.
    public let framing: CharacterFraming
    /// Samples per second (Hz).
    public let sampleRate: Double
    /// Peak of the sine, full scale 1.
    public let amplitude: Float

    /// Turns of the sine so far, less the whole ones.
    private var phase = 0.0
    /// Time of the next sample within the current bit, in samples from the bit's beginning.
    private var timeInBit = 0.0

    /// An encoder at phase 0.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - framing: 8N1 unless told.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - level: level of the sine in dBFS, -120 to 0; -6 unless told.
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

    /// Appends the sound of some bytes, each from start bit to stop bits.
    public mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices { encode(UInt16(bytes[index]), into: &samples) }
    }

    /// Appends the sound of one character, of which the framing's data bits count.
    public mutating func encode(_ value: UInt16, into samples: inout [Float]) {
        let data = value & (1 << UInt16(framing.dataBits) - 1)
        append(tone: shift.space, bits: 1, into: &samples)
        for index in 0..<framing.dataBits {
            appendBit(Int(data >> UInt16(framing.place(ofDataBit: index))) & 1, &samples)
        }
        if let parity = framing.parityBit(of: data) { appendBit(parity, &samples) }
        append(tone: shift.mark, bits: framing.stopBits.rawValue, into: &samples)
    }

    /// Appends bits without start and stop, the first one in the most significant place of the first byte.
    /// - Parameters:
    ///   - bytes: eight bits each.
    ///   - samples: what is appended to.
    public mutating func encodeBits(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        for index in bytes.indices {
            for place in stride(from: 7, through: 0, by: -1) { appendBit(Int(bytes[index]) >> place & 1, &samples) }
        }
    }

    /// Appends a held mark.
    public mutating func idle(seconds: Double, into samples: inout [Float]) {
        append(tone: shift.mark, bits: IdleTime.bounded(seconds) * shift.baud, into: &samples)
    }

    /// Starts anew at phase 0.
    public mutating func reset() {
        phase = 0
        timeInBit = 0
    }

    private mutating func appendBit(_ bit: Int, _ samples: inout [Float]) {
        append(tone: bit == 1 ? shift.mark : shift.space, bits: 1, into: &samples)
    }

    /// Appends a tone; a bit may begin and end between two samples, and the phase turns at the tone's rate from there on.
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

/// What a burst has told of its sender, and of the line between.
struct FSKSender: Sendable {
    /// Bits a second over the nominal ones.
    var clock = 1.0
    /// Tones of space and mark in Hz.
    var frequencies: SIMD2<Double>
    /// How the line passes the tones.
    var balance = ToneBalance()

    /// One that keeps to what it should be, on a line that passes both tones alike.
    init(_ shift: FrequencyShift) {
        frequencies = SIMD2(shift.space, shift.mark)
    }

    /// One on a line that passes both tones alike, with this clock and these tones.
    init(clock: Double, frequencies: SIMD2<Double>) {
        self.clock = clock
        self.frequencies = frequencies
    }

    /// Whether it is none but what it should be.
    func isNominal(_ shift: FrequencyShift) -> Bool {
        clock == 1 && balance.isEven && frequencies == FSKSender(shift).frequencies
    }

    /// An error of a tone that is believed, at most, as a share of the shift: where all of the sound was moved in frequency, as
    /// a carrier system does, both tones are off by as much.
    private static let mostShiftError = 0.15
    /// That as a share of the tone: no less, and no more either, since of a shift far wider than the tone is high it would
    /// reach below 0 Hz, and a mere step would be taken for the tone.
    private static let mostToneErrors = 0.065...0.25

    /// How far from space and mark a sender's tones may be, in Hz.
    static func reach(_ shift: FrequencyShift) -> SIMD2<Double> {
        let nominal = FSKSender(shift).frequencies
        return SIMD2(repeating: mostShiftError * abs(shift.space - shift.mark)).clamped(
            lowerBound: mostToneErrors.lowerBound * nominal, upperBound: mostToneErrors.upperBound * nominal)
    }

    /// Tones as they are, or as near to them as a sender's may be.
    static func bounded(_ frequencies: SIMD2<Double>, _ shift: FrequencyShift) -> SIMD2<Double> {
        let (nominal, reach) = (FSKSender(shift).frequencies, reach(shift))
        return frequencies.clamped(lowerBound: nominal - reach, upperBound: nominal + reach)
    }

    /// Clocks that are followed.
    private static let clocks = 0.94...1.06
    /// An error of the clock that is believed, at least.
    private static let leastClockError = 0.004

    /// Follows the clock by how far apart the characters are that stand close together.
    /// - Parameters:
    ///   - distances: their distances, in grid steps of the clock as it is.
    ///   - gain: share of the error that is made good.
    /// - Returns: whether the clock is another one now.
    @discardableResult
    mutating func followClock(_ distances: CharacterDistances, gain: Double) -> Bool {
        guard let error = distances.clockError, abs(error) > Self.leastClockError else { return false }
        clock = min(max(clock * (1 + gain * error), Self.clocks.lowerBound), Self.clocks.upperBound)
        return true
    }
}

/// How far apart characters are that stand close together.
struct CharacterDistances {
    /// Grid steps from one to the next, if the clock is right.
    private let expected: Double
    private var sum = 0.0
    private var count = 0

    /// Distances that tell the clock, at least, and grid steps that one may be off.
    private static let leastCount = 8
    private static let mostSlip = 4.0

    init(expected: Double) { self.expected = expected }

    /// Adds a distance, if no idle line lies in between.
    mutating func add(_ distance: Double) {
        guard abs(distance - expected) <= Self.mostSlip else { return }
        sum += distance
        count += 1
    }

    /// By what share the clock should be faster; nil where they are too few to tell.
    var clockError: Double? { count >= Self.leastCount ? expected * Double(count) / sum - 1 : nil }
}
