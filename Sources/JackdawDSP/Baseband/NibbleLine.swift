import JackdawBytes

/// A baseband line that sends a byte as two nibbles of ten chips each, the high one first: a start chip, four
/// Manchester bits, the least significant first, and a stop chip of the opposite level. The ID TECH audio-jack readers
/// use it (UniMag, UniMag Pro, UniMag II, Shuttle).
///
/// Frame, sync and rates agree between a vendor's published code and third parties' reports, but nothing was checked on
/// hardware: every value can be changed.
package struct NibbleLine: Sendable, Hashable {
    /// Chips (half bits) per second, 1,200 to 19,200; the vendor calls it the baud.
    package var chipRate: Double
    /// The nibble that is repeated before the sync, 0 to 15.
    package var preambleNibble: UInt8
    /// Preamble bytes that an encoder sends, 3 to 1,000.
    package var preambleBytes: Int
    /// The nibble that is sent twice before the data, 0 to 15.
    package var syncNibble: UInt8
    /// The checks that distinguish a whole frame from a broken one.
    package var checks: [FrameCheck]

    /// Creates a line; by default the preamble is 0x55 fourteen times and the sync 0x66.
    /// - Parameters:
    ///   - chipRate: chips per second, 1,200 to 19,200.
    ///   - preambleNibble: the nibble before the sync, 0 to 15.
    ///   - preambleBytes: preamble bytes that an encoder sends, 3 to 1,000.
    ///   - syncNibble: the nibble before the data, 0 to 15, at least two bits away from the preamble's.
    ///   - checks: the checks of a frame; the first one that knows the frame's format decides.
    package init(
        chipRate: Double, preambleNibble: UInt8 = 0x5, preambleBytes: Int = 14, syncNibble: UInt8 = 0x6,
        checks: [FrameCheck] = [.uniMagEncrypted, .uniMagClearText]
    ) {
        self.chipRate = chipRate
        self.preambleNibble = preambleNibble
        self.preambleBytes = preambleBytes
        self.syncNibble = syncNibble
        self.checks = checks
    }

    /// 9,600 chips per second, the rate that most phones were set to.
    package static let uniMag = NibbleLine(chipRate: 9_600)
    /// 4,800 chips per second, half the usual rate.
    package static let uniMag4800 = NibbleLine(chipRate: 4_800)
    /// 2,400 chips per second, a quarter of the usual rate.
    package static let uniMag2400 = NibbleLine(chipRate: 2_400)
}

extension NibbleLine {
    /// Sample rates that are encoded and decoded, in Hz.
    package static let sampleRates = 8_000.0...192_000.0
    /// The least number of samples per chip.
    private static let leastSamplesPerChip = 2.1

    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate(sampleRate: Double) throws(LineCodeError) {
        try LineCodeError.check("sample rate", sampleRate, Self.sampleRates, "Hz")
        try LineCodeError.check("chip rate", chipRate, 1_200...19_200, "chips per second")
        try LineCodeError.check(
            "chip rate", chipRate, 0...sampleRate / Self.leastSamplesPerChip, "chips per second at this sample rate")
        try LineCodeError.check("preamble", Double(preambleBytes), 3...1_000, "bytes")
        try LineCodeError.check("preamble nibble", Double(preambleNibble), 0...15, "")
        try LineCodeError.check("sync nibble", Double(syncNibble), 0...15, "")
        try LineCodeError.check(
            "sync", Double((preambleNibble ^ syncNibble).nonzeroBitCount), 2...4, "bits from the preamble's nibble")
    }
}

extension NibbleLine: NibbleFormat {
    var template: NibbleSyncSearch.Template {
        // White noise reaches 0.74 less than once an hour; a signal at an Eb/N0 of 6 dB reaches 0.86.
        NibbleSyncSearch.Template(
            preamble: NibbleChips.levels(preambleNibble), preambles: 6, sync: NibbleChips.levels(syncNibble), syncs: 2,
            leastCorrelation: 0.74)
    }

    var quietNibbles: Int { 4 }

    var dataInTemplate: Int { 0 }

    func report(_ burst: NibbleBurst, _ scorer: NibbleScorer, _ scale: NibbleScale, to events: inout [LineEvent]) {
        var bytes = NibbleBytes(scorer, lowNibble: 1, isInverted: false)
        let check = bytes.correct(checks)
        bytes.append(0..<bytes.values.count, check, of: burst, scorer, scale, to: &events)
        bytes.wipe()
    }
}

