import JackdawBytes

/// The evidence of the sound at every possible position of a flux transition: log-likelihood ratios (nats) of a pulse
/// of either polarity against no pulse, for `count` bit cells with their `count + 1` boundaries.
struct CellEvidence {
    /// Number of bit cells.
    let count: Int
    /// Pulse of each polarity at boundary `k`: [2 * k] positive, [2 * k + 1] negative.
    @Wiped var boundaries: [Float]
    /// Pulse of each polarity in the middle of cell `k`, in the same layout.
    @Wiped var middles: [Float]

    /// The scores of cells, for loops; must not be kept longer than the evidence.
    struct Scores {
        fileprivate let boundaries: [Float]
        fileprivate let middles: [Float]

        /// Score of a 0 in cell `k` that opens with polarity `sign` (0 positive, 1 negative).
        @inline(__always)
        func zero(_ cell: Int, _ sign: Int) -> Float { boundaries[2 * (cell + 1) + 1 - sign] }

        /// Score of a 1 in cell `k` that opens with polarity `sign`.
        @inline(__always)
        func one(_ cell: Int, _ sign: Int) -> Float { middles[2 * cell + 1 - sign] + boundaries[2 * (cell + 1) + sign] }
    }

    var scores: Scores { Scores(boundaries: boundaries, middles: middles) }

    /// The same cells in reverse time: a stripe read backwards is also valid F2F.
    func reversed() -> CellEvidence {
        func turned(_ pairs: [Float]) -> [Float] {
            pairs.indices.map { pairs[pairs.count - 2 - $0 + 2 * ($0 & 1)] }
        }
        return CellEvidence(count: count, boundaries: turned(boundaries), middles: turned(middles))
    }

    /// Possible bits of some cells.
    struct Bits {
        @Wiped private(set) var bits: [UInt8]
        /// Polarity of the first boundary: 0 positive, 1 negative.
        let startSign: Int
        /// Log-likelihood (nats) of the bits.
        let score: Float
    }

    /// The most likely bits under the only constraint that polarities alternate.
    func bestBits(in cells: Range<Int>) -> Bits {
        let scores = scores
        var score: (Float, Float) = (0, 0)
        var choices = [UInt8](repeating: 0, count: 2 * cells.count)
        defer { choices.wipe() }
        for (index, cell) in cells.enumerated() {
            let zeroToPlus = score.1 + scores.zero(cell, 1)
            let oneToPlus = score.0 + scores.one(cell, 0)
            let zeroToMinus = score.0 + scores.zero(cell, 0)
            let oneToMinus = score.1 + scores.one(cell, 1)
            choices[2 * index] = oneToPlus > zeroToPlus ? 1 : 0
            choices[2 * index + 1] = oneToMinus > zeroToMinus ? 1 : 0
            score = (max(zeroToPlus, oneToPlus), max(zeroToMinus, oneToMinus))
        }
        var sign = score.0 >= score.1 ? 0 : 1
        var bits = [UInt8](repeating: 0, count: cells.count)
        for index in stride(from: cells.count - 1, through: 0, by: -1) {
            bits[index] = choices[2 * index + sign]
            if bits[index] == 0 { sign = 1 - sign }
        }
        return Bits(bits: bits, startSign: sign, score: max(score.0, score.1))
    }

    /// The log-likelihood (nats) by which other bits than zeros are likelier in some cells.
    /// - Parameters:
    ///   - cells: the cells.
    ///   - startSign: polarity of the first boundary; default: the likelier one.
    /// - Returns: the difference; 0 if zeros are the most likely bits.
    func doubtOfZeros(in cells: Range<Int>, startSign: Int? = nil) -> Float {
        let scores = scores
        func zeros(_ startSign: Int) -> Float {
            cells.reduce(Float(0)) { $0 + scores.zero($1, ($1 - cells.lowerBound + startSign) & 1) }
        }
        return bestBits(in: cells).score - (startSign.map(zeros) ?? max(zeros(0), zeros(1)))
    }

    /// The log-likelihood (nats) by which each bit exceeds its opposite, with the other bits free (max-marginals).
    func bitMargins() -> [Float] {
        let scores = scores
        var ahead = [(Float, Float)](repeating: (0, 0), count: count + 1)
        defer { ahead.wipe() }
        for cell in stride(from: count - 1, through: 0, by: -1) {
            let next = ahead[cell + 1]
            ahead[cell] = (
                max(scores.zero(cell, 0) + next.1, scores.one(cell, 0) + next.0),
                max(scores.zero(cell, 1) + next.0, scores.one(cell, 1) + next.1)
            )
        }
        var behind: (Float, Float) = (0, 0)
        return (0..<count).map { cell in
            let next = ahead[cell + 1]
            let asZero = max(behind.0 + scores.zero(cell, 0) + next.1, behind.1 + scores.zero(cell, 1) + next.0)
            let asOne = max(behind.0 + scores.one(cell, 0) + next.0, behind.1 + scores.one(cell, 1) + next.1)
            behind = (
                max(behind.1 + scores.zero(cell, 1), behind.0 + scores.one(cell, 0)),
                max(behind.0 + scores.zero(cell, 0), behind.1 + scores.one(cell, 1))
            )
            return abs(asZero - asOne)
        }
    }
}

