import JackdawBytes

/// The level of keyed tones and of the noise in blocks of a stretch, measured without a search for bits.
///
/// At each grid step, the best of the eight patterns of three bits is summed with the phase that its tones would have.
/// In white noise the power of that sum varies little from block to block, so that blocks of noise need no search.
struct SignalLevels: Sendable, Wipeable {
    /// The levels of a block.
    struct Block: BitwiseCopyable, Sendable {
        /// Correlation of a bit with its tone, as a mean over the block and as the largest of three bits.
        var mean: Float
        var peak: Float
        /// Variance of the noise per sample.
        var noise: Float
        /// Power of the sound.
        var power: Float
        /// The power of the best patterns over the one at which the squelch opens, and the same if the noise was as
        /// dense everywhere as it is in the whole spectrum.
        var strength: Float
        var strengthInWhiteNoise: Float
    }

    /// The tones in the loudest part of a stretch.
    struct Tones: BitwiseCopyable, Sendable {
        /// Their power over the one at which the squelch opens.
        var strength: Float
        /// The correlation of a bit with its tone.
        var level: Float
    }

    private(set) var blocks: [Block] = []
    /// Grid steps of each block.
    private(set) var blockSteps = 1

    /// Bits of a block, on average.
    static let blockBits = 32
    /// Consecutive bits of a pattern.
    private static let patternBits = 3
    /// The power of the best patterns over that of the noise in them, at which the squelch opens. White noise has 2.4,
    /// and 3.2 in one block of a hundred; a signal at 6 dB has 7, and 3.2 to 5.5 with tones that are 5 % off.
    static let leastStrength: Float = 3.6
    /// The same with few samples per bit, of the best of the eight timings: white noise has 2.5, and 3.1 in one block
    /// of a hundred; a signal at 6 dB with a clock that is 5 % off has 3.9.
    private static let leastStrengthOfFew: Float = 3.4
    private static let few: Float = 12
    /// The same for single bits, whose frequency may be off, and whose phase may be unknown: white noise has 1.5 and
    /// 1.6, and 1.9 and 2.1 in one block of a hundred; a signal at 6 dB with tones that are 5 % off has 2.4 and 2.8.
    static let leastStrengthOfBits: Float = 2.2
    static let leastStrengthWithoutPhase: Float = 2.45
    /// The power of the best pattern in noise, over the mean power of a pattern, beside a strong signal.
    private static let noiseInPattern: Float = 1.2
    /// The least power of the best patterns, and of the best single bits, in noise that fills the band, over that of the
    /// noise in them.
    private static let bestOfNoise: Float = 2
    private static let bestOfNoiseWithoutPhase: Float = 1.4
    /// The density of the noise in the band over that of the whole spectrum from which on it is no fluctuation.
    private static let loudBand: Float = 1.25
    private static let perBit = ToneCorrelations.stepsPerBit

    /// The power of the best block over the one at which the squelch opens.
    var strength: Float {
        var most: Float = 0
        for block in blocks { most = max(most, block.strength) }
        return most
    }

    /// The tones of the strongest and of the loudest block.
    var tones: Tones {
        var level: Float = 0
        for block in blocks { level = max(level, block.mean) }
        return Tones(strength: strength, level: level)
    }

    /// The power of the loudest block.
    var power: Float {
        var most: Float = 0
        for block in blocks { most = max(most, block.power) }
        return most
    }

    /// Whether noise that is denser in the band of the tones than elsewhere closes the squelch, or nearly.
    var isBandLoud: Bool {
        blocks.contains {
            $0.strengthInWhiteNoise >= 1
                && ($0.strength < 1 || $0.strengthInWhiteNoise > Self.loudBand * $0.strength)
        }
    }

    mutating func wipe() { blocks.wipeCapacity() }

    /// Measures the blocks of a stretch.
    /// - Parameters:
    ///   - tones: the correlations of the stretch.
    ///   - turns: the turns of the tones.
    ///   - isPhaseKept: whether the phase continues from bit to bit.
    mutating func measure(_ tones: ToneCorrelations, _ turns: CarrierTurns, isPhaseKept: Bool) {
        blocks.removeAll(keepingCapacity: true)
        let steps = (tones.count - (Self.patternBits - 1) * Self.perBit) / Self.perBit * Self.perBit
        guard steps > 0 else { return }
        let count = max(1, (steps / Self.perBit + Self.blockBits / 2) / Self.blockBits)
        blockSteps = (steps / Self.perBit + count - 1) / count * Self.perBit
        blocks.growWiping(toHold: count)
        for start in stride(from: 0, to: steps, by: blockSteps) {
            blocks.append(
                block(start..<min(start + blockSteps, steps), tones, turns, isPhaseKept: isPhaseKept))
        }
    }

