import JackdawBytes

/// Determines how much of a rejected swipe can be decoded, and the first check that it fails.
enum FailureDiagnosis {
    /// The least evidence of a message that is worth reporting, in bits: random bits reach it at a given position with
    /// a probability of two to the minus this, and there are a thousand positions.
    private static let leastEvidence = 20
    /// Zeros before the start sentinel that count as evidence.
    private static let maxZeros = 10
    /// A bit whose margin over its opposite is less than this (nats) makes its character uncertain.
    private static let leastMargin: Float = 3

    /// The longest readable message in one code and direction.
    private struct Attempt {
        let code: CharacterCode
        let isReversed: Bool
        let zerosBefore: Int
        @Wiped var values: [UInt8] = []
        /// Whether each character has the right parity and only certain bits.
        var isGood: [Bool] = []
        var hasEnd = false
        var passesLRC = false
        var parityErrors = 0

        /// Good characters before the first bad one: a missing or extra cell spoils all characters after it.
        var goodCharacters: Int { isGood.prefix { $0 }.count }

        /// Evidence in bits: zeros, the data bits of the start sentinel, and the parity of each good character.
        var evidence: Int {
            goodCharacters == 0 ? 0 : min(zerosBefore, maxZeros) + code.dataBits + goodCharacters
        }
    }

    static func diagnose(_ evidence: CellEvidence, boundaries: [Float]) -> SegmentFailure {
        let free = evidence.bestBits(in: 0..<evidence.count)
        let bits = free.bits
        @Wiped var reversed = bits.reversed()
        let margins = evidence.bitMargins()
        let range = Int(max(0, boundaries[0]))..<Int(max(1, boundaries[boundaries.count - 1])) + 1
        var failure = SegmentFailure(reason: .noStartSentinel, range: range)
        failure.bits = bits
        failure.boundaries = boundaries
        let attempts = CharacterCode.allCases.flatMap { code in
            [false, true].compactMap { isReversed in
                attempt(
                    code: code, bits: isReversed ? reversed : bits,
                    margins: isReversed ? margins.reversed() : margins, isReversed: isReversed)
            }
        }
        guard let best = attempts.max(by: { $0.evidence < $1.evidence }), best.evidence >= leastEvidence else {
            return failure
        }
        failure.code = best.code
        failure.isReversed = best.isReversed
        failure.characters = zip(best.values, best.isGood).map { $1 ? best.code.ascii($0) : 0 }
        failure.reason =
            best.parityErrors > 0 ? .parity : !best.hasEnd ? .noEndSentinel : best.passesLRC ? .ambiguous : .lrc
        return failure
    }

    private static func attempt(
        code: CharacterCode, bits: [UInt8], margins: [Float], isReversed: Bool
    ) -> Attempt? {
        let width = code.bitsPerCharacter
        let sentinel = code.pattern(of: code.startSentinel)
        var best: Attempt?
        for start in 0..<max(0, bits.count - width) where pattern(bits, start, width) == sentinel {
            let zeros = bits[..<start].reversed().prefix { $0 == 0 }.count
            var attempt = Attempt(code: code, isReversed: isReversed, zerosBefore: zeros)
            attempt.values.reserveCapacity(code.maximumCharacters)  // growing would leave unwiped copies
            var check: UInt8 = 0
            var place = start
            while place + width <= bits.count, attempt.values.count < code.maximumCharacters {
                let word = pattern(bits, place, width)
                let value = word & ((1 << UInt8(code.dataBits)) - 1)
                let isOdd = word.nonzeroBitCount & 1 == 1
                let isSure = margins[place..<place + width].allSatisfy { $0 >= leastMargin }
                place += width
                check ^= value
                if attempt.hasEnd {
                    attempt.passesLRC = check == 0 && isOdd
                    break
                }
                attempt.values.append(value)
                attempt.isGood.append(isOdd && isSure)
                if !isOdd { attempt.parityErrors += 1 }
                if value == code.endSentinel, isOdd { attempt.hasEnd = true }
            }
            if attempt.evidence > (best?.evidence ?? .min) { best = attempt }
        }
        return best
    }

    private static func pattern(_ bits: [UInt8], _ start: Int, _ width: Int) -> UInt8 {
        var word: UInt8 = 0
        for bit in 0..<width { word |= bits[start + bit] << UInt8(bit) }
        return word
    }
}

