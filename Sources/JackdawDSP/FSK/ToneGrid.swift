import JackdawBytes

/// The sound of a stretch, shifted down in frequency and summed over the steps of a grid: from these steps, windows of
/// any tone near that frequency follow by a filter of a few taps.
///
/// The sums over samples do not depend on the clock, and the steps do not depend on the tones, so that another clock or
/// other tones need only a part of the work again.
struct ToneGrid: Sendable, Wipeable {
    /// Turns per sample of the frequency that is shifted to 0 Hz.
    private(set) var center = 0.0
    /// One cycle of the frequency, repeated from sample to sample.
    private var weights: [SIMD2<Double>] = []
    /// Running sums of the sound times the weights and of its squares, one more than there are samples.
    private var sums: [SIMD2<Double>] = []
    private(set) var squares: [Double] = []
    /// The sound of each step, with the phase of the frequency zero at its start; zeros after the last one.
    private var steps: [SIMD2<Float>] = []
    /// Whether the sums, and the steps, are those of the stretch.
    private var isSummed = false
    private var isLoaded = false
    private var start = 0.0
    private var stepLength = 0.0
    private var count = 0

    /// Samples of a cycle of the weights, in bits: the frequency is exact to a sixteenth of the baud.
    private static let bitsPerCycle = 8.0
    /// The largest distance of a tone from the frequency in turns per step: at a tenth, a step loses 0.15 dB of it.
    private static let reach = 0.11
    /// Steps of the longest window, and those that are processed together.
    static let longestWindow = 24
    private static let lanes = 4
    /// A window of so few steps is not halved.
    private static let fewSteps = 3
    /// Groups of steps after which the phase is computed exactly again.
    private static let renewal = 64

    /// Forgets the sound of the stretch.
    mutating func forget() {
        isSummed = false
        isLoaded = false
    }

    mutating func wipe() {
        forget()
        sums.wipeCapacity()
        squares.wipeCapacity()
        steps.wipeCapacity()
    }

    /// Loads a stretch, as far as it is not loaded yet.
    /// - Parameters:
    ///   - samples: the sound without offset and hum.
    ///   - tones: turns per sample of the lower and the higher tone; their middle is shifted to 0 Hz.
    ///   - start: time of the first step in samples.
    ///   - stepLength: samples per step.
    ///   - count: number of steps.
    mutating func load(
        _ samples: Span<Float>, tones: ClosedRange<Double>, from start: Double, stepLength: Double, count: Int
    ) {
        let isNear = max(tones.upperBound - center, center - tones.lowerBound) * stepLength <= Self.reach
        if !isSummed || !isNear {
            setCenter((tones.lowerBound + tones.upperBound) / 2, stepLength: stepLength)
            sum(samples)
            (isSummed, isLoaded) = (true, false)
        }
        guard !isLoaded || (start, stepLength, count) != (self.start, self.stepLength, self.count) else { return }
        (self.start, self.stepLength, self.count, isLoaded) = (start, stepLength, count, true)
        cut()
    }

    private mutating func setCenter(_ turns: Double, stepLength: Double) {
        let least = Self.bitsPerCycle * Double(ToneCorrelations.stepsPerBit) * stepLength
        var length = max(weights.count, 64)
        while Double(length) < least { length *= 2 }
        let center = (turns * Double(length)).rounded() / Double(length)
        guard center != self.center || length != weights.count else { return }
        self.center = center
        weights.removeAll(keepingCapacity: true)
        for index in 0..<length {
            let (sine, cosine) = Numerics.sineAndCosine(turns: center * Double(index))
            weights.append(SIMD2(cosine, -sine))
        }
    }

    private mutating func sum(_ samples: Span<Float>) {
        sums.resize(samples.count + 1)
        squares.resize(samples.count + 1)
        let (weightRow, mask) = (weights, weights.count - 1)
        let weights = weightRow.span
        var (sumRow, squareRow) = (move(&self.sums), move(&self.squares))
        var sums = sumRow.mutableSpan
        var squares = squareRow.mutableSpan
        var (sum, square) = (SIMD2<Double>.zero, 0.0)
        sums[0] = sum
        squares[0] = square
        for index in samples.indices {
            let sample = Double(samples[index])
            sum += weights[index & mask] * sample
            square += sample * sample
            sums[index + 1] = sum
            squares[index + 1] = square
        }
        (self.sums, self.squares) = (sumRow, squareRow)
    }

