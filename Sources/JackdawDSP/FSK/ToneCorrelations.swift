/// What a stretch of sound has of the two tones, on a time grid of eight steps a bit.
///
/// Correlations are complex, with the phase of the tone zero where the window opens, so that a steady tone turns by the same
/// angle from one window to the next whatever their place between the samples.
struct ToneCorrelations: Sendable, Wipeable {
    /// Grid steps a bit.
    static let stepsPerBit = 8
    /// What a carrier may leave in its band, over what is known of it.
    private static let carrierInBand: Float = 1.05

    /// Windows of one bit that open at each step, one row for each tone: 0 is space, 1 is mark. Complex numbers.
    private(set) var bits = TonePair<[SIMD2<Float>]>([])
    /// Windows of one step of the mark.
    private(set) var step: [SIMD2<Float>] = []
    /// Windows of a stop bit of the mark.
    private(set) var stop: [SIMD2<Float>] = []
    /// Energy of the sound from the beginning to each step: of all of it, and in the band of the tones.
    private var energy: [SIMD2<Double>] = []
    private var bandShare: Float = 1
    /// Steps with whole windows behind them.
    private(set) var count = 0
    /// Samples a step.
    private(set) var stepLength = 0.0
    /// What a bit of space leaves in the correlation with the mark, and one of the mark in that with space, as a share of its
    /// own.
    private(set) var crosstalk = TonePair(SIMD2<Float>.zero)
    /// Turns a sample of space and mark, and the time of the first step in samples.
    private var turns = SIMD2<Double>.zero
    private var start = 0.0
    /// The mirror image of a tone counts from this share of it on.
    private static let leastImage = 0.5

    /// Running sums of the sound times either tone, one more than there are samples: real and imaginary parts.
    private var sums = TonePair<[SIMD2<Double>]>([])
    private var atSteps = TonePair<[SIMD2<Double>]>([])

    /// Correlates a stretch.
    /// - Parameters:
    ///   - samples: the sound without offset and hum.
    ///   - soundEnergy: its energy.
    ///   - offset: time of the first step in samples, 0 to 1 sample or half a step more.
    ///   - turns: turns a sample of space and mark.
    ///   - samplesPerBit: length of a bit; need not be whole.
    ///   - stopSteps: grid steps of a stop bit.
    mutating func load(
        _ samples: Span<Float>, _ soundEnergy: SoundEnergy, from offset: Double, turns: SIMD2<Double>,
        samplesPerBit: Double, stopSteps: Int
    ) {
        let perBit = Self.stepsPerBit
        stepLength = samplesPerBit / Double(perBit)
        let steps = max(0, Int((Double(samples.count) - offset) / stepLength) - 1)
        for tone in 0..<2 { sum(samples, from: offset, tone: tone, turns: turns[tone], steps: steps) }
        load(soundEnergy, from: offset, steps: steps)
        (self.turns, self.start) = (turns, offset)
        crosstalk = Self.crosstalk(turns, samples: samplesPerBit)
        count = max(0, steps - max(perBit, stopSteps))
        // A sample stands for half a sample before and behind it.
        let start = offset - 0.5
        let (space, mark) = (turns.x * stepLength, turns.y * stepLength)
        let phase = SIMD2(turns.x * start, turns.y * start)
        Self.correlate(atSteps.space, turns: space, phase: phase.x, window: perBit, count: count, into: &bits.space)
        Self.correlate(atSteps.mark, turns: mark, phase: phase.y, window: perBit, count: count, into: &bits.mark)
        Self.correlate(atSteps.mark, turns: mark, phase: phase.y, window: 1, count: count, into: &step)
        Self.correlate(atSteps.mark, turns: mark, phase: phase.y, window: stopSteps, count: count, into: &stop)
    }

    mutating func wipe() {
        for tone in 0..<2 {
            bits[tone].wipeCapacity()
            sums[tone].wipeCapacity()
            atSteps[tone].wipeCapacity()
        }
        step.wipeCapacity()
        stop.wipeCapacity()
        energy.wipeCapacity()
    }

    /// What a step has of the mark; a share of the bit around it where phases do not count, since the parts of a bit are
    /// louder one by one than all together.
    @inline(__always)
    func idle(at index: Int, isCoherent: Bool) -> SIMD2<Float> {
        let perBit = Self.stepsPerBit
        return isCoherent ? step[index] : bits[1][max(0, index - perBit / 2)] / Float(perBit)
    }

    /// Energy of the noise in some steps beside a carrier.
    /// - Parameters:
    ///   - steps: steps that were correlated.
    ///   - carrier: energy of the carrier in them.
    ///   - isWhite: whether the noise is taken for white, or for as dense everywhere as it is in the band of the tones.
    /// - Returns: the energy.
    func noise(in steps: Range<Int>, beside carrier: Float, isWhite: Bool) -> Float {
        let energy = SIMD2<Float>(energy[steps.upperBound] - energy[steps.lowerBound])
        let noise = energy.x - carrier
        return isWhite ? noise : max(noise, (energy.y - Self.carrierInBand * carrier) / bandShare)
    }

