import ArgumentParser
import JackdawDSP

/// How much processor time the tiers take.
struct Speed: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times both tiers on one thread, the sound already in memory.",
        discussion: """
            The strong tier's time for a swipe is that of decoding with both tiers less that of the fast tier alone, \
            for each recording that the fast tier does not read. A clean corpus has none; use a hard one for it.
            """)

    @Argument(help: "Manifests of the corpus.") var manifests: [String]
    @Option(help: "Least processor time to spend on each measurement, in seconds.") var least = 2.0

    func run() throws {
        let all = try recordings(ofManifests: manifests)
        try throughput("swipes", all.filter { $0.text != nil }, block: nil)
        try throughput("without swipes", all.filter { $0.text == nil }, block: 65_536)
        try strongTier(all.filter { $0.text != nil })
    }

    /// M samples a second of processor time over the recordings, repeated until the figure is steady.
    private func throughput(_ name: String, _ recordings: [Recording], block: Int?) throws {
        guard !recordings.isEmpty else { return }
        let sounds = try recordings.map { try Sound(contentsOf: $0.path) }
        let samples = sounds.reduce(0) { $0 + $1.count }
        for usesStrongTier in [false, true] {
            var seconds = 0.0
            var rounds = 0
            while seconds < least {
                seconds += try processorSeconds {
                    for sound in sounds { _ = try events(in: sound, usesStrongTier: usesStrongTier, block: block) }
                }
                rounds += 1
            }
            let rate = Double(samples * rounds) / 1e6 / seconds
            print(
                """
                \(name), \(usesStrongTier ? "both tiers" : "fast tier"): \(rate.formatted(decimals: 1)) M samples/s \
                (\(sounds.count) files, \((Double(samples) / 1e6).formatted(decimals: 2)) M samples, \(rounds) rounds)
                """)
        }
    }

    /// Milliseconds a swipe of what the strong tier adds where the fast tier does not read.
    private func strongTier(_ recordings: [Recording]) throws {
        var times: [Double] = []
        var read = 0
        for recording in recordings {
            let sound = try Sound(contentsOf: recording.path)
            var found: [SwipeEvent] = []
            let fast = try processorSeconds { found = try events(in: sound, usesStrongTier: false) }
            guard Trial(recording, events: found, reveals: false).isMissed else { continue }
            let both = try processorSeconds { found = try events(in: sound, usesStrongTier: true) }
            times.append(max(0, both - fast) * 1_000)
            read += Trial(recording, events: found, reveals: false).isMissed ? 0 : 1
        }
        guard let longest = times.max() else {
            print("strong tier: nothing to do, the fast tier reads every swipe")
            return
        }
        times.sort()
        func quantile(_ share: Double) -> String {
            times[Int(share * Double(times.count - 1))].formatted(decimals: 2)
        }
        print(
            """
            strong tier: median \(quantile(0.5)) ms, p95 \(quantile(0.95)) ms, max \
            \(longest.formatted(decimals: 2)) ms a swipe (\(times.count) swipes that the fast tier does not read, \
            \(read) of them read)
            """)
    }
}
