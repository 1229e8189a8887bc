/// Bytes of a burst with how sure their bits are, on their way to characters. They are card data: ``wipe()`` them.
struct NibbleBytes {
    var values: [UInt8] = []
    /// Log-likelihood ratio of each bit, eight for a byte, bit 0 first.
    var reliabilities: [Float] = []
    /// Bits of each byte that a check turned over.
    var repairs: [UInt8] = []

    /// Reads the bytes of a burst.
    /// - Parameters:
    ///   - judge: its bits.
    ///   - lowNibble: 0 where the low nibble goes first, 1 where it goes second.
    ///   - isInverted: whether a 1 is low-high where the start chip is high.
    init(_ judge: NibbleJudge, lowNibble: Int, isInverted: Bool) {
        // With room for all: what is appended beyond it would leave a copy behind.
        values.reserveCapacity(judge.bytes)
        reliabilities.reserveCapacity(8 * judge.bytes)
        for byte in 0..<judge.bytes {
            var value: UInt8 = 0
            for place in 0..<8 {
                let ratio = judge.ratio(2 * byte + (place < 4 ? lowNibble : 1 - lowNibble), place % 4)
                if (ratio > 0) != isInverted { value |= 1 << UInt8(place) }
                reliabilities.append(abs(ratio))
            }
            values.append(value)
        }
        repairs = [UInt8](repeating: 0, count: judge.bytes)
    }

    /// Turns over weak bits where that makes a check pass.
    /// - Returns: how the check came out; nil where none knows the format.
    mutating func mend(_ checks: [FrameCheck]) -> LineBurst.Check? {
        var turned = repairs
        let outcome = SoftRepair.mend(&values, reliabilities: reliabilities, checks: checks) { turned[$0] += 1 }
        defer { repairs = turned }
        switch outcome {
        case .unknown: return nil
        case .broken: return .broken
        case .whole:
            guard turned == repairs else { return .repaired }
            return checks.contains { $0.bits > 0 && $0.outcome(values.span) == .whole } ? .intact : nil
        }
    }

    /// Leaves the first bytes only.
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

    /// Overwrites all.
    mutating func wipe() {
        values.wipe()
        reliabilities.wipe()
        repairs.wipe()
    }

    /// Appends characters, and behind them the burst.
    /// - Parameters:
    ///   - range: bytes that are characters.
    ///   - check: how the check of their frame came out.
    ///   - burst: where they were heard.
    ///   - judge: what was measured.
    ///   - scale: from steps to samples.
    ///   - events: what is appended to.
    func append(
        _ range: Range<Int>, _ check: LineBurst.Check?, of burst: NibbleBurst, _ judge: NibbleJudge,
        _ scale: NibbleScale,
        to events: inout [LineEvent]
    ) {
        guard !range.isEmpty else { return }
        var framingErrors = 0
        var least: Float = 1
        for byte in range {
            let framed = judge.isFramed(2 * byte) && judge.isFramed(2 * byte + 1)
            // Which bits of a broken frame are wrong is not known.
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
        let power = Double(judge.level * judge.level)
        let span = SwipeSpan(
            startSample: max(0, Int(start)), endSample: max(0, Int(end.rounded(.up))), sampleRate: scale.sampleRate)
        events.appendWiping(
            .burst(
                LineBurst(
                    span: span, characters: range.count, framingErrors: framingErrors,
                    repairedBits: repairs.reduce(0) { $0 + Int($1) }, check: check, confidence: least,
                    baud: scale.sampleRate / samplesPerChip, tones: nil, level: LogLikelihood.decibels(2 * power),
                    signalToNoise: LogLikelihood.decibels(power / (Double(judge.variance) * scale.samplesPerSound)))))
    }
}
