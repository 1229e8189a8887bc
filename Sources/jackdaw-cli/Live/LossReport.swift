import JackdawTransport

/// Tells how much sound was lost: at once, and then no more often than every few seconds, in which losses are added up.
struct LossReport {
    /// Time from one line to the next; not that of the sound, which may come faster.
    private static let pause = Duration.seconds(5)

    private let link: LinkName
    private let sampleRate: Double
    private let now: () -> ContinuousClock.Instant
    private var lost = 0
    /// When the last line was written.
    private var told: ContinuousClock.Instant?

    init(link: LinkName, sampleRate: Double, now: @escaping () -> ContinuousClock.Instant) {
        self.link = link
        self.sampleRate = sampleRate
        self.now = now
    }

    /// Takes frames that were lost.
    mutating func add(_ frames: Int) { lost += frames }

    /// Says what was lost if it is time to.
    mutating func advance(_ console: Console) {
        guard lost > 0 else { return }
        let now = now()
        if let told, now - told < Self.pause { return }
        told = now
        finish(console)
    }

    /// Says what has not been said yet.
    mutating func finish(_ console: Console) {
        guard lost > 0 else { return }
        console.message("\(link): \(fixed(1_000 * Double(lost) / sampleRate, 0)) ms of sound were lost")
        lost = 0
    }
}
