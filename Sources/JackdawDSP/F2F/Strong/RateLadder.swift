/// The segment at powers of two times its sample rate, made by half-band filters and kept until the next segment.
///
/// The timing search wants a bit cell to last a few dozen samples, whatever the sample rate and the card's speed are.
struct RateLadder {
    /// Steps from the original rate: 3 is eight times as fast, -4 is a sixteenth.
    static let steps = -5...4

    private var rungs: [Int: WorkingSound] = [:]
    @Wiped private var lost: [Int8] = []
    private let taps: [Float]

    init() {
        taps = Self.halfBandTaps(pairs: 14)
    }

    /// Starts over with a new segment.
    /// - Parameters:
    ///   - samples: the segment at its original rate.
    ///   - lost: where samples were lost at the rail, its sign there and 0 elsewhere; empty where none were.
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

    /// Lets go of every rung: it is overwritten as soon as nobody else holds it.
    mutating func wipe() {
        rungs.removeAll(keepingCapacity: true)
        lost = []
    }

    /// Odd taps of a half-band low-pass, centre outwards: a sinc under a Kaiser window (beta 8, about 80 dB).
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
