import JackdawBytes

/// The segment at its sample rate times powers of two, computed by half-band filters and kept until the next segment.
///
/// The timing search needs bit cells of a few dozen samples, at any sample rate and card speed.
struct RateLadder {
    /// Steps from the original rate: 3 is eight times the rate, -4 a sixteenth.
    static let steps = -5...4

    private var rungs: [Int: WorkingSound] = [:]
    @Wiped private var lost: [Int8] = []
    private let taps: [Float]

    init() {
        taps = Self.halfBandTaps(pairs: 14)
    }

    /// Starts again with a new segment.
    /// - Parameters:
    ///   - samples: the segment at its original rate.
    ///   - lost: for each sample, the sign of the rail at which it was lost, or 0; empty if nothing was lost.
    mutating func load(_ samples: [Float], lost: [Int8]) {
        wipe()
        rungs[0] = WorkingSound(samples: samples, step: 0, lost: lost)
        self.lost = lost
    }

    /// The sound at `2^step` times the original rate.
    mutating func sound(at step: Int) -> WorkingSound {
        if let rung = rungs[step] { return rung }
        let samples = step > 0 ? doubled(sound(at: step - 1).samples) : halved(sound(at: step + 1).samples)
        let made = WorkingSound(samples: samples, step: step, lost: lost)
        rungs[step] = made
        return made
    }

    /// Releases every rung: each is overwritten when its last holder releases it.
    mutating func wipe() {
        rungs.removeAll(keepingCapacity: true)
        lost = []
    }

    /// Odd taps of a half-band low-pass, centre outwards: a sinc with a Kaiser window (beta 8, about 80 dB).
    private static func halfBandTaps(pairs: Int) -> [Float] {
        let span = Double(2 * pairs)
        return (0..<pairs).map { pair in
            let offset = Double(2 * pair + 1)
            let sinc = (pair.isMultiple(of: 2) ? 1.0 : -1.0) * 2 / (Double.pi * offset)
            let position = offset / span
            let window = besselI0(8 * (1 - position * position).squareRoot()) / besselI0(8)
            return Float(sinc * window)
        }
    }

    private static func besselI0(_ argument: Double) -> Double {
        var term = 1.0
        var sum = 1.0
        for order in 1..<40 {
            term *= (argument / 2 / Double(order)) * (argument / 2 / Double(order))
            sum += term
        }
        return sum
    }

    private func doubled(_ input: [Float]) -> [Float] {
        var output = [Float](repeating: 0, count: 2 * input.count)
        for index in input.indices {
            output[2 * index] = input[index]
            var sum: Float = 0
            for tap in taps.indices {
                let left = index - tap
                let right = index + 1 + tap
                let pair = (left >= 0 ? input[left] : 0) + (right < input.count ? input[right] : 0)
                sum += taps[tap] * pair
            }
            output[2 * index + 1] = sum
        }
        return output
    }

    private func halved(_ input: [Float]) -> [Float] {
        var output = [Float](repeating: 0, count: (input.count + 1) / 2)
        for index in output.indices {
            let centre = 2 * index
            var sum: Float = input[centre]
            for tap in taps.indices {
                let left = centre - 1 - 2 * tap
                let right = centre + 1 + 2 * tap
                let pair = (left >= 0 ? input[left] : 0) + (right < input.count ? input[right] : 0)
                sum += taps[tap] * pair
            }
            output[index] = sum / 2
        }
        return output
    }
}

extension RateLadder {
    /// Shortest and longest bit cell of a card swiped by hand, in seconds: 60 in/s at 210 bits per inch, and 2 in/s at
    /// 75.
    private static let shortestCell = 1.0 / (60 * 210)
    private static let longestCell = 1.0 / (2 * 75)
    /// The bit cell length that suits the timing search best, in samples.
    private static let idealCell = 32.0

    /// Steps at which the timing search covers the bit cells' length, the likeliest one first.
    static func plausibleSteps(for samples: [Float], sampleRate: Double) -> [Int] {
        func rate(_ step: Int) -> Double { sampleRate * Double(sign: .plus, exponent: step, significand: 1) }
        let lengths = TimingSearch.cellLengths
        let first = steps.last { Double(lengths[lengths.count - 1]) >= rate($0) * longestCell } ?? steps.lowerBound
        let last = steps.first { Double(lengths[0]) <= rate($0) * shortestCell } ?? steps.upperBound
        let cell = coarseCell(samples) / sampleRate
        func distance(_ step: Int) -> Double { abs(Numerics.logarithm(cell * rate(step) / idealCell)) }
        return (first...max(first, last)).sorted { distance($0) < distance($1) }
    }

    /// Rough cell length in samples, from the intervals between alternating excursions beyond half of the level.
    static func coarseCell(_ samples: [Float]) -> Double {
        let sorted = stride(from: 0, to: samples.count, by: max(1, samples.count / 4_096)).map { abs(samples[$0]) }
            .sorted()
        let threshold = sorted[sorted.count * 98 / 100] / 2
        var intervals: [Int] = []
        var last = 0
        var sign: Float = 0
        for index in samples.indices where abs(samples[index]) > threshold {
            let here: Float = samples[index] > 0 ? 1 : -1
            if here != sign {
                intervals.append(index - last)
                last = index
                sign = here
            }
        }
        guard intervals.count > 20 else { return 24 }
        intervals.sort()
        // The intervals are those of ones and zeros, and noise adds more short ones.
        return 1.2 * Double(intervals[intervals.count * 2 / 5])
    }
}