    private func block(
        _ steps: Range<Int>, _ tones: ToneCorrelations, _ turns: CarrierTurns, isPhaseKept: Bool
    ) -> Block {
        let sums =
            isPhaseKept
            ? Self.patterns(steps, tones.bits.space, tones.bits.mark, turns)
            : Self.singleBits(steps, tones.bits.space, tones.bits.mark)
        let heard = steps.lowerBound..<min(steps.upperBound + Self.perBit, tones.count)
        let samples = Float(Double(heard.count) * tones.stepLength)
        let perBit = Float(tones.stepLength) * Float(Self.perBit)
        let power = max(tones.noise(in: heard, beside: 0, isWhite: true) / samples, 0)
        let length = Float(isPhaseKept ? Self.patternBits : 1)
        let stepCount = Float(steps.count)
        let best = max(sums.even.max(), sums.odd.max()) / (stepCount / Float(Self.perBit))
        // The power of the patterns at the right timing is that of the carrier and a little noise.
        let carrier = 2 * best / (length * length * perBit * perBit)
        let rest = max(tones.noise(in: heard, beside: carrier * samples, isWhite: false) / samples, 0.01 * power)
        // The patterns also fit some of the noise.
        let fitted = 2 * (isPhaseKept ? Self.bestOfNoise : Self.bestOfNoiseWithoutPhase) / (length * perBit)
        let dense = max(power, tones.noiseInBand(in: heard, beside: carrier * samples, fitted: fitted) / samples)
        let density = dense * perBit + .leastNormalMagnitude
        let noiseShare = min(2 * Self.noiseInPattern / (length * perBit), 0.9)
        // In multiples of the density.
        var strength = sums.single / (stepCount * Self.leastStrengthOfBits)
        if !isPhaseKept {
            strength = best / Self.leastStrengthWithoutPhase
        } else if perBit < Self.few {
            strength = best / (length * Self.leastStrengthOfFew)
        } else {
            let all = (sums.even + sums.odd).sum() / stepCount
            strength = max(strength, all / (length * Self.leastStrength))
        }
        return Block(
            mean: (best / (length * length)).squareRoot(), peak: (sums.largest / (length * length)).squareRoot(),
            noise: rest / (1 - noiseShare), power: power, strength: strength / density,
            strengthInWhiteNoise: strength / (power * perBit + .leastNormalMagnitude))
    }

    /// The power of the best patterns: sums over the steps of each timing, the largest, and that of single bits.
    private struct Sums {
        var even = SIMD4<Float>.zero
        var odd = SIMD4<Float>.zero
        var largest: Float = 0
        var single: Float = 0
    }

    private static func patterns(
        _ steps: Range<Int>, _ space: [SIMD2<Float>], _ mark: [SIMD2<Float>], _ turns: CarrierTurns
    ) -> Sums {
        var sums = Sums()
        var largest = SIMD4<Float>.zero
        var singles = SIMD4<Float>.zero
        @inline(__always)
        func bits(at step: Int) -> TonePair<FourNumbers> {
            TonePair(space: FourNumbers(space, at: step), mark: FourNumbers(mark, at: step))
        }
        /// The sum over every other group of four steps.
        @inline(__always)
        func sum(from start: Int) -> SIMD4<Float> {
            var sum = SIMD4<Float>.zero
            var (first, second) = (bits(at: start), bits(at: start + perBit))
            for step in stride(from: start, to: steps.upperBound, by: perBit) {
                let third = bits(at: step + 2 * perBit)
                singles += FourNumbers.larger(first.space.power, first.mark.power)
                let best = FourNumbers.best(first, second, third, turns.bits)
                sum += best
                largest = FourNumbers.larger(largest, best)
                (first, second) = (second, third)
            }
            return sum
        }
        sums.even = sum(from: steps.lowerBound)
        sums.odd = sum(from: steps.lowerBound + perBit / 2)
        sums.largest = largest.max()
        sums.single = singles.sum()
        return sums
    }

    private static func singleBits(_ steps: Range<Int>, _ space: [SIMD2<Float>], _ mark: [SIMD2<Float>]) -> Sums {
        var sums = Sums()
        var largest = SIMD4<Float>.zero
        for step in stride(from: steps.lowerBound, to: steps.upperBound, by: perBit) {
            let even = FourNumbers.larger(FourNumbers(space, at: step).power, FourNumbers(mark, at: step).power)
            let odd = FourNumbers.larger(FourNumbers(space, at: step + 4).power, FourNumbers(mark, at: step + 4).power)
            sums.even += even
            sums.odd += odd
            largest = FourNumbers.larger(largest, FourNumbers.larger(even, odd))
        }
        sums.largest = largest.max()
        sums.single = sums.even.sum() + sums.odd.sum()
        return sums
    }
}
