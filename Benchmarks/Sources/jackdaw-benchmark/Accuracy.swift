import ArgumentParser
import Foundation

/// How much of a corpus is read, cell by cell.
struct Accuracy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Decodes every recording of a corpus and compares the text with what is known.",
        discussion: "Example: jackdaw-benchmark accuracy /tmp/corpus/manifest.json --jobs 2 --markdown table.md")

    @Argument(help: "Manifests of the corpus.") var manifests: [String]
    @Option(help: "Threads.") var jobs = 1
    @Option(help: "Samples handed to the decoder at a time; the whole file if not given.") var block: Int?
    @Option(help: "Only cells whose name matches this regular expression.") var only = ""
    @Option(help: "Writes all figures here, for `compare`.") var json: String?
    @Option(help: "Writes the tables of docs/results.md here; - prints them, and no text.") var markdown: String?
    @Option(help: "A command that decodes in place of Jackdaw; {} in it stands for the file.") var decoder: String?
    @Flag(help: "Leaves the strong tier out.") var fastOnly = false
    @Flag(help: "Lists the recordings that were not read.") var missed = false
    @Flag(help: "Shows card numbers in full.") var reveal = false

    func run() async throws {
        let pattern = try Regex(only)
        let chosen = try recordings(ofManifests: manifests).filter { $0.cell.contains(pattern) }
        let start = processorSeconds() + ChildProgram.childrenSeconds()
        let foreign = try decoder.map { try ForeignDecoder($0) }
        let trials = try await concurrentMap(chosen, jobs: jobs) { [self] recording in
            if let foreign { return try foreign.trial(recording, reveals: reveal) }
            let found = try events(in: try Sound(contentsOf: recording.path), usesStrongTier: !fastOnly, block: block)
            return Trial(recording, events: found, reveals: reveal)
        }
        let report = Report(trials, processorSeconds: processorSeconds() + ChildProgram.childrenSeconds() - start)
        print(markdown == "-" ? report.markdown : report.text)
        for trial in trials {
            for text in trial.wrong { print("wrong: \(trial.path): \(text)") }
            if missed, trial.isMissed {
                print("missed: \(trial.path): \(trial.failures.joined(separator: ", "))")
            }
        }
        if let json { try report.write(to: json) }
        if let markdown, markdown != "-" {
            try report.markdown.write(toFile: markdown, atomically: true, encoding: .utf8)
        }
    }
}

extension Report {
    /// Reads what `write` wrote.
    init(contentsOf path: String) throws {
        self = try decoded(Self.self, from: path)
    }

    /// Writes all figures as JSON.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}