    /// Cuts the sums into steps.
    private mutating func cut() {
        let padded = (count + Self.lanes - 1) / Self.lanes * Self.lanes
        steps.resize(padded + Self.longestWindow + Self.lanes)
        guard count > 0, sums.count > 1 else {
            for index in steps.indices { steps[index] = .zero }
            return
        }
        var steps = move(&self.steps)
        let sumRow = sums
        let sums = sumRow.span
        let (start, stepLength) = (start, stepLength)
        // Between two groups, all phases turn by the same angle.
        let turn = Self.phasors(from: center * stepLength * Double(Self.lanes), by: 0)
        var phase = turn
        var last = Self.sum(sums, at: start)
        for first in stride(from: 0, to: padded, by: Self.lanes) {
            if first % (Self.renewal * Self.lanes) == 0 {
                // A sample represents the half sample before and the half sample after it.
                let turns = center * (start - 0.5 + Double(first) * stepLength)
                phase = Self.phasors(from: turns, by: center * stepLength)
            }
            let time = start + Double(first) * stepLength
            let one = Self.sum(sums, at: time + stepLength)
            let two = Self.sum(sums, at: time + 2 * stepLength)
            let three = Self.sum(sums, at: time + 3 * stepLength)
            let four = Self.sum(sums, at: time + 4 * stepLength)
            let values = SIMD8(
                lowHalf: SIMD4(lowHalf: SIMD2<Float>(one - last), highHalf: SIMD2<Float>(two - one)),
                highHalf: SIMD4(lowHalf: SIMD2<Float>(three - two), highHalf: SIMD2<Float>(four - three)))
            last = four
            let (real, imaginary) = (values.evenHalf, values.oddHalf)
            let turnedReal: SIMD4<Float> = real * phase.cosine - imaginary * phase.sine
            let turnedImaginary: SIMD4<Float> = imaginary * phase.cosine + real * phase.sine
            steps.store(SIMD8(evens: turnedReal, odds: turnedImaginary), at: first)
            let cosine: SIMD4<Float> = phase.cosine * turn.cosine - phase.sine * turn.sine
            let sine: SIMD4<Float> = phase.sine * turn.cosine + phase.cosine * turn.sine
            phase = (cosine, sine)
        }
        for index in padded..<steps.count { steps[index] = .zero }
        self.steps = steps
    }

    /// The sum up to a time, interpolated between two samples.
    @inline(__always)
    private static func sum(_ sums: Span<SIMD2<Double>>, at time: Double) -> SIMD2<Double> {
        let whole = min(Int(time), sums.count - 2)
        let before = sums[whole]
        return before + (sums[whole + 1] - before) * min(time - Double(whole), 1)
    }

    /// Four unit vectors, each turned by an angle from the one before it.
    private static func phasors(from turns: Double, by angle: Double) -> (cosine: SIMD4<Float>, sine: SIMD4<Float>) {
        var (cosines, sines) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        for lane in 0..<lanes {
            let (sine, cosine) = Numerics.sineAndCosine(turns: turns + angle * Double(lane))
            (cosines[lane], sines[lane]) = (Float(cosine), Float(sine))
        }
        return (cosines, sines)
    }

    /// Correlates with a tone over windows that start at each step, with the phase of the tone zero at the start of the
    /// window.
    /// - Parameters:
    ///   - turns: turns per sample of the tone.
    ///   - window: steps per window, at most ``longestWindow``.
    ///   - count: number of windows.
    ///   - row: the result: the correlations, and some more after the last one.
    func correlate(turns: Double, window: Int, count: Int, into row: inout [SIMD2<Float>]) {
        let padded = (count + Self.lanes - 1) / Self.lanes * Self.lanes
        precondition(window <= Self.longestWindow && padded + window + Self.lanes <= steps.count)
        // A window of eight steps is one of four and another four steps later, and so on down to a few.
        var length = window
        while length % 2 == 0, length > Self.fewSteps { length /= 2 }
        row.resize(padded + window - length + Self.lanes)
        let beyond = (turns - center) * stepLength
        addUp(
            length, count: padded + window - length,
            Self.taps(beyond: beyond, center: center * stepLength, stepLength: stepLength, window: length), into: &row)
        while length < window {
            let (sine, cosine) = Numerics.sineAndCosine(turns: turns * stepLength * Double(length))
            let turn = SIMD2(Float(cosine), Float(-sine))
            Self.doubleWindows(&row, length, count: padded + window - 2 * length, turn)
            length *= 2
        }
    }

