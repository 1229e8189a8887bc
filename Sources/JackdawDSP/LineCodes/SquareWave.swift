/// A line that changes its level at any instant: a sample is the mean of the line over the time from it to the next, so that
/// an edge between two samples is heard where it lies.
struct SquareWave: Sendable {
    let samplesPerChip: Double
    let amplitude: Double

    /// Time into the sample that is being made, 0 to 1.
    private var time = 0.0
    private var sum = 0.0

    init(samplesPerChip: Double, amplitude: Double) {
        self.samplesPerChip = samplesPerChip
        self.amplitude = amplitude
    }

    mutating func append(level: Double, chips: Double, into samples: inout [Float]) {
        var left = chips * samplesPerChip
        while time + left >= 1 {
            let part = 1 - time
            samples.append(Float(amplitude * (sum + level * part)))
            left -= part
            time = 0
            sum = 0
        }
        sum += level * left
        time += left
    }

    mutating func reset() {
        time = 0
        sum = 0
    }
}
