import JackdawReaders

/// What a simulated reader makes of the tone that it lives on: it wakes up when the right one was loud enough for some time,
/// and lives as long as there is any sound that is as loud, such as that of commands.
struct PowerSense {
    /// How long the tone has to be there, and how long it may be away, in tens of milliseconds. Nobody has told of either.
    private static let (waking, fading) = (10, 5)
    /// Share of the frequency that it may be off: a period in whole frames is, by as much as 2 %.
    private static let tolerance = 0.1

    private(set) var hasPower = false
    private let tone: Double
    private let leastPeak: Float
    private var meter: ToneMeter
    /// Readings that were good, and that were not, one behind the other.
    private var (good, bad) = (0, 0)

    /// - Parameters:
    ///   - tone: Hz of the tone that wakes the reader.
    ///   - leastPeak: what its peak has to reach, full scale 1.
    ///   - sampleRate: samples per second (Hz).
    init(tone: Double, leastPeak: Float, sampleRate: Double) {
        self.tone = min(tone, sampleRate / 2)
        self.leastPeak = leastPeak
        meter = ToneMeter(sampleRate: sampleRate)
    }

    mutating func receive(_ sample: Float) {
        guard let reading = meter.receive(sample) else { return }
        let isLoud = reading.peak >= leastPeak
        let isRight = isLoud && abs(reading.frequency - tone) <= Self.tolerance * tone
        good = isRight ? good + 1 : 0
        bad = isLoud ? 0 : bad + 1
        if good >= Self.waking { hasPower = true }
        if bad >= Self.fading { hasPower = false }
    }
}
