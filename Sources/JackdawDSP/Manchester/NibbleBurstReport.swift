/// Makes characters of a burst.
struct NibbleBurstReport {
    let line: NibbleLine
    let sampleRate: Double
    let stepsPerSample: Double

    /// Appends the characters of a burst and what was measured over it; nothing where there are none.
    func append(_ burst: NibbleBurst, _ judge: NibbleJudge, offset: Double, to events: inout [LineEvent]) {
        let count = burst.nibbles / 2
        guard count > 0 else { return }
        var bytes: [UInt8] = []
        var reliabilities: [Float] = []
        var repairs = [UInt8](repeating: 0, count: count)
        defer {
            bytes.wipe()
            reliabilities.wipe()
        }
        for byte in 0..<count {
            var value: UInt8 = 0
            for place in 0..<8 {
                let ratio = judge.ratio(2 * byte + (place < 4 ? 1 : 0), place % 4)
                if ratio > 0 { value |= 1 << UInt8(place) }
                reliabilities.append(abs(ratio))
            }
            bytes.append(value)
        }
        _ = SoftRepair.mend(&bytes, reliabilities: reliabilities, checks: line.checks) { repairs[$0] += 1 }
        var framingErrors = 0
        var least: Float = 1
        for byte in 0..<count {
            let framed = judge.isFramed(2 * byte) && judge.isFramed(2 * byte + 1)
            let weakest = reliabilities[8 * byte..<8 * byte + 8].reduce(.infinity, min)
            var tenths = SIMD16<UInt8>(repeating: 255)
            for place in 0..<8 { tenths[place] = UInt8(min(255, 10 * reliabilities[8 * byte + place])) }
            let character = LineCharacter(
                value: UInt16(bytes[byte]), startSample: offset + burst.start(2 * byte) / stepsPerSample,
                confidence: Self.confidence(weakest), isFramed: framed, repairedBits: repairs[byte], tier: .strong,
                reliabilities: tenths)
            framingErrors += framed ? 0 : 1
            least = min(least, character.confidence)
            events.append(.character(character))
        }
        let samplesPerNibble = burst.period / stepsPerSample
        let samplesPerChip = samplesPerNibble / Double(NibbleChips.count)
        let first = offset + burst.start(0) / stepsPerSample
        let end = offset + burst.start(2 * count - 1) / stepsPerSample + samplesPerNibble
        let power = Double(judge.level * judge.level)
        events.append(
            .burst(
                LineBurst(
                    span: SwipeSpan(
                        startSample: max(0, Int(first)), endSample: max(0, Int(end.rounded(.up))),
                        sampleRate: sampleRate),
                    characters: count, framingErrors: framingErrors,
                    repairedBits: repairs.reduce(0) { $0 + Int($1) }, confidence: least,
                    baud: sampleRate / samplesPerChip, tones: nil, level: Decibels.ofPower(2 * power),
                    signalToNoise: Decibels.ofPower(2 * power / (Double(judge.variance) * samplesPerChip)))))
    }

    /// How far from a toss of a coin a bit is, 0 to 1, of its log-likelihood ratio: tanh(x / 2).
    static func confidence(_ reliability: Float) -> Float {
        let wrong = Numerics.exponential(-Double(min(reliability, 100)))
        return Float((1 - wrong) / (1 + wrong))
    }
}

/// Ratios in dB.
enum Decibels {
    /// 10 log10 of a ratio of powers; -300 for none.
    static func ofPower(_ ratio: Double) -> Double {
        ratio > 1e-30 ? 10 * Numerics.logarithm(ratio) / 2.302_585_092_994_046 : -300
    }
}
