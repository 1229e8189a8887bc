import JackdawTransport

/// Tells how much sound was lost: at once, and then no more often than every few seconds, in which losses are added up.
struct LossReport {
    /// Seconds of sound from one line to the next.
    private static let pause = 5.0

    private let link: LinkName
    private let sampleRate: Double
    private var lost = 0
    /// How far the sound had been heard at the last line.
    private var told: Int?

    init(link: LinkName, sampleRate: Double) {
        self.link = link
        self.sampleRate = sampleRate
    }

    /// Takes frames that were lost.
    mutating func add(_ frames: Int) { lost += frames }

    /// Says what was lost if it is time to.
    mutating func advance(to frame: Int, _ console: Console) {
        if let told, Double(frame - told) < Self.pause * sampleRate { return }
        guard lost > 0 else { return }
        told = frame
        finish(console)
    }

    /// Says what has not been said yet.
    mutating func finish(_ console: Console) {
        guard lost > 0 else { return }
        console.message("\(link): \(fixed(1_000 * Double(lost) / sampleRate, 0)) ms of sound were lost")
        lost = 0
    }
}
