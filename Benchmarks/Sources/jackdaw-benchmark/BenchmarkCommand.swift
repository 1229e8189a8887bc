import ArgumentParser

/// Measures how much of a corpus the decoder reads, how often it is fooled, and how fast it is.
@main
struct BenchmarkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jackdaw-benchmark",
        abstract: "Measures the swipe decoder over recordings with known content.",
        subcommands: [Accuracy.self, Negative.self, Speed.self, Compare.self])
}
