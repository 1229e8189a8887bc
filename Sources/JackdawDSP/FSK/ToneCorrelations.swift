import JackdawBytes

/// The correlations of a stretch of sound with the two tones, on a time grid of eight steps per bit.
///
/// Correlations are complex, with the phase of the tone zero at the start of the window, so that a steady tone turns by
/// the same angle from one window to the next at any position between the samples.
struct ToneCorrelations: Sendable, Wipeable {
    /// Grid steps per bit.
    static let stepsPerBit = 8
    /// The largest factor by which a carrier's energy in its band may exceed the estimate.
    private static let carrierInBand: Float = 1.05

    /// Windows of one bit that start at each step, one row for each tone: 0 is space, 1 is mark. Complex numbers.
    private(set) var bits = TonePair<[SIMD2<Float>]>([])
    /// Correlations with the mark over one step.
    private(set) var step: [SIMD2<Float>] = []
    /// Correlations with the mark over a stop bit.
    private(set) var stop: [SIMD2<Float>] = []
    /// Energy of the sound from the start to each step: of all of it, and in the band of the tones.
    private var energy: [SIMD2<Double>] = []
    /// Energy around the tones in windows that start at each step, and the correlations from which it follows.
    private var energies: [Float] = []
    private var bandWindows: [SIMD2<Float>] = []
    private var bandShare: Float = 1
    /// Steps from which whole windows fit into the sound.
    private(set) var count = 0
    /// Samples per grid step.
    private(set) var stepLength = 0.0
    /// The correlation of a bit of space with the mark, and of a bit of mark with the space, as a share of the
    /// correlation with its own tone.
    private(set) var crosstalk = TonePair(SIMD2<Float>.zero)
    /// Turns per sample of space and mark, and the time of the first step in samples.
    private var turns = SIMD2<Double>.zero
    private var start = 0.0
    /// The share of a tone from which on its mirror image counts.
    private static let leastImage = 0.5
    /// The size of the mirror images in windows of a bit; 0 if it is small.
    private var bitImages = TonePair(0.0)

    /// The sound around both tones, or around the mark, and around the space if the tones are far apart.
    private var grid = ToneGrid()
    private var spaceGrid = ToneGrid()
    private var isShared = true
    /// The number of steps in the sound.
    private var steps = 0
    private var stopSteps = 0
    /// The largest distance of the tones, in turns per bit, at which one grid holds the sound around both.
    private static let maxSharedTurns = 1.5

    /// Correlates a stretch of sound.
    /// - Parameters:
    ///   - samples: the sound without offset and hum.
    ///   - soundEnergy: the energy of the stretch.
    ///   - offset: time of the first step in samples, 0 to 1 sample, plus half a step on the later grid.
    ///   - turns: turns per sample of space and mark.
    ///   - samplesPerBit: length of a bit in samples; need not be an integer.
    ///   - stopSteps: grid steps of a stop bit.
    mutating func load(
        _ samples: Span<Float>, _ soundEnergy: SoundEnergy, from offset: Double, turns: SIMD2<Double>,
        samplesPerBit: Double, stopSteps: Int
    ) {
        loadBits(samples, from: offset, turns: turns, samplesPerBit: samplesPerBit, stopSteps: stopSteps)
        complete(soundEnergy)
    }

    /// Correlates the bits of a stretch alone, which the squelch needs. Until ``complete(_:)`` the noise counts as white.
    /// - Parameters: the same as for ``load(_:_:from:turns:samplesPerBit:stopSteps:)``.
    mutating func loadBits(
        _ samples: Span<Float>, from offset: Double, turns: SIMD2<Double>, samplesPerBit: Double, stopSteps: Int
    ) {
        let perBit = Self.stepsPerBit
        stepLength = samplesPerBit / Double(perBit)
        steps = max(0, Int((Double(samples.count) - offset) / stepLength) - 1)
        (self.turns, self.stopSteps, start) = (turns, stopSteps, offset)
        isShared = abs(turns.x - turns.y) * samplesPerBit <= Self.maxSharedTurns
        let around = isShared ? min(turns.x, turns.y)...max(turns.x, turns.y) : turns.y...turns.y
        grid.load(samples, tones: around, from: offset, stepLength: stepLength, count: steps)
        if !isShared {
            spaceGrid.load(samples, tones: turns.x...turns.x, from: offset, stepLength: stepLength, count: steps)
        }
        loadEnergy()
        crosstalk = Self.crosstalk(turns, samples: samplesPerBit)
        count = max(0, steps - max(perBit, stopSteps))
        bitImages = TonePair(space: imageSize(of: 0, steps: perBit), mark: imageSize(of: 1, steps: perBit))
        // Moved out, because they would be copied if they were shared.
        var (space, mark) = (move(&bits.space), move(&bits.mark))
        correlate(tone: 0, window: perBit, into: &space)
        correlate(tone: 1, window: perBit, into: &mark)
        (bits.space, bits.mark) = (space, mark)
    }

