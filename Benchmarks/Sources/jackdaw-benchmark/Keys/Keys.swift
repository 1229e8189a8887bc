import ArgumentParser

/// How long the derivation of keys takes, beside the calls of libcrypto that it needs.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Times the derivation of DUKPT keys beside the bare calls of libcrypto.",
        discussion: "Both sides take turns, derive the same keys and run on one thread.")

    @Option(help: "Runs of each measurement, of which the median counts.") var runs = 9
    @Option(help: "Keys a run.") var keys = 50_000

    func run() throws {
        var rows = [["keys", "thousands a second", "bare calls", "time of ours by theirs"]]
        for speed in DerivationSpeed.all {
            guard let expected = speed.deriveBare(1), try speed.derive(1) == expected else {
                throw CorpusError(description: "\(speed.name): the keys of the two sides differ")
            }
            var times: [(ours: Double, bare: Double)] = []
            for _ in 0..<runs {
                let ours = try processorSeconds { _ = try speed.derive(keys) }
                times.append((ours, processorSeconds { _ = speed.deriveBare(keys) }))
            }
            let ratio = median(times.map { $0.ours / $0.bare })
            rows.append([
                speed.name, (Double(keys) / 1_000 / median(times.map(\.ours))).formatted(decimals: 0),
                (Double(keys) / 1_000 / median(times.map(\.bare))).formatted(decimals: 0), ratio.formatted(decimals: 2),
            ])
        }
        print(ModemTables.markdown(rows))
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
