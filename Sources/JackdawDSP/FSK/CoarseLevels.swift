import JackdawBytes

/// A rough measure of the tones in a stretch, which distinguishes white noise from a signal in a fraction of the time
/// that the correlations take.
///
/// It is the measure of ``SignalLevels`` at four steps a bit instead of eight, each of whole samples. Sound in which the
/// tones are weaker than the squelch demands of ``SignalLevels`` needs no other measure.
struct CoarseLevels: Sendable, Wipeable {
    private let samplesPerBit: Double
    private let isPhaseKept: Bool
    /// Steps of a bit.
    private let perBit: Int
    /// The sound around both tones, or around the mark, and around the space if phases do not count.
    private var grid: Grid
    private var spaceGrid: Grid?
    /// The first sample of each step, and of the one after the last.
    private var edges: [Int] = []
    /// The steps from which whole windows fit into the stretch, and its blocks.
    private var windows = 0
    private var blocks: [Block] = []
    private var space = Row()
    private var mark = Row()

    /// The least samples of a bit: with fewer, steps of whole samples are too uneven.
    private static let leastSamples = 16.0
    /// The largest distance of the tones in turns per bit at which four steps a bit are enough.
    private static let maxTurnsOfFour = 1.1
    /// The least ratio of this measure to that of ``SignalLevels`` in a signal.
    private static let leastShare: Float = 0.9
    private static let lanes = 4
    private static let patternBits = 3

    /// Steps from which the tones are measured together, and the density of white noise with as much energy, times the
    /// samples of a bit and the number of steps.
    private struct Block: BitwiseCopyable {
        var start: Int
        var end: Int
        var noise: Float
    }

    /// - Returns: nil if a bit has too few samples.
    init?(_ shift: FrequencyShift, sampleRate: Double, isPhaseKept: Bool) {
        samplesPerBit = sampleRate / shift.baud
        guard samplesPerBit >= Self.leastSamples else { return nil }
        self.isPhaseKept = isPhaseKept
        let turns = abs(shift.mark - shift.space) / shift.baud
        perBit = isPhaseKept && turns > Self.maxTurnsOfFour ? 8 : 4
        let middle = (shift.mark + shift.space) / 2
        grid = Grid(turns: (isPhaseKept ? middle : shift.mark) / sampleRate, samplesPerBit: samplesPerBit)
        spaceGrid = isPhaseKept ? nil : Grid(turns: shift.space / sampleRate, samplesPerBit: samplesPerBit)
    }

    mutating func wipe() {
        grid.wipe()
        spaceGrid?.wipe()
        blocks.wipeCapacity()
        space.wipe()
        mark.wipe()
    }

    /// Cuts another stretch into steps.
    /// - Parameters:
    ///   - samples: the stretch, without offset and hum.
    ///   - offset: time at which it begins, 0 to 1 sample.
    mutating func load(_ samples: Span<Float>, from offset: Double) {
        let length = samplesPerBit / Double(perBit)
        let count = max(0, Int((Double(samples.count) - offset - 0.5) / length)) / Self.lanes * Self.lanes
        edges.resize(count + 1)
        for index in 0...count { edges[index] = Int(offset + Double(index) * length + 0.5) }
        grid.load(samples, edges, tail: perBit)
        spaceGrid?.load(samples, edges, tail: perBit)
        windows = max(0, count - perBit) / Self.lanes * Self.lanes
        measureBlocks(samples)
    }

    /// Divides the stretch into blocks, and measures their energy.
    private mutating func measureBlocks(_ samples: Span<Float>) {
        blocks.removeAll(keepingCapacity: true)
        let reach = isPhaseKept ? (Self.patternBits - 1) * perBit : 0
        let steps = max(0, windows - reach) / perBit * perBit
        guard steps > 0 else { return }
        let count = max(1, (steps / perBit + SignalLevels.blockBits / 2) / SignalLevels.blockBits)
        let blockSteps = (steps / perBit + count - 1) / count * perBit
        blocks.growWiping(toHold: count)
        for start in stride(from: 0, to: steps, by: blockSteps) {
            let block = start..<min(start + blockSteps, steps)
            let range = edges[block.lowerBound]..<edges[block.upperBound + perBit]
            let power = Self.energy(samples, range) / Float(range.count)
            blocks.append(
                Block(
                    start: block.lowerBound, end: block.upperBound,
                    noise: power * Float(samplesPerBit) * Float(block.count) + .leastNormalMagnitude))
        }
    }

    /// Measures tones in the loudest part of the stretch.
    /// - Parameter turns: turns per sample of space and mark.
    /// - Returns: at least ``SignalLevels/strength`` in white noise, as far as 1 is concerned.
    mutating func strength(turns: SIMD2<Double>) -> Float {
        let step = samplesPerBit / Double(perBit)
        (spaceGrid ?? grid).correlate(turns: turns.x, step: step, window: perBit, count: windows, into: &space)
        grid.correlate(turns: turns.y, step: step, window: perBit, count: windows, into: &mark)
        let bits = turns * samplesPerBit - SIMD2((spaceGrid ?? grid).turns, grid.turns) * samplesPerBit
        var most: Float = 0
        for block in blocks {
            let power = isPhaseKept ? patterns(block.start..<block.end, turns: bits) : singles(block.start..<block.end)
            most = max(most, power / block.noise)
        }
        return most / Self.leastShare
    }

