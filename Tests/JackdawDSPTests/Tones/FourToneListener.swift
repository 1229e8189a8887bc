/// Reads four-tone commands off the sound by the times between rising zero crossings; shares nothing with the encoder.
struct FourToneListener {
    /// A run of equal periods.
    struct Run: Equatable {
        /// Hz, as named in the command's description, not as heard.
        var tone: Double
        var periods: Int
    }

    /// The tone before and after the bytes, then those of the values 0 to 3, in Hz.
    var tones: [Double] = [2_000, 2_400, 3_000, 3_400, 4_000]
    var periodsPerSymbol = 10
    var sampleRate: Double
    /// Most by which a period may miss that of its tone, in frames.
    var tolerance: Double

    /// The runs of equal periods, without the last period, whose end is not heard; nil where a
    /// period is none of the tones'.
    func runs(_ samples: [Float]) -> [Run]? {
        var crossings: [Double] = []
        var last: Float = -1
        for (index, sample) in samples.enumerated() {
            // A step has no slope to go by: its crossing is where the high half begins.
            if last < 0, sample >= 0 {
                let isStep = sample == 0 || index == 0 || sample - last > 1.5
                crossings.append(isStep ? Double(index) : Double(index) - Double(sample / (sample - last)))
            }
            last = sample
        }
        var runs: [Run] = []
        for (start, end) in zip(crossings, crossings.dropFirst()) {
            let tone = tones.min { missing($0, end - start) < missing($1, end - start) } ?? 0
            guard missing(tone, end - start) <= tolerance else { return nil }
            if runs.last?.tone == tone {
                runs[runs.count - 1].periods += 1
            } else {
                runs.append(Run(tone: tone, periods: 1))
            }
        }
        return runs
    }

    private func missing(_ tone: Double, _ frames: Double) -> Double { abs(sampleRate / tone - frames) }

    /// The bytes, and the periods of the first tone around them; nil where the sound is no command.
    func command(_ samples: [Float]) -> (leading: Int, bytes: [UInt8], trailing: Int)? {
        guard var runs = runs(samples), runs.count >= 2 else { return nil }
        guard runs[0].tone == tones[0], let trailing = runs.popLast(), trailing.tone == tones[0] else { return nil }
        var pairs: [UInt8] = []
        for run in runs.dropFirst() {
            guard let value = tones.dropFirst().firstIndex(of: run.tone), run.periods % periodsPerSymbol == 0 else {
                return nil
            }
            pairs += [UInt8](repeating: UInt8(value - 1), count: run.periods / periodsPerSymbol)
        }
        guard pairs.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: pairs.count, by: 4) {
            bytes.append(pairs[start..<start + 4].reversed().reduce(0) { 4 * $0 + $1 })
        }
        return (runs[0].periods, bytes, trailing.periods)
    }
}
