import ArgumentParser
import JackdawDSP

/// How often the decoder is fooled by sound that holds no swipe.
struct Negative: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Decodes sound without swipes; every message that is accepted is an error.")

    @Argument(help: "Manifests of the corpus.") var manifests: [String]
    @Option(help: "Threads.") var jobs = 1
    @Flag(help: "Leaves the strong tier out.") var fastOnly = false
    @Flag(help: "Shows accepted messages in full.") var reveal = false

    /// What one recording gave.
    private struct Finding: Sendable {
        let cell: String
        let seconds: Double
        let accepted: [String]
        let failures: [String]
    }

    func run() async throws {
        let start = processorSeconds()
        let findings = try await concurrentMap(try recordings(ofManifests: manifests), jobs: jobs) { [self] recording in
            let sound = try Sound(contentsOf: recording.path)
            let found = try events(in: sound, usesStrongTier: !fastOnly, block: 4_096)
            return Finding(
                cell: recording.cell, seconds: sound.seconds,
                accepted: found.compactMap { evidence(of: $0, in: recording.path) },
                failures: Trial(recording, events: found, reveals: false).failures)
        }
        for line in findings.flatMap(\.accepted) { print(line) }
        print(row("kind", ["hours", "accepted", "failures/h"]) + "  by reason")
        for (cell, group) in Dictionary(grouping: findings, by: \.cell).sorted(by: { $0.key < $1.key }) {
            print(summary(cell, group))
        }
        print(summary("all", findings))
        print("\((processorSeconds() - start).formatted(decimals: 1)) s of processor time")
    }

    /// Where a message was accepted and on what grounds; nil for a failure.
    private func evidence(of event: SwipeEvent, in path: String) -> String? {
        guard case .track(let track) = event else { return nil }
        return """
            accepted: \(path) at \(track.span.start.formatted(decimals: 3)) s, track \(track.track.rawValue), \
            \(track.tier.rawValue) tier, confidence \(track.confidence.formatted(decimals: 3)), \
            parity \(track.parity.rawValue), LRC \(track.lrc.rawValue), \
            \(track.speed.slowest.formatted(decimals: 1)) to \(track.speed.fastest.formatted(decimals: 1)) in/s: \
            \(reveal ? track.text : masked(track.text))
            """
    }

    private func summary(_ name: String, _ findings: [Finding]) -> String {
        let hours = findings.reduce(0) { $0 + $1.seconds } / 3_600
        let failures = findings.flatMap(\.failures)
        let reasons = Dictionary(grouping: failures, by: \.self).mapValues(\.count).sorted { $0.value > $1.value }
        let accepted = findings.reduce(0) { $0 + $1.accepted.count }
        let rate = Double(failures.count) / hours
        return row(name, [hours.formatted(decimals: 2), String(accepted), rate.formatted(decimals: 1)])
            + "  " + reasons.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