    /// Correlates the idle line and the stop bits, and measures the band.
    mutating func complete(_ soundEnergy: SoundEnergy) {
        var (stepRow, stopRow) = (move(&step), move(&stop))
        correlate(tone: 1, window: 1, into: &stepRow)
        correlate(tone: 1, window: stopSteps, into: &stopRow)
        (step, stop) = (stepRow, stopRow)
        loadBand(soundEnergy)
    }

    /// Forgets the sound of the last stretch: the next one is another.
    mutating func forgetSound() {
        grid.forget()
        spaceGrid.forget()
    }

    mutating func wipe() {
        for tone in 0..<2 { bits[tone].wipeCapacity() }
        grid.wipe()
        spaceGrid.wipe()
        step.wipeCapacity()
        stop.wipeCapacity()
        energy.wipeCapacity()
        energies.wipeCapacity()
        bandWindows.wipeCapacity()
    }

    /// The correlation of a step with the mark. If phases do not count, a share of the bit around it, because the
    /// magnitudes of a bit's parts add up to more than that of the whole.
    @inline(__always)
    func idle(at index: Int, isCoherent: Bool) -> SIMD2<Float> {
        let perBit = Self.stepsPerBit
        return isCoherent ? step[index] : bits[1][max(0, index - perBit / 2)] / Float(perBit)
    }

    /// Energy of the noise in some steps, besides a carrier.
    /// - Parameters:
    ///   - steps: steps that were correlated.
    ///   - carrier: energy of the carrier in them.
    ///   - isWhite: whether the noise is assumed white, or as dense everywhere as in the band of the tones.
    /// - Returns: the energy of the noise.
    func noise(in steps: Range<Int>, beside carrier: Float, isWhite: Bool) -> Float {
        let energy = SIMD2<Float>(energy[steps.upperBound] - energy[steps.lowerBound])
        let noise = energy.x - carrier
        return isWhite ? noise : max(noise, (energy.y - Self.carrierInBand * carrier) / bandShare)
    }

    /// Energy of the noise in some steps, if it is as dense everywhere as in the band of the tones.
    /// - Parameters:
    ///   - steps: steps that were correlated.
    ///   - carrier: energy of the carrier in them, by a fit that also fits some of the noise.
    ///   - fitted: that share of the noise of the whole spectrum.
    /// - Returns: the energy of the noise; 0 before the band was measured.
    func noiseInBand(in steps: Range<Int>, beside carrier: Float, fitted: Float) -> Float {
        let inBand = Float(energy[steps.upperBound].y - energy[steps.lowerBound].y)
        return (inBand - Self.carrierInBand * carrier) / max(bandShare - Self.carrierInBand * fitted, bandShare / 2)
    }

    /// Multiplies the correlations with either tone by a complex number.
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

    /// The correlation of a bit of one tone with the other tone, in both directions.
    private static func crosstalk(_ turns: SIMD2<Double>, samples: Double) -> TonePair<SIMD2<Float>> {
        let apart = turns.x - turns.y
        let (sine, cosine) = Numerics.sineAndCosine(turns: apart * samples / 2)
        let size = sine / (samples * Numerics.sineAndCosine(turns: apart / 2).sine)
        let space = SIMD2(Float(size * cosine), Float(size * sine))
        return TonePair(space: space, mark: SIMD2(space.x, -space.y))
    }

