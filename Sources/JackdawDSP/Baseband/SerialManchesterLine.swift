import JackdawBytes

/// A UART whose bits go in Manchester code, each as one period of a sine: start bit 0, eight data bits, the least
/// significant first, even parity, stop bit 1, and ones between characters. HiJack (University of Michigan) and FloJack
/// (Flomio) use it in both directions.
///
/// Rates and idle bits are from the published sources of both; nothing was checked on hardware, so every value can be
/// changed.
package struct SerialManchesterLine: Sendable, Hashable {
    /// Bits per second, 300 to 9,600.
    package var baud: Double
    /// Ones on the line before the first character of a burst, 4 to 1,000.
    package var onesBefore: Int
    /// Ones after each character, not counting its stop bit, 8 to 1,000.
    package var onesAfter: Int
    /// Whether a 1 falls in the middle of its bit: first the sine's positive half, then the negative one.
    package var oneFalls: Bool

    /// Creates a line, checked when an encoder or decoder takes it.
    /// - Parameters:
    ///   - baud: bits per second, 300 to 9,600.
    ///   - onesBefore: ones before the first character, 4 to 1,000.
    ///   - onesAfter: ones after each character, 8 to 1,000.
    ///   - oneFalls: whether a 1 falls in the middle of its bit, from the sine's positive half to the negative one; a
    ///     decoder accepts both.
    package init(baud: Double, onesBefore: Int, onesAfter: Int, oneFalls: Bool = true) {
        self.baud = baud
        self.onesBefore = onesBefore
        self.onesAfter = onesAfter
        self.oneFalls = oneFalls
    }

    /// HiJack: 32 samples per bit at 44.1 kHz, at least a hundred ones between characters (HiJackMgr.mm).
    package static let hiJack = SerialManchesterLine(baud: 44_100 / 32, onesBefore: 100, onesAfter: 100)
    /// FloJack: 13 samples per bit at 44.1 kHz, twenty stop bits and four ones before each character (FJNFCService.mm).
    package static let floJack = SerialManchesterLine(baud: 44_100 / 13, onesBefore: 4, onesAfter: 23)
}

extension SerialManchesterLine {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, NibbleLine.sampleRates, "Hz")
        try LineCodeError.check("baud", baud, 300...9_600, "bits per second")
        try LineCodeError.check("baud", baud, 0...sampleRate / 4, "bits per second at this sample rate")
        try LineCodeError.check("ones before", Double(onesBefore), 4...1_000, "bits")
        try LineCodeError.check("ones after", Double(onesAfter), 8...1_000, "bits")
    }
}

/// Decodes the sound of a Manchester UART to characters, each found independently among the ones around it.
///
/// The decoder detects either polarity and a clock up to 5 % off. A character with wrong parity is reported as not
/// framed.
typealias SerialManchesterDecoder = BasebandDecoder<SerialManchesterLine>

extension BasebandDecoder where Line == SerialManchesterLine {
    /// Creates a decoder of the line `.hiJack`.
    /// - Parameter sampleRate: samples per second, 8,000 to 192,000 Hz, and at least 4 per bit.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    init(sampleRate: Double) throws(LineCodeError) { try self.init(.hiJack, sampleRate: sampleRate) }
}

extension SerialManchesterLine: BasebandLine {
    func receiver(sampleRate: Double) -> SerialManchesterReceiver {
        SerialManchesterReceiver(line: self, sampleRate: sampleRate)
    }
}

/// Encodes bytes as a Manchester UART's sound.
package struct SerialManchesterEncoder: LineEncoder {
    package let line: SerialManchesterLine
    /// Samples per second (Hz).
    package let sampleRate: Double
    /// Peak of the sine, full scale 1; negative if a 1 rises in the middle of its bit.
    package let amplitude: Float

    /// Time of the next sample within the current bit, in samples from the bit's start.
    private var timeInBit = 0.0
    private var isSending = false

    /// Creates an encoder on an idle line.
    /// - Parameters:
    ///   - line: rates and idle bits.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and at least 4 per bit.
    ///   - level: level of the sine in dBFS, -120 to 0; default: -6.
    ///   - isInverted: whether the line is inverted.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(
        _ line: SerialManchesterLine = .hiJack, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        try LineCodeError.check("level", level, -120...0, "dBFS")
        self.line = line
        self.sampleRate = sampleRate
        amplitude = (isInverted == line.oneFalls ? -1 : 1) * Float(Numerics.amplitude(decibels: level))
    }

    /// Appends the sound of bytes: the ones before the first byte if the line was idle, and the ones after each byte.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        if !isSending, !bytes.isEmpty {
            isSending = true
            for _ in 0..<line.onesBefore { append(bit: 1, &samples) }
        }
        for index in bytes.indices {
            append(bit: 0, &samples)
            for place in 0..<8 { append(bit: bytes[index] >> UInt8(place) & 1, &samples) }
            append(bit: UInt8(bytes[index].nonzeroBitCount & 1), &samples)
            for _ in 0...line.onesAfter { append(bit: 1, &samples) }
        }
    }

    /// Appends ones for a time.
    package mutating func idle(seconds: Double, into samples: inout [Float]) {
        let bits = (IdleTime.bounded(seconds) * line.baud).rounded(.up)
        for _ in 0..<Int(bits) { append(bit: 1, &samples) }
        if bits >= Double(line.onesBefore) { isSending = true }
    }

    /// Resets to an idle line.
    package mutating func reset() {
        timeInBit = 0
        isSending = false
    }

    private mutating func append(bit: UInt8, _ samples: inout [Float]) {
        let length = sampleRate / line.baud
        let peak = bit == 1 ? amplitude : -amplitude
        while timeInBit < length {
            samples.appendWiping(peak * Float(Numerics.sineAndCosine(turns: timeInBit / length).sine))
            timeInBit += 1
        }
        timeInBit -= length
    }
}