/// Measures how well head pulses of one shape, at the positions that a message gives, explain its sound.
///
/// A message's margin compares it with other messages on the same clock, so it cannot reveal a wrong clock. If a hand
/// slows down abruptly, a clock that does not follow finds bits in pulses that are fewer, fainter and wider; a
/// synthesis from those bits does not match the sound.
struct WaveformFit {
    /// For each cell: mean squared error, mean power, and mean square of the factor that levelled the amplitude.
    private let errors: [Float]
    private let powers: [Float]
    private let gains: [Float]
    /// Power of noise before the amplitude was levelled; the median, so that a stretch with a bad fit does not raise
    /// it.
    private let noise: Float

    /// Length of the pulse shape, in samples of a `CellPhaseSignal`: two bit cells.
    private static let taps = 2 * CellPhaseSignal.samplesPerCell + 1
    private static let ridge = 2e-3
    /// Cells in a row that are judged together: more than a click or a drop-out spans.
    private static let stretch = 10
    /// Rise of noise above its median that is tolerated, as a ratio of powers.
    private static let noiseAllowed: Float = 2
    /// Loss of level, as a ratio, that a slowing hand causes. Without it the misfit has another cause, such as a
    /// high-pass or residual hum, and is no reason to doubt the clock.
    private static let leastGain: Float = 1.3
    /// The largest unexplained share of the power in half of a stretch's cells; and in the whole stretch, after
    /// subtracting the noise.
    private static let maxInHalf: Float = 0.8
    private static let maxBesideNoise: Float = 0.48

    /// - Parameters:
    ///   - signal: the sound by phase.
    ///   - levels: +1, -1 or 0 at each boundary and middle in turn, for all cells of the signal.
    ///   - cells: the cells of the message.
    init(_ signal: CellPhaseSignal, levels: [Float], cells: Range<Int>) {
        let samplesPerCell = CellPhaseSignal.samplesPerCell
        let (samples, signalGains) = (signal.samples, signal.gains)
        var pulses = [Float](repeating: 0, count: samples.count + FilterSystem.margin)
        for (place, level) in levels.enumerated() {
            pulses[signal.offset(ofBoundary: 0) + place * samplesPerCell / 2] = level
        }
        var system = FilterSystem(taps: Self.taps)
        for place in signal.offset(ofBoundary: cells.lowerBound)..<signal.offset(ofBoundary: cells.upperBound) {
            let gain = max(signalGains[place], 1)
            system.accumulate(
                pulses, from: place - Self.taps / 2, target: samples[place], weight: 1 / (gain * gain))
        }
        var explained = FilterSystem.apply(system.solve(ridge: Self.ridge), to: pulses)
        defer {
            pulses.wipe()
            explained.wipe()
        }
        func mean(_ cell: Int, _ value: (Int) -> Float) -> Float {
            let opens = signal.offset(ofBoundary: cell)
            return (opens..<opens + samplesPerCell).reduce(0) { $0 + value($1) } / Float(samplesPerCell)
        }
        errors = cells.map { cell in
            mean(cell) { (samples[$0] - explained[$0]) * (samples[$0] - explained[$0]) }
        }
        powers = cells.map { cell in mean(cell) { samples[$0] * samples[$0] } }
        gains = cells.map { cell in mean(cell) { signalGains[$0] * signalGains[$0] } }
        noise = Self.median(zip(errors, gains).map { $0 / $1 })
    }

    /// Whether the message fits the sound in every stretch in which the level has fallen.
    var holdsWhereFaint: Bool {
        !(0...max(0, errors.count - Self.stretch)).contains { first in
            isMisfit(first..<min(first + Self.stretch, errors.count))
        }
    }

    private func isMisfit(_ cells: Range<Int>) -> Bool {
        let gain = gains[cells].reduce(0, +)
        guard gain > Self.leastGain * Self.leastGain * Float(cells.count) else { return false }
        let power = powers[cells].reduce(0, +)
        let besideNoise = errors[cells].reduce(0, +) - Self.noiseAllowed * noise * gain
        return besideNoise > Self.maxBesideNoise * power
            && Self.median(cells.map { errors[$0] / max(powers[$0], .leastNormalMagnitude) }) > Self.maxInHalf
    }

    private static func median(_ values: [Float]) -> Float { values.sorted()[values.count / 2] }
}