    /// A value times the quotient of two complex numbers.
    private static func quotient(
        _ value: SIMD2<Float>, _ factor: SIMD2<Float>, _ divisor: SIMD2<Float>
    ) -> SIMD2<Float> {
        let size = max((divisor * divisor).sum(), .leastNormalMagnitude)
        let ratio = SIMD2(
            (factor.x * divisor.x + factor.y * divisor.y) / size, (factor.y * divisor.x - factor.x * divisor.y) / size)
        return SIMD2(value.x * ratio.x - value.y * ratio.y, value.y * ratio.x + value.x * ratio.y)
    }

    /// The mirror image of a tone at the negative frequency in a window, as a share of the tone with zero phase at the
    /// start of the window. Near 0 Hz, and near half the sample rate if a bit has few samples, the correlation doubles
    /// a tone of one phase and cancels a tone of another.
    /// - Parameters:
    ///   - tone: 0 for space, 1 for mark.
    ///   - step: grid step at which the window starts.
    ///   - steps: length of the window in grid steps.
    /// - Returns: the share; 0 if it is small.
    func image(of tone: Int, at step: Int, steps: Int) -> SIMD2<Float> {
        let size = steps == Self.stepsPerBit ? bitImages[tone] : imageSize(of: tone, steps: steps)
        guard size != 0 else { return .zero }
        let whole = (2 * turns[tone]).rounded()
        let window = (2 * turns[tone] - whole) * Double(steps) * stepLength
        let time = start + Double(step) * stepLength
        let (sine, cosine) = Numerics.sineAndCosine(turns: whole * (time - 0.5) - window / 2)
        return SIMD2(Float(size * cosine), Float(size * sine))
    }

    private func imageSize(of tone: Int, steps: Int) -> Double {
        let whole = (2 * turns[tone]).rounded()
        let window = (2 * turns[tone] - whole) * Double(steps) * stepLength
        let size = window == 0 ? 1 : Numerics.sineAndCosine(turns: window / 2).sine / (Double.pi * window)
        return abs(size) > Self.leastImage ? size : 0
    }

    /// Measures the energy up to each step.
    private mutating func loadEnergy() {
        bandShare = .infinity
        energy.resize(steps + 1)
        let squareRow = grid.squares
        var row = move(&energy)
        copy(squareRow.span, to: 0, of: &row)
        energy = row
    }

    /// Measures the energy in the band of the tones up to each step: by the band's filters if they have run, or by the
    /// correlations with the middle of the tones.
    mutating func loadBand(_ soundEnergy: SoundEnergy) {
        guard !soundEnergy.isMeasured else {
            bandShare = soundEnergy.bandShare
            let totals = soundEnergy.totals
            var row = move(&energy)
            copy(totals.span, to: 1, of: &row)
            energy = row
            return
        }
        guard soundEnergy.windowSteps > 0 else {
            // The band is the whole spectrum.
            bandShare = .infinity
            return
        }
        // In half a bit, a tone is not heard around the other one.
        let window = isShared ? soundEnergy.windowSteps : Self.stepsPerBit / 2
        grid.measureEnergies(window: window, windows: &bandWindows, isAdded: false, into: &energies)
        let length = Double(window) * stepLength
        var received = 1.0
        if isShared {
            let apart = abs(turns.x - turns.y) / 2 * length
            let loss = apart == 0 ? 1 : Numerics.sineAndCosine(turns: apart / 2).sine / (Double.pi * apart)
            received = loss * loss
        } else {
            spaceGrid.measureEnergies(window: window, windows: &bandWindows, isAdded: true, into: &energies)
        }
        // Scaled for a carrier to count with all of its energy; the noise counts in each grid.
        let scale = 2 / (Double(window) * length * received)
        bandShare = Float((isShared ? 2 : 4) / (length * received))
        var total = 0.0
        var row = move(&energy)
        var target = row.mutableSpan
        let sourceRow = energies
        let source = sourceRow.span
        for index in 0..<steps {
            target[index].y = total
            total += Double(source[index]) * scale
        }
        target[steps].y = total
        energy = row
    }