    /// Adds up the weighted steps of windows.
    /// - Parameters:
    ///   - window: steps per window.
    ///   - count: number of windows; there must be at least `count + window + 2` steps.
    ///   - weights: the weights of the steps in a window.
    ///   - row: the sums; it must have at least `count + 3` elements.
    private func addUp(
        _ window: Int, count: Int, _ weights: InlineArray<24, SIMD2<Float>>, into row: inout [SIMD2<Float>]
    ) {
        unsafe weights.span.withUnsafeBufferPointer { taps in
            unsafe steps.withUnsafeBytes { steps in
                unsafe row.withUnsafeMutableBytes { row in
                    for first in stride(from: 0, to: count, by: Self.lanes) {
                        var (byReal, byImaginary) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
                        for tap in 0..<window {
                            let four = unsafe steps.loadUnaligned(
                                fromByteOffset: 8 &* (first &+ tap), as: SIMD8<Float>.self)
                            let weight = unsafe taps[tap]
                            byReal += four * weight.x
                            byImaginary += four * weight.y
                        }
                        let real = byReal.evenHalf - byImaginary.oddHalf
                        let imaginary = byReal.oddHalf + byImaginary.evenHalf
                        unsafe row.storeBytes(
                            of: SIMD8(evens: real, odds: imaginary), toByteOffset: 8 &* first, as: SIMD8<Float>.self)
                    }
                }
            }
        }
    }

    /// Adds to each window the one that begins at its end.
    /// - Parameters:
    ///   - row: the windows; it must have at least `count + length + 3` elements.
    ///   - length: steps per window.
    ///   - count: number of the doubled windows.
    ///   - turn: the weight of the later window.
    private static func doubleWindows(_ row: inout [SIMD2<Float>], _ length: Int, count: Int, _ turn: SIMD2<Float>) {
        let crossed = SIMD8(evens: SIMD4(repeating: -turn.y), odds: SIMD4(repeating: turn.y))
        unsafe row.withUnsafeMutableBytes { row in
            for first in stride(from: 0, to: count, by: lanes) {
                let near = unsafe row.loadUnaligned(fromByteOffset: 8 &* first, as: SIMD8<Float>.self)
                let far = unsafe row.loadUnaligned(fromByteOffset: 8 &* (first &+ length), as: SIMD8<Float>.self)
                let swapped = SIMD8(evens: far.oddHalf, odds: far.evenHalf)
                unsafe row.storeBytes(
                    of: near + far * turn.x + swapped * crossed, toByteOffset: 8 &* first, as: SIMD8<Float>.self)
            }
        }
    }

    /// The weights of the steps in a window.
    /// - Parameters:
    ///   - beyond: turns per step of the tone, less those of the center.
    ///   - center: turns per step of the center.
    ///   - stepLength: samples per step.
    ///   - window: steps per window.
    /// - Returns: a complex number for each step.
    private static func taps(
        beyond: Double, center: Double, stepLength: Double, window: Int
    ) -> InlineArray<24, SIMD2<Float>> {
        // Within a step, and within a sample, the tone turns against the center and partly cancels itself.
        let loss = Self.mean(overTurns: beyond) * Self.mean(overTurns: beyond / stepLength)
        var taps = InlineArray<24, SIMD2<Float>>(repeating: .zero)
        for tap in 0..<window {
            let turns = center * Double(tap) + beyond * (Double(tap) + 0.5)
            let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
            taps[tap] = SIMD2(Float(cosine / loss), Float(-sine / loss))
        }
        return taps
    }

    /// The mean of a tone while it turns from half of an angle before its peak to half of it after the peak.
    private static func mean(overTurns turns: Double) -> Double {
        turns == 0 ? 1 : Numerics.sineAndCosine(turns: turns / 2).sine / (Double.pi * turns)
    }

    /// Measures the energy of windows around the center.
    /// - Parameters:
    ///   - window: steps per window.
    ///   - windows: space for the correlations.
    ///   - isAdded: whether the energies are added to those of another grid.
    ///   - energies: the energies of the windows that start at each step; those that begin too late count as zero.
    func measureEnergies(
        window: Int, windows: inout [SIMD2<Float>], isAdded: Bool, into energies: inout [Float]
    ) {
        let first = max(0, count - window)
        correlate(turns: center, window: window, count: first, into: &windows)
        energies.resize(count)
        var target = energies.mutableSpan
        let source = windows.span
        for index in 0..<first {
            let value = source[index]
            let energy = value.x * value.x + value.y * value.y
            target[index] = isAdded ? target[index] + energy : energy
        }
        if !isAdded { for index in first..<count { target[index] = 0 } }
    }
}

extension [SIMD2<Float>] {
    /// Four complex numbers from an index on, real and imaginary parts in turn.
    @inline(__always)
    func four(at index: Int) -> SIMD8<Float> {
        precondition(index >= 0 && index + 4 <= count)
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 8 &* index, as: SIMD8<Float>.self) }
    }

    /// Stores four complex numbers from an index on.
    @inline(__always)
    mutating func store(_ four: SIMD8<Float>, at index: Int) {
        precondition(index >= 0 && index + 4 <= count)
        unsafe withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: four, toByteOffset: 8 &* index, as: SIMD8<Float>.self)
        }
    }
}
