/// What a line does to the edges that are sent over it: a filter, estimated by least squares from what was decided, and pulled
/// towards one that does nothing where there is little to go by.
struct LineResponse: Sendable {
    /// Chips that a chip's tails are heard in, to either side.
    private static let tail = 2.0
    /// Chips whose weight the edge that was sent has against the estimate.
    private static let trust = 20.0
    /// Places of a bit between two samples.
    private static let phases = 16

    /// Samples to either side that the filter reaches.
    let reach: Int
    private let samplesPerChip: Double
    private let spacing: Int
    private var taps: [Float]

    /// What a 1 adds to the line when it is turned to a 0, for each place between two samples.
    private var changes: [Float] = []
    /// Samples of each.
    private let changeCount: Int
    /// The energy of each.
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

    /// Samples before a bit that turning it over is heard in, and from there on.
    private var changeLead: Int { reach + BandLimitedEdge.reach }
    /// Samples that a sound needs before its first bit and behind its last.
    var margin: Int { changeCount + 8 }

    /// What becomes of a quarter of the chip rate, near which is most that is sent: nothing is at rest.
    var gain: Float {
        var sum = SIMD2<Double>.zero
        for index in taps.indices {
            let turns = Double((index - taps.count / 2) * spacing) / (4 * samplesPerChip)
            let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
            sum += Double(taps[index]) * SIMD2(cosine, sine)
        }
        return Float((sum * sum).sum().squareRoot())
    }

    /// Estimates the filter.
    /// - Parameters:
    ///   - line: the line as it was sent.
    ///   - sound: what was heard of it.
    ///   - chip: samples of a chip.
    mutating func estimate(from line: Span<Float>, to sound: Span<Float>, chip: Double) {
        let count = line.count - 2 * reach
        let unknowns = taps.count
        let ridge = Self.trust * samplesPerChip
        // The products with itself do not depend on where they begin but for the ends.
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
            // A 1 falls where it rose.
            var target = filtered.mutableSpan
            FloatKernels.subtract(taps, spacing: spacing, of: change.span, from: &target)
            let part = filtered[reach..<(reach + changeCount)]
            changes += part
            energies.append(part.reduce(0) { $0 + $1 * $1 })
        }
    }

    /// Takes what is heard of the line off the sound.
    func subtract(_ line: Span<Float>, from sound: inout MutableSpan<Float>) {
        FloatKernels.subtract(taps, spacing: spacing, of: line, from: &sound)
    }

    /// How much of a bit's turning over a sound has.
    /// - Parameters:
    ///   - sound: what the line as it was decided leaves.
    ///   - time: when the bit begins, in samples.
    /// - Returns: the product of the two, and the energy of the turning.
    func change(in sound: Span<Float>, at time: Double) -> (product: Float, energy: Float) {
        let first = Int(time)
        let phase = Int(((time - Double(first)) * Double(Self.phases)).rounded())
        let product = FloatKernels.dot(
            changes.span, phase * changeCount, sound, first - changeLead, count: changeCount)
        return (Float(product), energies[phase])
    }
}
