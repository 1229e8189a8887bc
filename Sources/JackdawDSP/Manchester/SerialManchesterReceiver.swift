/// The state of a ``SerialManchesterDecoder``.
struct SerialManchesterReceiver: LineReceiver {
    private let line: SerialManchesterLine
    private let sampleRate: Double
    var integral: LineIntegral
    private var search: SerialManchesterSearch
    private var burst = Burst()

    /// What is known of the burst so far.
    private struct Burst {
        var characters = 0
        var framingErrors = 0
        var confidence: Float = 1
        /// In steps.
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

    /// Bits without a character that end a burst.
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
        // Mean over the characters so far.
        let share = 1 / Double(burst.characters)
        let level = Double(find.level) / search.worthOfOne
        burst.period += (find.period - burst.period) * share
        burst.level += (level - burst.level) * share
        burst.variance += (Double(find.variance) * level * level - burst.variance) * share
        events.appendWiping(.character(character))
    }

    /// Ends the burst.
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
                    // A sine's amplitude over a bit is known as well as half of its samples' noise lets it be.
                    signalToNoise: LogLikelihood.decibels(
                        burst.level * burst.level / (burst.variance * samplesPerBit)))))
        burst = Burst()
    }
}
