import ArgumentParser

/// Measures how much of a corpus the decoders read, how often they are fooled, and how fast they are.
@main
struct BenchmarkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jackdaw-benchmark",
        abstract: "Measures the decoders over recordings with known content.",
        subcommands: [
            Accuracy.self, Negative.self, Speed.self, Compare.self, Modem.self, Live.self, Frames.self, Readers.self,
            Autodetect.self, DataObjects.self, Keys.self, Transaction.self,
        ])
}
