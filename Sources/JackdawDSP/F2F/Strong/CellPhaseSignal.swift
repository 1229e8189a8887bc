/// A swipe with the clock taken out: the sound at a fixed number of samples a bit cell, at an even amplitude.
struct CellPhaseSignal {
    /// Samples a bit cell.
    static let samplesPerCell = 16
    /// Cells kept beyond both ends, so that filters have something to reach into.
    static let guardCells = 2

    /// Number of bit cells.
    let count: Int
    /// The signal; boundary `k` lies at `offset(ofBoundary: k)`.
    @Wiped private(set) var samples: [Float]
    /// What each sample was multiplied by to level the amplitude, relative to the median; noise grows with it.
    let gains: [Float]
    /// Sign of the rail at which the sound was lost, or 0, for each sample; empty where nothing was lost.
    @Wiped private(set) var lost: [Int8]

    /// - Parameters:
    ///   - sound: the sound.
    ///   - boundaries: times of the cell boundaries in samples of `sound`, rising.
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

    /// Time of a phase (in cells): between boundaries along a line, beyond the ends at the speed of the last cell.
    static func time(ofPhase phase: Float, boundaries: [Float]) -> Float {
        let cell = min(max(Int(phase.rounded(.down)), 0), boundaries.count - 2)
        let opens = boundaries[cell]
        return opens + (phase - Float(cell)) * (boundaries[cell + 1] - opens)
    }

    /// Cubic (Catmull-Rom) interpolation; zero outside.
    static func interpolate(_ input: [Float], at time: Float) -> Float {
        guard time >= 1, time < Float(input.count - 2) else { return 0 }
        let index = Int(time)
        return interpolate(input, after: index, share: time - Float(index))
    }

    /// Between a sample and the next, with one more on either side.
    @inline(__always)
    static func interpolate(_ input: [Float], after index: Int, share: Float) -> Float {
        let (a, b, c, d) = (input[index - 1], input[index], input[index + 1], input[index + 2])
        return b + 0.5 * share * (c - a + share * (2 * a - 5 * b + 4 * c - d + share * (3 * (b - c) + d - a)))
    }

    /// Divides by the running root mean square over eight cells; returns what each sample was multiplied by, relative to
    /// the median.
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