    private static func energy(_ samples: Span<Float>, _ range: Range<Int>) -> Float {
        var sums = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        var index = range.lowerBound
        unsafe samples.extracting(range).withUnsafeBytes { bytes in
            while index + 8 <= range.upperBound {
                let place = 4 &* (index &- range.lowerBound)
                let first = unsafe bytes.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self)
                let second = unsafe bytes.loadUnaligned(fromByteOffset: place &+ 16, as: SIMD4<Float>.self)
                sums.0 += first * first
                sums.1 += second * second
                index += 8
            }
        }
        var sum = (sums.0 + sums.1).sum()
        for index in index..<range.upperBound { sum += samples[index] * samples[index] }
        return sum
    }

    /// The power of the best patterns of three bits, or of the best single bits, over the one at which the squelch opens
    /// in noise of density 1; a sum over all steps.
    private func patterns(_ steps: Range<Int>, turns: SIMD2<Double>) -> Float {
        let turns = TonePair(space: Self.unit(turns.x), mark: Self.unit(turns.y))
        var sum = SIMD4<Float>.zero
        var singles = SIMD4<Float>.zero
        for step in stride(from: steps.lowerBound, to: steps.upperBound, by: Self.lanes) {
            let first = bits(at: step)
            singles += FourNumbers.larger(first.space.power, first.mark.power)
            sum += FourNumbers.best(first, bits(at: step + perBit), bits(at: step + 2 * perBit), turns)
        }
        return max(
            sum.sum() / (Float(Self.patternBits) * SignalLevels.leastStrength),
            singles.sum() / SignalLevels.leastStrengthOfBits)
    }

    @inline(__always)
    private func bits(at step: Int) -> TonePair<FourNumbers> {
        TonePair(space: space.four(at: step), mark: mark.four(at: step))
    }

    /// The power of the better tone of each bit at the best timing, times the steps of a bit.
    private func singles(_ steps: Range<Int>) -> Float {
        var sum = SIMD4<Float>.zero
        for step in stride(from: steps.lowerBound, to: steps.upperBound, by: Self.lanes) {
            sum += FourNumbers.larger(space.four(at: step).power, mark.four(at: step).power)
        }
        return sum.max() * Float(perBit) / SignalLevels.leastStrengthWithoutPhase
    }

    private static func unit(_ turns: Double) -> SIMD2<Float> {
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
        return SIMD2(Float(cosine), Float(sine))
    }

    /// Complex numbers, as rows of their real and imaginary parts.
    private struct Row: Sendable {
        var real: [Float] = []
        var imaginary: [Float] = []

        mutating func resize(_ count: Int) {
            real.resize(count)
            imaginary.resize(count)
        }

        mutating func wipe() {
            real.wipeCapacity()
            imaginary.wipeCapacity()
        }

        @inline(__always)
        func four(at index: Int) -> FourNumbers { FourNumbers(real.quad(at: index), imaginary.quad(at: index)) }
    }

    /// The sound around a frequency, summed over steps.
    private struct Grid: Sendable {
        /// Turns per sample of the frequency that is shifted to 0 Hz.
        let turns: Double
        /// One cycle of it, repeated from sample to sample, and the first three samples of it again.
        private let weights: [SIMD2<Float>]
        private let mask: Int
        private var steps = Row()

        /// Samples of a cycle of the weights, in bits.
        private static let bitsPerCycle = 8.0

        init(turns: Double, samplesPerBit: Double) {
            var length = 64
            while Double(length) < Self.bitsPerCycle * samplesPerBit { length *= 2 }
            let exact = (turns * Double(length)).rounded() / Double(length)
            self.turns = exact
            mask = length - 1
            weights = (0..<length + 3).map { index in
                let (sine, cosine) = Numerics.sineAndCosine(turns: exact * Double(index))
                return SIMD2(Float(cosine), Float(-sine))
            }
        }

        mutating func wipe() { steps.wipe() }

        mutating func load(_ samples: Span<Float>, _ edges: [Int], tail: Int) {
            let count = edges.count - 1
            steps.resize(count + tail + CoarseLevels.lanes)
            precondition(edges[count] <= samples.count && weights.count == mask + 4)
            let mask = mask
            unsafe samples.withUnsafeBytes { samples in
                unsafe weights.withUnsafeBytes { weights in
                    for step in 0..<count {
                        var (early, late) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                        var index = edges[step]
                        let end = edges[step + 1]
                        while index + 4 <= end {
                            let four = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD4<Float>.self)
                            let place = 8 &* (index & mask)
                            early +=
                                unsafe weights.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self)
                                * SIMD4(four.x, four.x, four.y, four.y)
                            late +=
                                unsafe weights.loadUnaligned(fromByteOffset: place &+ 16, as: SIMD4<Float>.self)
                                * SIMD4(four.z, four.z, four.w, four.w)
                            index += 4
                        }
                        var sum = early.lowHalf + early.highHalf + (late.lowHalf + late.highHalf)
                        while index < end {
                            sum +=
                                unsafe weights.loadUnaligned(fromByteOffset: 8 &* (index & mask), as: SIMD2<Float>.self)
                                * samples.loadUnaligned(fromByteOffset: 4 &* index, as: Float.self)
                            index += 1
                        }
                        (steps.real[step], steps.imaginary[step]) = (sum.x, sum.y)
                    }
                }
            }
            for step in count..<steps.real.count { (steps.real[step], steps.imaginary[step]) = (0, 0) }
        }

        /// Correlates with a tone over windows that start at each step.
        func correlate(turns: Double, step: Double, window: Int, count: Int, into row: inout Row) {
            row.resize(count)
            // Within a step, the tone turns against the frequency and partly cancels itself.
            let beyond = (turns - self.turns) * step
            let loss = beyond == 0 ? 1 : Numerics.sineAndCosine(turns: beyond / 2).sine / (Double.pi * beyond)
            var taps = InlineArray<8, SIMD2<Float>>(repeating: .zero)
            for tap in 0..<window {
                let (sine, cosine) = Numerics.sineAndCosine(turns: beyond * (Double(tap) + 0.5))
                taps[tap] = SIMD2(Float(cosine / loss), Float(-sine / loss))
            }
            for first in stride(from: 0, to: count, by: CoarseLevels.lanes) {
                var (real, imaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                for tap in 0..<window {
                    let (four, weight) = (steps.four(at: first + tap), taps[tap])
                    real += four.real * weight.x - four.imaginary * weight.y
                    imaginary += four.imaginary * weight.x + four.real * weight.y
                }
                row.real.setQuad(real, at: first)
                row.imaginary.setQuad(imaginary, at: first)
            }
        }
    }
}

