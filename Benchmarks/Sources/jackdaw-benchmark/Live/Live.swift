import ArgumentParser
import Foundation

/// What it takes to read cards live, and how soon they are answered for.
struct Live: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Captures a recording through ALSA as fast as it goes and decodes it live.",
        discussion: """
            The sound goes the way of a sound card's: libasound, the stream's thread, its ring, a decoder, in blocks \
            of 5 ms. Delays are those of the sound itself, from the last flux transition of a swipe to the end of the \
            block that brought its text.
            """)

    @Argument(help: "Manifest of the corpus.") var manifest: String
    @Option(help: "Writes the figures as a table in Markdown to this file.") var markdown: String?

    /// 24 MB of the program and its libraries, 2 MB that a stream and a decoder hold, 10 MB that the strong tier takes
    /// for the hardest segment, and what lies free between them.
    private static let maxMemory = 44

    func run() throws {
        let (recording, path) = try LiveRecording.first(ofManifest: manifest)
        let run = try LiveRun(recording, path: path)
        let table = Self.table(run, recording)
        print(table)
        try markdown.map { try table.write(toFile: $0, atomically: true, encoding: .utf8) }
    }

    private static func table(_ run: LiveRun, _ recording: LiveRecording) -> String {
        let delays = run.delays.sorted()
        func milliseconds(_ seconds: Double?) -> String {
            seconds.map { "\(($0 * 1_000).formatted(decimals: 1)) ms" } ?? "-"
        }
        func megabytes(_ kibibytes: Int) -> String { "\((Double(kibibytes) / 1_024).formatted(decimals: 1)) MB" }
        let share = 100 * run.processorSeconds / recording.seconds
        let memory = run.memory.map { reading in
            ["most memory after \(Int(reading.seconds / 60)) min", megabytes(reading.peak), "<= \(maxMemory) MB"]
        }
        let resident = run.memory.last.map { [["memory in use at the end", megabytes($0.resident), ""]] } ?? []
        let sound = [
            ["", "", "wanted"],
            ["sound", "\(Int(recording.seconds)) s at \(Int(recording.rate)) Hz", ""],
            ["processor time", "\(run.processorSeconds.formatted(decimals: 1)) s", ""],
            ["of one core, in real time", "\(share.formatted(decimals: 2)) %", "< 1 %"],
        ]
        let decoding = [
            ["frames lost", String(run.lost), "0"],
            ["swipes", String(recording.swipes.count), ""],
            ["of them read", String(run.read), ""],
            ["texts that are on no card", String(run.wrong), "0"],
            ["other sounds reported as failures", String(run.failures), ""],
            ["delay, median", milliseconds(delays.isEmpty ? nil : delays[delays.count / 2]), ""],
            ["delay, greatest", milliseconds(delays.last), "<= 35 ms"],
            ["time that it took", "\(run.elapsed.formatted(decimals: 1)) s", ""],
        ]
        return ModemTables.markdown(sound + memory + resident + decoding)
    }
}
