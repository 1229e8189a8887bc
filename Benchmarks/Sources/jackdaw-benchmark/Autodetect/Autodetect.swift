import ArgumentParser
import JackdawReaders
import JackdawSimulator

/// Which reader is found on a jack by its sound, how soon, and what is taken for a reader that is none.
struct Autodetect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks for readers on simulated jacks: with a reader, and with something else.")

    @Argument(help: "The manifest of sounds that are no reader's (music, speech).") var manifest: String
    @Option(help: "Jacks of each kind.") var runs = 100
    @Option(help: "Threads.") var jobs = 1
    @Option(help: "Signal over noise of readers, in dB.") var signalToNoise = 15.0
    @Option(help: "Clock error of readers at most, as a share.") var clockError = 0.03
    @Flag(help: "Prints what was seen where the answer is wrong.") var explain = false

    /// In the vendor's order.
    static let families = ["ipsenterprise", "ips", "unimag"]

    /// What came of one jack.
    private struct Finding: Sendable {
        let kind: String
        let expected: String?
        let report: ReaderSearchReport
    }

    func run() async throws {
        let sounds = try recordings(ofManifests: [manifest])
        var jacks: [(kind: String, expected: String?, make: @Sendable () throws -> SearchedJack)] = []
        for family in Self.families {
            for number in 0..<runs {
                let path = path(number)
                jacks.append((family, family, { try SearchedJack(reader: family, path) }))
            }
        }
        for number in 0..<runs {
            jacks.append(("silence", nil, { SearchedJack(nobodyAt: number, crosstalk: nil) }))
            // What a headset's cable lets through of what is played.
            let crosstalk = -60 + 60 * Double(number) / Double(max(1, runs - 1))
            jacks.append(("headphones", nil, { SearchedJack(nobodyAt: number, crosstalk: crosstalk) }))
        }
        for (kind, recordings) in Dictionary(grouping: sounds, by: \.cell).sorted(by: { $0.key < $1.key }) {
            for recording in recordings.prefix(runs) {
                jacks.append((kind, nil, { try SearchedJack(hearing: recording.path) }))
            }
        }
        let findings = try await concurrentMap(Array(jacks.indices), jobs: jobs) { [jacks] index in
            let jack = jacks[index]
            return Finding(kind: jack.kind, expected: jack.expected, report: try jack.make().search(Self.families))
        }
        report(findings)
    }

    /// Noise, hum of the mains, a clock that is off, at either polarity.
    private func path(_ number: Int) -> AudioPath {
        var path = AudioPath()
        path.seed = UInt64(number) + 1
        path.signalToNoise = signalToNoise
        path.humLevel = -30
        path.humFrequency = number.isMultiple(of: 2) ? 50 : 60
        path.clockError = clockError * (number / 2 % 2 == 0 ? 1 : -1)
        path.isInverted = number / 4 % 2 == 0
        return path
    }

    private func report(_ findings: [Finding]) {
        print(row("jack", ["runs", "right", "wrong", "none", "median s", "latest s"]))
        var kinds: [String] = []
        for finding in findings where !kinds.contains(finding.kind) { kinds.append(finding.kind) }
        for kind in kinds {
            let group = findings.filter { $0.kind == kind }
            let right = group.filter { $0.report.found == $0.expected }
            let none = group.count { $0.report.found == nil }
            let wrong = group.count { $0.report.found != nil && $0.report.found != $0.expected }
            let times = right.map { $0.report.duration / .seconds(1) }.sorted()
            print(
                row(
                    kind,
                    [
                        "\(group.count)", "\(right.count)", "\(wrong)", "\(none)",
                        times.isEmpty ? "-" : times[times.count / 2].formatted(decimals: 2),
                        times.last.map { $0.formatted(decimals: 2) } ?? "-",
                    ]))
            if explain {
                for finding in group where finding.report.found != finding.expected { print(finding.report) }
            }
        }
    }
}