    /// Multiplies what is seen of either tone by a complex number.
    mutating func scale(_ factors: TonePair<SIMD2<Float>>) {
        func scale(_ row: inout [SIMD2<Float>], _ factor: SIMD2<Float>) {
            for index in row.indices {
                let value = row[index]
                row[index] = SIMD2(
                    value.x * factor.x - value.y * factor.y, value.y * factor.x + value.x * factor.y)
            }
        }
        crosstalk.space = Self.quotient(crosstalk.space, factors.mark, factors.space)
        crosstalk.mark = Self.quotient(crosstalk.mark, factors.space, factors.mark)
        scale(&bits.space, factors.space)
        scale(&bits.mark, factors.mark)
        scale(&step, factors.mark)
        scale(&stop, factors.mark)
    }

    /// What a bit of one tone leaves in the correlation with the other, each way.
    private static func crosstalk(_ turns: SIMD2<Double>, samples: Double) -> TonePair<SIMD2<Float>> {
        let apart = turns.x - turns.y
        let (sine, cosine) = Numerics.sineAndCosine(turns: apart * samples / 2)
        let size = sine / (samples * Numerics.sineAndCosine(turns: apart / 2).sine)
        let space = SIMD2(Float(size * cosine), Float(size * sine))
        return TonePair(space: space, mark: SIMD2(space.x, -space.y))
    }

    /// A value times one complex number over another.
    private static func quotient(
        _ value: SIMD2<Float>, _ factor: SIMD2<Float>, _ divisor: SIMD2<Float>
    ) -> SIMD2<Float> {
        let size = max((divisor * divisor).sum(), .leastNormalMagnitude)
        let ratio = SIMD2(
            (factor.x * divisor.x + factor.y * divisor.y) / size, (factor.y * divisor.x - factor.x * divisor.y) / size)
        return SIMD2(value.x * ratio.x - value.y * ratio.y, value.y * ratio.x + value.x * ratio.y)
    }

    /// The mirror image of a tone at the negative frequency in a window, as a share of the tone whose phase is zero where the
    /// window opens. Near 0 Hz, and near half the sample rate when a bit has few samples, a tone in one phase is twice as
    /// loud in the correlation as it is, and in another one it is not there at all.
    /// - Parameters:
    ///   - tone: 0 for space, 1 for mark.
    ///   - step: grid step at which the window opens.
    ///   - steps: its grid steps.
    /// - Returns: the share; 0 if it is small.
    func image(of tone: Int, at step: Int, steps: Int) -> SIMD2<Float> {
        let whole = (2 * turns[tone]).rounded()
        let window = (2 * turns[tone] - whole) * Double(steps) * stepLength
        let size = window == 0 ? 1 : Numerics.sineAndCosine(turns: window / 2).sine / (Double.pi * window)
        guard abs(size) > Self.leastImage else { return .zero }
        let time = start + Double(step) * stepLength
        let (sine, cosine) = Numerics.sineAndCosine(turns: whole * (time - 0.5) - window / 2)
        return SIMD2(Float(size * cosine), Float(size * sine))
    }

    private mutating func sum(_ samples: Span<Float>, from offset: Double, tone: Int, turns: Double, steps: Int) {
        var total = SIMD2<Double>.zero
        sums[tone].removeAll(keepingCapacity: true)
        sums[tone].growWiping(toHold: samples.count + 1)
        sums[tone].append(total)
        var oscillator = Oscillator(turns: -turns)
        for index in samples.indices {
            total += oscillator.next() * Double(samples[index])
            sums[tone].append(total)
        }
        atSteps[tone].removeAll(keepingCapacity: true)
        atSteps[tone].growWiping(toHold: steps + 1)
        for index in 0...steps {
            let time = offset + Double(index) * stepLength
            let whole = max(0, min(Int(time), samples.count - 1))
            let share = time - Double(whole)
            guard whole < samples.count else {
                atSteps[tone].append(.zero)
                continue
            }
            atSteps[tone].append(sums[tone][whole] + (sums[tone][whole + 1] - sums[tone][whole]) * share)
        }
    }

    private mutating func load(_ soundEnergy: SoundEnergy, from offset: Double, steps: Int) {
        energy.removeAll(keepingCapacity: true)
        energy.growWiping(toHold: steps + 1)
        bandShare = soundEnergy.bandShare
        for index in 0...steps {
            let end = min(Int(offset + Double(index) * stepLength), soundEnergy.totals.count - 1)
            energy.append(soundEnergy.totals[end])
        }
    }

    /// Correlates a tone over windows that open at each step.
    /// - Parameters:
    ///   - tone: 0 for space, 1 for mark.
    ///   - turns: its turns a sample.
    ///   - window: grid steps, no more than those of a bit or of the stop bit that was loaded.
    ///   - time: time of the first step that the phase counts from.
    ///   - row: the correlations are put here.
    func correlate(tone: Int, turns: Double, window: Int, at time: Double, into row: inout [SIMD2<Float>]) {
        Self.correlate(
            atSteps[tone], turns: turns * stepLength, phase: turns * time, window: window, count: count, into: &row)
    }