/// A swipe after removing the clock: the sound at a fixed number of samples per bit cell, with a levelled amplitude.
struct CellPhaseSignal {
    /// Samples per bit cell.
    static let samplesPerCell = 16
    /// Cells kept beyond both ends, for filters that extend past them.
    static let guardCells = 2

    /// Number of bit cells.
    let count: Int
    /// The signal; boundary `k` lies at `offset(ofBoundary: k)`.
    @Wiped private(set) var samples: [Float]
    /// The factor that levelled each sample's amplitude, relative to the median; noise grows with it.
    let gains: [Float]
    /// For each sample, the sign of the rail at which the sound was lost, or 0; empty if nothing was lost.
    @Wiped private(set) var lost: [Int8]

    /// - Parameters:
    ///   - sound: the sound in time.
    ///   - boundaries: times of the cell boundaries in samples of `sound`, ascending.
    init(_ sound: WorkingSound, boundaries: [Float]) {
        count = boundaries.count - 1
        let length = (count + 2 * Self.guardCells) * Self.samplesPerCell + 1
        let (source, hasLosses) = (sound.samples, sound.hasLosses)
        var samples = [Float](repeating: 0, count: length)
        var lost = [Int8](repeating: 0, count: hasLosses ? length : 0)
        for index in 0..<length {
            let phase = Float(index) / Float(Self.samplesPerCell) - Float(Self.guardCells)
            let time = Self.time(ofPhase: phase, boundaries: boundaries)
            samples[index] = Self.interpolate(source, at: time)
            if hasLosses { lost[index] = sound.lostSign(at: time) }
        }
        gains = Self.levelAmplitude(of: &samples)
        self.samples = samples
        self.lost = lost
    }

    func offset(ofBoundary boundary: Int) -> Int { (boundary + Self.guardCells) * Self.samplesPerCell }

    /// Time of a phase (in cells): linear between boundaries, and at the speed of the last cell beyond the ends.
    static func time(ofPhase phase: Float, boundaries: [Float]) -> Float {
        let cell = min(max(Int(phase.rounded(.down)), 0), boundaries.count - 2)
        let opens = boundaries[cell]
        return opens + (phase - Float(cell)) * (boundaries[cell + 1] - opens)
    }

    /// Cubic (Catmull-Rom) interpolation; zero outside the input.
    static func interpolate(_ input: [Float], at time: Float) -> Float {
        guard time >= 1, time < Float(input.count - 2) else { return 0 }
        let index = Int(time)
        return interpolate(input, after: index, share: time - Float(index))
    }

    /// Interpolates between a sample and the next, with one more on either side.
    @inline(__always)
    static func interpolate(_ input: [Float], after index: Int, share: Float) -> Float {
        precondition(index >= 1 && index + 2 < input.count)
        let (a, b, c, d) = unsafe input.withUnsafeBufferPointer { input in
            unsafe (input[index &- 1], input[index], input[index &+ 1], input[index &+ 2])
        }
        return b + 0.5 * share * (c - a + share * (2 * a - 5 * b + 4 * c - d + share * (3 * (b - c) + d - a)))
    }

    /// Divides by the running root mean square over eight cells; returns the factor of each sample, relative to the
    /// median.
    private static func levelAmplitude(of samples: inout [Float]) -> [Float] {
        let reach = 4 * samplesPerCell
        var power = 0.0
        var window = 0
        var gains = [Float](repeating: 0, count: samples.count)
        for index in 0..<min(reach, samples.count) {
            power += Double(samples[index] * samples[index])
            window += 1
        }
        for index in samples.indices {
            if index + reach < samples.count {
                power += Double(samples[index + reach] * samples[index + reach])
                window += 1
            }
            if index > reach {
                power -= Double(samples[index - reach - 1] * samples[index - reach - 1])
                window -= 1
            }
            gains[index] = 1 / (Float((max(power, 0) / Double(window)).squareRoot()) + 1e-9)
        }
        let sorted = stride(from: 0, to: gains.count, by: samplesPerCell).map { gains[$0] }.sorted()
        let median = sorted[sorted.count / 2]
        for index in samples.indices {
            samples[index] *= gains[index]
            gains[index] /= median
        }
        return gains
    }
}