    /// Copies a running sum over the samples to each step.
    private func copy(_ sums: Span<Double>, to part: Int, of row: inout [SIMD2<Double>]) {
        var target = row.mutableSpan
        let last = sums.count - 1
        for index in 0...steps { target[index][part] = sums[min(Int(start + Double(index) * stepLength), last)] }
    }

    /// Correlates with a tone over windows that start at each step.
    /// - Parameters:
    ///   - tone: 0 for space, 1 for mark.
    ///   - window: grid steps, no more than those of a bit or of the stop bit that was loaded.
    ///   - row: the result: the correlations.
    func correlate(tone: Int, window: Int, into row: inout [SIMD2<Float>]) {
        if tone == 0, !isShared {
            spaceGrid.correlate(turns: turns[tone], window: window, count: count, into: &row)
        } else {
            grid.correlate(turns: turns[tone], window: window, count: count, into: &row)
        }
    }
}

extension Array where Element: BitwiseCopyable & ExpressibleByZero {
    /// Changes the number of elements; their values are unspecified. If the elements move, their old memory is
    /// overwritten.
    mutating func resize(_ count: Int) {
        growWiping(toHold: count)
        if self.count > count { removeLast(self.count - count) }
        // Append one element at a time: a repeated-element sequence would be appended by unspecialised code.
        while self.count < count { append(.zero) }
    }

    /// Moves a number of elements to the front; the ones after them keep their values.
    mutating func moveToFront(from start: Int, count: Int) {
        precondition(start >= 0 && count >= 0 && start + count <= self.count)
        unsafe withUnsafeMutableBufferPointer { elements in
            guard let base = elements.baseAddress else { return }
            unsafe base.update(from: base + start, count: count)
        }
    }
}

/// A type with a zero to fill an array with.
protocol ExpressibleByZero {
    static var zero: Self { get }
}
extension Float: ExpressibleByZero {}
extension UInt8: ExpressibleByZero {}
extension Double: ExpressibleByZero {}
extension Int: ExpressibleByZero {}
extension SIMD2: ExpressibleByZero where Scalar: FloatingPoint {}

/// The frequency offsets of two tones, estimated from the turn of their phases from one bit to the next of the same
/// tone.
struct ToneOffset: Sendable {
    /// The turn of mark and space over a number of samples, from ``leastSamples`` on: a unit vector each.
    private let turns: [SIMD4<Float>]
    private let leastSamples: Int
    private let samplesPerBit: Double
    /// Sums of the additional turns, weighted by power: the real parts of mark and space, and the imaginary parts.
    private var sums = (real: SIMD2<Float>.zero, imaginary: SIMD2<Float>.zero)

    /// - Parameters:
    ///   - mark: turns per sample of the mark.
    ///   - space: turns per sample of the space.
    ///   - samplesPerBit: samples between two bits.
    ///   - clocks: the range of the bits' clock, relative to the nominal one.
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

    /// The turn of mark and space over a number of samples; nil if that is not about a bit.
    @inline(__always)
    func expected(samples: Int) -> SIMD4<Float>? {
        let index = samples - leastSamples
        return turns.indices.contains(index) ? turns[index] : nil
    }

    /// Adds the tones of two consecutive bits.
    /// - Parameters:
    ///   - first: mark and space in the first bit.
    ///   - second: the same in the second one.
    ///   - samples: time between them.
    ///   - weights: 1 for the tone of both bits, 0 for the other.
    @inline(__always)
    mutating func add(
        from first: ToneFilters.Measure, to second: ToneFilters.Measure, samples: Int, weights: SIMD2<Float>
    ) {
        guard let turn = expected(samples: samples) else { return }
        let ahead = second.turn(beyond: first, turn)
        sums.real += weights * ahead.real
        sums.imaginary += weights * ahead.imaginary
    }

    /// The corrections of mark and space, in turns per sample.
    var offsets: (mark: Double, space: Double) {
        func offset(_ tone: Int) -> Double {
            Double(Numerics.angle(SIMD2(sums.real[tone], sums.imaginary[tone]))) / samplesPerBit
        }
        return (offset(0), offset(1))
    }
}

extension ToneFilters.Measure {
    /// The additional turn of mark and space since another window, beyond the expected one, as complex numbers.
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