    /// What windows of so many steps hold of a tone.
    /// - Parameters:
    ///   - sums: running sums of the sound times the tone, at each step.
    ///   - turns: turns of the tone in a step.
    ///   - phase: turns of the tone before the first step.
    ///   - window: steps of a window.
    ///   - count: windows.
    ///   - row: what they hold is put here.
    private static func correlate(
        _ sums: [SIMD2<Double>], turns: Double, phase: Double, window: Int, count: Int, into row: inout [SIMD2<Float>]
    ) {
        row.resize(count)
        for index in 0..<count {
            let difference = sums[index + window] - sums[index]
            let (sine, cosine) = Numerics.sineAndCosine(turns: phase + turns * Double(index))
            row[index] = SIMD2<Float>(
                SIMD2(difference.x * cosine - difference.y * sine, difference.y * cosine + difference.x * sine))
        }
    }
}

extension Array where Element: BitwiseCopyable & ExpressibleByZero {
    /// Makes room for so many elements; what they hold is left open. What they leave where they were is overwritten.
    mutating func resize(_ count: Int) {
        growWiping(toHold: count)
        if self.count > count { removeLast(self.count - count) }
        // Of elements one after the other: a sequence of equal ones is taken by code that knows nothing of its elements.
        while self.count < count { append(.zero) }
    }
}

/// What has a zero to fill an array with.
protocol ExpressibleByZero {
    static var zero: Self { get }
}
extension Float: ExpressibleByZero {}
extension UInt8: ExpressibleByZero {}
extension SIMD2: ExpressibleByZero where Scalar == Float {}

/// How far two tones are from where they should be, told by how their phases turn from one bit to the next of the same tone.
struct ToneTurns: Sendable {
    /// By how much mark and space turn in so many samples, from ``leastSamples`` on: a unit vector each.
    private let turns: [SIMD4<Float>]
    private let leastSamples: Int
    private let samplesPerBit: Double
    /// Sums of how much further they turned, weighed by their power: the real parts of mark and space, the imaginary parts.
    private var sums = (real: SIMD2<Float>.zero, imaginary: SIMD2<Float>.zero)

    /// - Parameters:
    ///   - mark: turns a sample of the mark.
    ///   - space: turns a sample of the space.
    ///   - samplesPerBit: samples between two bits.
    ///   - clocks: clocks that bits may have, as shares of the nominal one.
    init(mark: Double, space: Double, samplesPerBit: Double, clocks: ClosedRange<Double>) {
        leastSamples = Int(samplesPerBit / clocks.upperBound)
        turns = (leastSamples...Int(samplesPerBit / clocks.lowerBound) + 1).map { samples in
            let first = Numerics.sineAndCosine(turns: mark * Double(samples))
            let second = Numerics.sineAndCosine(turns: space * Double(samples))
            return SIMD4(SIMD4<Double>(first.cosine, first.sine, second.cosine, second.sine))
        }
        self.samplesPerBit = samplesPerBit
    }

    mutating func reset() { sums = (.zero, .zero) }

    /// By how much mark and space turn in so many samples; nil where that is not about a bit.
    @inline(__always)
    func expected(samples: Int) -> SIMD4<Float>? {
        let index = samples - leastSamples
        return turns.indices.contains(index) ? turns[index] : nil
    }

    /// Takes the tones of two bits that follow each other.
    /// - Parameters:
    ///   - first: mark and space in the first bit.
    ///   - second: the same in the second one.
    ///   - samples: time between them.
    ///   - weights: 1 for the tone that both have, 0 for the other.
    @inline(__always)
    mutating func add(
        from first: ToneFilters.Measure, to second: ToneFilters.Measure, samples: Int, weights: SIMD2<Float>
    ) {
        guard let turn = expected(samples: samples) else { return }
        let ahead = second.turn(beyond: first, turn)
        sums.real += weights * ahead.real
        sums.imaginary += weights * ahead.imaginary
    }

    /// What is to be added to mark and space, in turns a sample.
    var offsets: (mark: Double, space: Double) {
        func offset(_ tone: Int) -> Double {
            Double(Numerics.angle(SIMD2(sums.real[tone], sums.imaginary[tone]))) / samplesPerBit
        }
        return (offset(0), offset(1))
    }
}

extension ToneFilters.Measure {
    /// How much further mark and space have turned since another window than they should have, as complex numbers.
    @inline(__always)
    func turn(beyond first: ToneFilters.Measure, _ turn: SIMD4<Float>) -> (real: SIMD2<Float>, imaginary: SIMD2<Float>)
    {
        let (real, imaginary) = (first.parts.evenHalf, first.parts.oddHalf)
        let (cosine, sine) = (turn.evenHalf, turn.oddHalf)
        let expected = (real: real * cosine - imaginary * sine, imaginary: imaginary * cosine + real * sine)
        let (here, hereImaginary) = (parts.evenHalf, parts.oddHalf)
        return (
            here * expected.real + hereImaginary * expected.imaginary,
            hereImaginary * expected.real - here * expected.imaginary
        )
    }
}