/// Decodes the sound of a nibble line to characters: sync by correlation, then the best path through the burst.
///
/// The decoder detects and follows either polarity, a clock up to 5 % off, a standing offset and hum. It reports
/// characters after the end of their burst, because the burst's check may turn over bits of them.
typealias NibbleLineDecoder = BasebandDecoder<NibbleLine>

extension BasebandDecoder where Line == NibbleLine {
    /// Creates a decoder of the line `.uniMag`.
    /// - Parameter sampleRate: samples per second, 8,000 to 192,000 Hz, and at least 2.1 per chip.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    init(sampleRate: Double) throws(LineCodeError) { try self.init(.uniMag, sampleRate: sampleRate) }
}

extension NibbleLine: BasebandLine {
    func receiver(sampleRate: Double) -> NibbleReceiver<NibbleLine> {
        NibbleReceiver(format: self, sampleRate: sampleRate)
    }
}

/// Encodes bytes as the sound of a nibble line: preamble and sync before the first byte after silence, then the data.
package struct NibbleLineEncoder: LineEncoder {
    package let line: NibbleLine
    /// Samples per second (Hz).
    package let sampleRate: Double

    private var wave: SquareWave
    private var isSending = false

    /// Creates an encoder on a silent line.
    /// - Parameters:
    ///   - line: rates and sync.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz, and at least 2.1 per chip.
    ///   - level: half of the square wave's peak-to-peak level in dBFS, -120 to 0; default: -6.
    ///   - isInverted: whether the line is inverted.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(
        _ line: NibbleLine = .uniMag, sampleRate: Double, level: Double = -6, isInverted: Bool = false
    ) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        wave = try SquareWave(
            chipRate: line.chipRate, sampleRate: sampleRate, level: level, isInverted: isInverted)
        self.line = line
        self.sampleRate = sampleRate
    }

    /// Appends the sound of bytes, after preamble and sync if the line was silent.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        if !isSending, !bytes.isEmpty {
            isSending = true
            for _ in 0..<2 * line.preambleBytes { append(line.preambleNibble, &samples) }
            for _ in 0..<2 { append(line.syncNibble, &samples) }
        }
        for index in bytes.indices {
            append(bytes[index] >> 4, &samples)
            append(bytes[index] & 15, &samples)
        }
    }

    /// Appends silence; the next bytes begin with preamble and sync.
    package mutating func idle(seconds: Double, into samples: inout [Float]) {
        isSending = false
        wave.idle(seconds: seconds, chipRate: line.chipRate, into: &samples)
    }

    /// Resets to a silent line.
    package mutating func reset() {
        isSending = false
        wave.reset()
    }

    private mutating func append(_ nibble: UInt8, _ samples: inout [Float]) {
        wave.append(NibbleChips.levels(nibble), into: &samples)
    }
}

/// The ten chips of a nibble on the line, as +1 and -1.
enum NibbleChips {
    static let count = 10

    /// A nibble's chips: high, then high-low for a 1 and low-high for a 0, the least significant bit first, then low.
    static func levels(_ nibble: UInt8) -> [Float] {
        var levels: [Float] = [1]
        for place in 0..<4 { levels += nibble >> UInt8(place) & 1 == 1 ? [1, -1] : [-1, 1] }
        return levels + [-1]
    }
}

/// The position at which data begin on a nibble line.
struct NibbleSync {
    /// Position of the first data nibble, in steps.
    var position: Double
    /// Length of a nibble, in steps.
    var period: Double
    /// +1 or -1: the sign that corrects the line's polarity.
    var polarity: Float
    /// Amplitude of the chips, full scale 1.
    var level: Float
}

/// The bytes of a burst and the reliability of their bits, before they become characters. They are card data: call
/// ``wipe()``.
struct NibbleBytes {
    var values: [UInt8] = []
    /// Log-likelihood ratio of each bit, eight for a byte, bit 0 first.
    var reliabilities: [Float] = []
    /// The number of bits of each byte that a check turned over.
    var repairs: [UInt8] = []

