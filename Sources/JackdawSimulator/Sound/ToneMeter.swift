/// What a channel sounds like over ten milliseconds: its peak, which is what a reader's rectifier charges to, and how many
/// turns a second it has by how often it passes 0. For a steady tone of any form that is its frequency, up to half of the
/// sample rate.
struct ToneMeter {
    struct Reading {
        /// Greatest magnitude, full scale 1.
        let peak: Float
        /// Turns a second.
        let frequency: Double
    }

    private let sampleRate: Double
    private let window: Int
    private var count = 0
    private var crossings = 0
    private var peak: Float = 0
    private var isHigh = false

    init(sampleRate: Double) {
        self.sampleRate = sampleRate
        window = Int(sampleRate / 100)
    }

    /// Takes the next sample.
    /// - Returns: a reading where this one was the last of ten milliseconds.
    mutating func receive(_ sample: Float) -> Reading? {
        if sample > 0 ? !isHigh : sample < 0 && isHigh {
            crossings += 1
            isHigh.toggle()
        }
        peak = max(peak, abs(sample))
        count += 1
        guard count == window else { return nil }
        defer { (count, crossings, peak) = (0, 0, 0) }
        return Reading(peak: peak, frequency: Double(crossings) / 2 * sampleRate / Double(window))
    }
}
