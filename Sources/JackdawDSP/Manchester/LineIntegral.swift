/// The sound of a line as its running integral: the mean between any two instants is a difference over the steps between.
///
/// Where a chip has few samples, the sound is first interpolated, and where it has many, only every so many sums are kept:
/// a chip has some seven to twenty steps whatever the sample rate. Positions are in steps since the start.
struct LineIntegral: Sendable, Wipeable {
    /// Steps that a sample makes; less than one where samples are summed.
    let stepsPerSample: Double
    /// Samples that are taken at once.
    static let hop = 256

    private var sums: [Double]
    /// The hop that comes in, behind the end of the one before.
    private var incoming: [Float]
    private var interpolated: [Float]
    private var filled = 1
    private var base = 0
    private var total = 0.0
    private var received: Int
    private let samplesPerStep: Int
    private let interpolator: SampleInterpolator
    /// Samples of the hop before that the interpolator goes back to.
    private static let history = 2 * SampleInterpolator.reach - 1

    /// - Parameters:
    ///   - samplesPerChip: as they come in.
    ///   - chips: that there is to be room for.
    init(samplesPerChip: Double, chips: Int) {
        let factor = SampleInterpolator.factor(samplesPerChip: samplesPerChip)
        interpolator = SampleInterpolator(factor: factor)
        // A power of two, which divides a hop.
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

    /// Position of the last sum so far.
    var end: Int { base + filled - 1 }

    /// Steps for which a sample came in, or one sum was kept: those between were interpolated and tell nothing new.
    var stepsPerSound: Int { interpolator.factor }

    /// The sample at which a position lies.
    func sample(at position: Double) -> Double {
        position / stepsPerSample - (interpolator.factor > 1 ? Double(SampleInterpolator.reach) : 0)
    }

    /// Takes samples, no more than complete the hop.
    /// - Parameters:
    ///   - samples: of which some may have been taken.
    ///   - taken: how many; how many then.
    ///   - convert: to full scale -1 to 1.
    /// - Returns: whether they completed it, and the integral has become longer.
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

    /// Goes on with the last sample until the hop is complete.
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

    /// Forgets all before a position.
    mutating func drop(before position: Int) {
        let dropped = min(position - base, filled - 1)
        guard dropped > 0 else { return }
        // The integral starts from zero again, or a standing offset would take its precision in time.
        let first = sums[dropped]
        let left = filled - dropped
        var target = sums.mutableSpan
        for index in 0..<left { target[index] = target[dropped + index] - first }
        for index in left..<(left + dropped) { target[index] = 0 }
        total -= first
        filled = left
        base += dropped
    }

    /// Overwrites all sound and starts anew.
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
    /// A running integral between two of its sums.
    @inline(__always)
    func interpolated(at place: Double) -> Double {
        let index = Swift.min(Swift.max(0, Int(place)), count - 2)
        return self[index] + (place - Double(index)) * (self[index + 1] - self[index])
    }
}