    /// Reads the bytes of a burst.
    /// - Parameters:
    ///   - scorer: the decided bits of the burst.
    ///   - lowNibble: 0 if the low nibble goes first, 1 if it goes second.
    ///   - isInverted: whether a 1 is low-high on a line whose start chip is high.
    init(_ scorer: NibbleScorer, lowNibble: Int, isInverted: Bool) {
        // Reserves all bytes: growing the arrays would leave unwiped copies.
        values.reserveCapacity(scorer.bytes)
        reliabilities.reserveCapacity(8 * scorer.bytes)
        for byte in 0..<scorer.bytes {
            var value: UInt8 = 0
            for place in 0..<8 {
                let ratio = scorer.ratio(2 * byte + (place < 4 ? lowNibble : 1 - lowNibble), place % 4)
                if (ratio > 0) != isInverted { value |= 1 << UInt8(place) }
                reliabilities.append(abs(ratio))
            }
            values.append(value)
        }
        repairs = [UInt8](repeating: 0, count: scorer.bytes)
    }

    /// Turns over weak bits if that makes a check pass.
    /// - Returns: the outcome of the check; nil if no check knows the format.
    mutating func correct(_ checks: [FrameCheck]) -> LineBurst.Check? {
        var turned = repairs
        let outcome = SoftRepair.correct(&values, reliabilities: reliabilities, checks: checks) { turned[$0] += 1 }
        defer { repairs = turned }
        switch outcome {
        case .unknown: return nil
        case .broken: return .broken
        case .whole:
            guard turned == repairs else { return .repaired }
            return checks.contains { $0.bits > 0 && $0.outcome(values.span) == .whole } ? .intact : nil
        }
    }

    /// Keeps the first bytes only, and overwrites the others.
    mutating func keepFirst(_ count: Int) {
        let excess = max(0, values.count - count)
        for byte in values.count - excess..<values.count {
            values[byte] = 0
            for place in 0..<8 { reliabilities[8 * byte + place] = 0 }
        }
        values.removeLast(excess)
        repairs.removeLast(excess)
        reliabilities.removeLast(8 * excess)
    }

    /// Overwrites all bytes and reliabilities.
    mutating func wipe() {
        values.wipe()
        reliabilities.wipe()
        repairs.wipe()
    }

    /// Appends the characters, and then the burst.
    /// - Parameters:
    ///   - range: the bytes that are characters.
    ///   - check: the outcome of their frame's check.
    ///   - burst: the burst, for their positions.
    ///   - scorer: measured the level and the noise.
    ///   - scale: converts steps to samples.
    ///   - events: the array to append to.
    func append(
        _ range: Range<Int>, _ check: LineBurst.Check?, of burst: NibbleBurst, _ scorer: NibbleScorer,
        _ scale: NibbleScale,
        to events: inout [LineEvent]
    ) {
        guard !range.isEmpty else { return }
        var framingErrors = 0
        var least: Float = 1
        for byte in range {
            let framed = scorer.isFramed(2 * byte) && scorer.isFramed(2 * byte + 1)
            // In a broken frame, it is unknown which bits are wrong.
            let weakest = check == .broken ? 0 : reliabilities[8 * byte..<8 * byte + 8].reduce(.infinity, min)
            var tenths = SIMD16<UInt8>(repeating: 255)
            for place in 0..<8 { tenths[place] = UInt8(min(255, 10 * reliabilities[8 * byte + place])) }
            let character = LineCharacter(
                value: UInt16(values[byte]), startSample: scale.sample(at: burst.start(2 * byte)),
                confidence: LogLikelihood.confidence(weakest), isFramed: framed, repairedBits: repairs[byte],
                tier: .strong, reliabilities: tenths)
            framingErrors += framed ? 0 : 1
            least = min(least, character.confidence)
            events.appendWiping(.character(character))
        }
        let samplesPerNibble = burst.period / scale.stepsPerSample
        let samplesPerChip = samplesPerNibble / Double(NibbleChips.count)
        let start = scale.sample(at: burst.start(2 * range.lowerBound))
        let end = scale.sample(at: burst.start(2 * range.upperBound - 1)) + samplesPerNibble
        let power = Double(scorer.level * scorer.level)
        let span = SwipeSpan(
            startSample: max(0, Int(start)), endSample: max(0, Int(end.rounded(.up))), sampleRate: scale.sampleRate)
        events.appendWiping(
            .burst(
                LineBurst(
                    span: span, characters: range.count, framingErrors: framingErrors,
                    repairedBits: repairs.reduce(0) { $0 + Int($1) }, check: check, confidence: least,
                    baud: scale.sampleRate / samplesPerChip, tones: nil, level: LogLikelihood.decibels(2 * power),
                    signalToNoise: LogLikelihood.decibels(power / (Double(scorer.variance) * scale.samplesPerSound)))))
    }
}
