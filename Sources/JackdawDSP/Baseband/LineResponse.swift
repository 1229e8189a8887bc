import JackdawBytes

/// The response of a line to the edges sent over it: a filter, estimated by least squares from the decided bits. With
/// little data, the estimate is pulled towards a filter that changes nothing.
struct LineResponse: Sendable {
    /// Chips to either side over which a chip's tails extend.
    private static let tail = 2.0
    /// Weight, in chips, of the prior (the edge as sent) against the estimate.
    private static let trust = 20.0
    /// Positions of a bit between two samples.
    private static let phases = 16

    /// Samples to either side over which the filter extends.
    let reach: Int
    private let samplesPerChip: Double
    private let spacing: Int
    private var taps: [Float]

    /// The change of the line if a 1 becomes a 0, for each position between two samples.
    private var changes: [Float] = []
    /// Samples of each change.
    private let changeCount: Int
    /// The energy of each change.
    private(set) var energies: [Float] = []

    init(samplesPerChip: Double) {
        self.samplesPerChip = samplesPerChip
        spacing = samplesPerChip > 10.5 ? 2 : 1
        let count = Int((Self.tail * samplesPerChip / Double(spacing)).rounded(.up))
        reach = count * spacing
        taps = [Float](repeating: 0, count: 2 * count + 1)
        let samples = 2 * (reach + BandLimitedEdge.reach) + Int(2.2 * samplesPerChip) + 2
        changeCount = (samples + 7) / 8 * 8
    }

    /// Samples before a bit at which turning it over starts to change the sound.
    private var changeLead: Int { reach + BandLimitedEdge.reach }
    /// Samples of sound needed before the first bit and after the last.
    var margin: Int { changeCount + 8 }

    /// The filter's gain at a quarter of the chip rate, near which most of the signal's energy is: it never rests.
    var gain: Float {
        var sum = SIMD2<Double>.zero
        for index in taps.indices {
            let turns = Double((index - taps.count / 2) * spacing) / (4 * samplesPerChip)
            let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
            sum += Double(taps[index]) * SIMD2(cosine, sine)
        }
        return Float((sum * sum).sum().squareRoot())
    }

    /// Estimates the filter from a burst.
    /// - Parameters:
    ///   - line: the line as sent.
    ///   - sound: the line as received.
    ///   - chip: samples per chip.
    mutating func estimate(from line: Span<Float>, to sound: Span<Float>, chip: Double) {
        let count = line.count - 2 * reach
        let unknowns = taps.count
        let ridge = Self.trust * samplesPerChip
        // Apart from the ends, the autocorrelation depends on the difference of the delays only.
        let products = (0..<unknowns).map {
            FloatKernels.dot(line, 2 * reach - $0 * spacing, line, 2 * reach, count: count)
        }
        var gram = [Double](repeating: 0, count: unknowns * unknowns)
        for row in 0..<unknowns {
            for column in 0...row { gram[row * unknowns + column] = products[row - column] }
            gram[row * unknowns + row] += ridge
        }
        var moments = (0..<unknowns).map {
            FloatKernels.dot(line, 2 * reach - $0 * spacing, sound, reach, count: count)
        }
        moments[unknowns / 2] += ridge
        taps = SymmetricSystem(gram: gram, moments: moments).solve(ridge: 0).map { Float($0) }
        tabulate(chip: chip)
    }

    private mutating func tabulate(chip: Double) {
        changes.removeAll(keepingCapacity: true)
        energies.removeAll(keepingCapacity: true)
        let lead = reach + changeLead
        var rises = [Float](repeating: 0, count: changeCount + 2 * reach)
        var change = rises
        var filtered = rises
        for phase in 0...Self.phases {
            for index in rises.indices {
                rises[index] = 0
                filtered[index] = 0
            }
            let time = Double(lead) + Double(phase) / Double(Self.phases)
            var span = rises.mutableSpan
            BandLimitedEdge.add(2, at: time, to: &span)
            BandLimitedEdge.add(-4, at: time + chip, to: &span)
            BandLimitedEdge.add(2, at: time + 2 * chip, to: &span)
            var level: Float = 0
            for index in rises.indices {
                level += rises[index]
                change[index] = level
            }
            // A 1 falls when it becomes a 0: +2, -4, +2.
            var target = filtered.mutableSpan
            FloatKernels.subtract(taps, spacing: spacing, of: change.span, from: &target)
            let part = filtered[reach..<(reach + changeCount)]
            changes += part
            energies.append(part.reduce(0) { $0 + $1 * $1 })
        }
    }

    /// Subtracts the filtered line from the sound.
    func subtract(_ line: Span<Float>, from sound: inout MutableSpan<Float>) {
        FloatKernels.subtract(taps, spacing: spacing, of: line, from: &sound)
    }

    /// Correlates the sound with the change that turning a bit over makes.
    /// - Parameters:
    ///   - sound: the sound without the filtered line as decided.
    ///   - time: start of the bit, in samples.
    /// - Returns: the product of the two, and the energy of the change.
    func change(in sound: Span<Float>, at time: Double) -> (product: Float, energy: Float) {
        let first = Int(time)
        let phase = Int(((time - Double(first)) * Double(Self.phases)).rounded())
        let product = FloatKernels.dot(
            changes.span, phase * changeCount, sound, first - changeLead, count: changeCount)
        return (Float(product), energies[phase])
    }
}

/// The sound of a line as its running integral: the mean between any two instants is a difference of two sums, divided
/// by the steps between them.
///
/// If a chip has few samples, the sound is interpolated first; if it has many, only one sum in several is kept. A chip
/// thus has some seven to twenty steps at any sample rate. Positions are in steps since the start.
struct LineIntegral: Sendable, Wipeable {
    /// Steps per sample; less than one if samples are summed.
    let stepsPerSample: Double
    /// Samples that are processed at once.
    static let hop = 256

