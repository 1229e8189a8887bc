import JackdawTransport

/// Reports how much sound was lost: the first loss at once, later ones as a sum every few seconds.
struct LossReport {
    /// The time between two lines, of the clock and not of the sound, which may arrive faster.
    private static let pause = Duration.seconds(5)

    private let link: LinkName
    private let sampleRate: Double
    private let now: () -> ContinuousClock.Instant
    private var lost = 0
    /// The time of the last line.
    private var lastReport: ContinuousClock.Instant?

    init(link: LinkName, sampleRate: Double, now: @escaping () -> ContinuousClock.Instant) {
        self.link = link
        self.sampleRate = sampleRate
        self.now = now
    }

    /// Adds lost frames.
    mutating func add(_ frames: Int) { lost += frames }

    /// Reports the loss if the time between lines has passed.
    mutating func advance(_ console: Console) {
        guard lost > 0 else { return }
        let now = now()
        if let lastReport, now - lastReport < Self.pause { return }
        lastReport = now
        finish(console)
    }

    /// Reports any loss that has not been reported yet.
    mutating func finish(_ console: Console) {
        guard lost > 0 else { return }
        console.message("\(link): \(fixed(1_000 * Double(lost) / sampleRate, 0)) ms of sound were lost")
        lost = 0
    }
}
