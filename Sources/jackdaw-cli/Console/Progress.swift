/// Tells a person at a terminal how far a slow verb has come: after a second, then a few times a second.
struct Progress {
    private let console: Console
    private let clock = ContinuousClock()
    private var next: ContinuousClock.Instant

    /// Progress of a verb that begins now.
    /// - Parameters:
    ///   - console: where it is shown, if somebody watches.
    ///   - delay: a verb that ends before that shows nothing.
    init(_ console: Console, after delay: Duration = .seconds(1)) {
        self.console = console
        next = clock.now + delay
    }

    /// Shows how far it is, if it is time to.
    /// - Parameters:
    ///   - label: what is being done.
    ///   - fraction: share that is done, 0 to 1; nil where that is not known.
    mutating func update(_ label: String, fraction: Double?) {
        guard console.isWatched, clock.now >= next else { return }
        next = clock.now + .milliseconds(200)
        let share = fraction.map { ", \(fixed(100 * min(max($0, 0), 1), 0)) %" } ?? ""
        console.status(label + share)
    }
}