/// The state of a ``SerialManchesterDecoder``.
struct SerialManchesterReceiver: LineReceiver {
    private let line: SerialManchesterLine
    private let sampleRate: Double
    var integral: LineIntegral
    private var search: SerialManchesterSearch
    private var burst = Burst()

    /// The properties of the burst so far.
    private struct Burst {
        var characters = 0
        var framingErrors = 0
        var confidence: Float = 1
        /// Position of the burst's start, in steps; also the unit of `end` and `period`.
        var start = 0.0
        var end = 0.0
        var period = 0.0
        var level = 0.0
        var variance = 0.0
    }

    init(line: SerialManchesterLine, sampleRate: Double) {
        self.line = line
        self.sampleRate = sampleRate
        // A bit has two chips.
        let samplesPerChip = sampleRate / line.baud / 2
        let probe = LineIntegral(samplesPerChip: samplesPerChip, chips: 0)
        search = SerialManchesterSearch(line: line, stepsPerBit: 2 * samplesPerChip * probe.stepsPerSample)
        integral = LineIntegral(samplesPerChip: samplesPerChip, chips: 2 * search.bitsInReach)
    }

    var samplesInReach: Int { Int(Double(search.bitsInReach) * sampleRate / line.baud) }

    mutating func reset() {
        wipe()
        search.start()
        burst = Burst()
    }

    mutating func wipe() {
        integral.wipe()
        search.wipe()
    }

    mutating func advance(into events: inout [LineEvent]) {
        while let find = integral.withSums({ sums, base in search.advance(sums, base: base) }) {
            if find.position > burst.end + pause * find.period { close(into: &events) }
            report(find, into: &events)
        }
        if search.position > burst.end + pause * max(1, burst.period) { close(into: &events) }
        integral.drop(before: search.neededFrom)
    }

    /// Bits without a character after which a burst ends.
    private var pause: Double { Double(2 * (line.onesBefore + line.onesAfter)) }

    private mutating func report(_ find: SerialManchesterFind, into events: inout [LineEvent]) {
        var value: UInt16 = 0
        var reliabilities = SIMD16<UInt8>(repeating: 255)
        var least = Float.infinity
        for place in 0..<8 {
            if find.bits[place] > 0 { value |= 1 << UInt16(place) }
            let ratio = 2 * abs(find.bits[place]) / find.variance
            least = min(least, ratio)
            reliabilities[place] = UInt8(min(255, 10 * ratio))
        }
        let isFramed = (value.nonzeroBitCount & 1 == 1) == (find.bits[8] > 0)
        let character = LineCharacter(
            value: value, startSample: integral.sample(at: find.position),
            confidence: LogLikelihood.confidence(least), isFramed: isFramed, tier: .strong,
            reliabilities: reliabilities)
        if burst.characters == 0 { burst.start = find.position }
        burst.end = find.position + 11 * find.period
        burst.characters += 1
        burst.framingErrors += isFramed ? 0 : 1
        burst.confidence = min(burst.confidence, character.confidence)
        // Running means over the characters so far.
        let share = 1 / Double(burst.characters)
        let level = Double(find.level) / search.worthOfOne
        burst.period += (find.period - burst.period) * share
        burst.level += (level - burst.level) * share
        burst.variance += (Double(find.variance) * level * level - burst.variance) * share
        events.appendWiping(.character(character))
    }

    /// Ends the burst and reports it.
    mutating func close(into events: inout [LineEvent]) {
        guard burst.characters > 0 else { return }
        let span = SwipeSpan(
            startSample: max(0, Int(integral.sample(at: burst.start))),
            endSample: max(0, Int(integral.sample(at: burst.end).rounded(.up))), sampleRate: sampleRate)
        let samplesPerBit = burst.period / integral.stepsPerSample
        events.appendWiping(
            .burst(
                LineBurst(
                    span: span, characters: burst.characters, framingErrors: burst.framingErrors, repairedBits: 0,
                    check: nil, confidence: burst.confidence, baud: sampleRate / samplesPerBit, tones: nil,
                    level: LogLikelihood.decibels(burst.level * burst.level),
                    // Over N samples, an estimated amplitude has the noise's variance times 2 / N; a sine's power is
                    // half its square.
                    signalToNoise: LogLikelihood.decibels(
                        burst.level * burst.level / (burst.variance * samplesPerBit)))))
        burst = Burst()
    }
}