/// Four complex numbers of consecutive steps.
struct FourNumbers {
    var real: SIMD4<Float>
    var imaginary: SIMD4<Float>

    @inline(__always)
    init(_ real: SIMD4<Float>, _ imaginary: SIMD4<Float>) {
        self.real = real
        self.imaginary = imaginary
    }

    /// Real and imaginary parts in turn, from an index on.
    @inline(__always)
    init(_ row: [SIMD2<Float>], at index: Int) {
        let four = row.four(at: index)
        self.init(four.evenHalf, four.oddHalf)
    }

    @inline(__always)
    static func + (first: FourNumbers, second: FourNumbers) -> FourNumbers {
        FourNumbers(first.real + second.real, first.imaginary + second.imaginary)
    }

    /// Turned by the angle of a unit vector.
    @inline(__always)
    func turned(_ by: SIMD2<Float>) -> FourNumbers {
        FourNumbers(real * by.x - imaginary * by.y, imaginary * by.x + real * by.y)
    }

    @inline(__always)
    var power: SIMD4<Float> { real * real + imaginary * imaginary }

    @inline(__always)
    static func larger(_ first: SIMD4<Float>, _ second: SIMD4<Float>) -> SIMD4<Float> {
        first.replacing(with: second, where: second .> first)
    }

    /// The power of the best of the eight patterns of three bits.
    /// - Parameters:
    ///   - first: the correlations of the first bit with either tone.
    ///   - second: those of the second bit.
    ///   - third: those of the third bit.
    ///   - turns: the turns of the tones in a bit, as unit vectors.
    /// - Returns: the power of the sum of three correlations.
    @inline(__always)
    static func best(
        _ first: TonePair<FourNumbers>, _ second: TonePair<FourNumbers>, _ third: TonePair<FourNumbers>,
        _ turns: TonePair<SIMD2<Float>>
    ) -> SIMD4<Float> {
        // All are turned to the phase at the start of the second bit.
        let (start0, start1) = (first.space.turned(turns.space), first.mark.turned(turns.mark))
        let backSpace = SIMD2(turns.space.x, -turns.space.y)
        let backMark = SIMD2(turns.mark.x, -turns.mark.y)
        let rest0 = second.space + third.space.turned(backSpace)
        let rest1 = second.space + third.mark.turned(backSpace)
        let rest2 = second.mark + third.space.turned(backMark)
        let rest3 = second.mark + third.mark.turned(backMark)
        var most = larger((start0 + rest0).power, (start1 + rest0).power)
        most = larger(most, larger((start0 + rest1).power, (start1 + rest1).power))
        most = larger(most, larger((start0 + rest2).power, (start1 + rest2).power))
        return larger(most, larger((start0 + rest3).power, (start1 + rest3).power))
    }
}

extension [Float] {
    /// Four elements from an index on.
    @inline(__always)
    fileprivate func quad(at index: Int) -> SIMD4<Float> {
        precondition(index >= 0 && index + 4 <= count)
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD4<Float>.self) }
    }

    /// Replaces four elements from an index on.
    @inline(__always)
    fileprivate mutating func setQuad(_ four: SIMD4<Float>, at index: Int) {
        precondition(index >= 0 && index + 4 <= count)
        unsafe withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: four, toByteOffset: 4 &* index, as: SIMD4<Float>.self)
        }
    }
}