    private var sums: [Double]
    /// The hop that is being received, after the end of the one before.
    private var incoming: [Float]
    private var interpolated: [Float]
    private var filled = 1
    private var base = 0
    private var total = 0.0
    private var received: Int
    private let samplesPerStep: Int
    private let interpolator: SampleInterpolator
    /// Samples of the previous hop that the interpolator needs.
    private static let history = 2 * SampleInterpolator.reach - 1

    /// - Parameters:
    ///   - samplesPerChip: samples per chip, as received.
    ///   - chips: chips to reserve space for.
    init(samplesPerChip: Double, chips: Int) {
        let factor = SampleInterpolator.factor(samplesPerChip: samplesPerChip)
        interpolator = SampleInterpolator(factor: factor)
        // A power of two, because it must divide a hop.
        var divisor = 1
        while samplesPerChip >= 20 * Double(divisor) { divisor *= 2 }
        samplesPerStep = divisor
        stepsPerSample = Double(factor) / Double(divisor)
        let room = Int(Double(chips) * samplesPerChip * stepsPerSample) + 2 * Self.hop * factor + 2
        sums = [Double](repeating: 0, count: room)
        incoming = [Float](repeating: 0, count: Self.history + Self.hop)
        interpolated = [Float](repeating: 0, count: Self.hop * factor)
        received = Self.history
    }

    /// The position of the last sum so far.
    var end: Int { base + filled - 1 }

    /// Steps per independent value: the steps between were interpolated and carry no information.
    var stepsPerSound: Int { interpolator.factor }

    /// The sample at a position.
    func sample(at position: Double) -> Double {
        position / stepsPerSample - (interpolator.factor > 1 ? Double(SampleInterpolator.reach) : 0)
    }

    /// Consumes samples, at most as many as complete the hop.
    /// - Parameters:
    ///   - samples: the samples; the first `taken` of them were consumed before.
    ///   - taken: the number of samples consumed, updated.
    ///   - convert: converts a sample to full scale -1 to 1.
    /// - Returns: whether they completed the hop and extended the integral.
    @inline(__always)
    mutating func append<Sample>(
        _ samples: Span<Sample>, from taken: inout Int, convert: (Sample) -> Float
    ) -> Bool {
        let (place, first) = (received, taken)
        let count = min(samples.count - first, Self.history + Self.hop - place)
        var target = incoming.mutableSpan
        for index in 0..<count { target[place + index] = convert(samples[first + index]) }
        taken += count
        received += count
        guard received == Self.history + Self.hop else { return false }
        integrate()
        return true
    }

    /// Repeats the last sample until the hop is complete.
    mutating func hold() {
        let last = incoming[received - 1]
        while received < incoming.count {
            incoming[received] = last
            received += 1
        }
        integrate()
    }

    private mutating func integrate() {
        var sums = move(&sums)
        let place = filled
        if interpolator.factor > 1 {
            var fine = move(&interpolated)
            var output = fine.mutableSpan
            interpolator.interpolate(incoming.span, into: &output)
            total = Self.add(fine.span, by: samplesPerStep, onto: total, &sums, place)
            filled = place + fine.count
            interpolated = fine
        } else {
            total = Self.add(
                incoming.span.extracting(last: Self.hop), by: samplesPerStep, onto: total, &sums, place)
            filled = place + Self.hop / samplesPerStep
        }
        self.sums = sums
        for index in 0..<Self.history { incoming[index] = incoming[Self.hop + index] }
        received = Self.history
    }

    /// Appends the integral of samples.
    /// - Returns: its last value.
    private static func add(
        _ samples: Span<Float>, by samplesPerStep: Int, onto total: Double, _ sums: inout [Double], _ place: Int
    ) -> Double {
        var sum = total
        var next = place
        let scale = 1 / Double(samplesPerStep)
        var target = sums.mutableSpan
        for start in stride(from: 0, to: samples.count, by: samplesPerStep) {
            var step = Double(samples[start])
            for offset in 1..<samplesPerStep { step += Double(samples[start + offset]) }
            sum += step * scale
            target[next] = sum
            next += 1
        }
        return sum
    }

    /// Runs a body over the sums and the position of the first.
    @inline(__always)
    func withSums<Result>(_ body: (Span<Double>, Int) -> Result) -> Result {
        body(sums.span.extracting(first: filled), base)
    }

    /// Discards everything before a position.
    mutating func drop(before position: Int) {
        let dropped = min(position - base, filled - 1)
        guard dropped > 0 else { return }
        // The integral starts from zero again; otherwise a standing offset would cost more and more precision.
        let first = sums[dropped]
        let left = filled - dropped
        var target = sums.mutableSpan
        for index in 0..<left { target[index] = target[dropped + index] - first }
        for index in left..<(left + dropped) { target[index] = 0 }
        total -= first
        filled = left
        base += dropped
    }

    /// Overwrites all sound and starts again.
    mutating func wipe() {
        sums.zero(first: sums.count)
        incoming.zero(first: incoming.count)
        interpolated.zero(first: interpolated.count)
        filled = 1
        base = 0
        total = 0
        received = Self.history
    }
}

extension Span where Element == Double {
    /// A running integral, interpolated between two of its sums.
    @inline(__always)
    func interpolated(at place: Double) -> Double {
        let index = Swift.min(Swift.max(0, Int(place)), count - 2)
        return self[index] + (place - Double(index)) * (self[index + 1] - self[index])
    }
}
