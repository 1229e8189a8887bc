import ArgumentParser
import Foundation
import Testing

@testable import jackdaw_benchmark

private let text = ";9999991234567890=30011011234?"

private func recording(_ cell: String, track: Int? = 2, path: String = "a.wav") -> Recording {
    Recording(path: path, cell: cell, track: track, text: track == nil ? nil : text)
}

private func trial(_ cell: String, track: Int? = 2, path: String = "a.wav", reads readings: [Reading] = []) -> Trial {
    Trial(recording(cell, track: track, path: path), readings: readings, failures: [], reveals: false)
}

private let right = Reading(text: text, track: 2, tier: "fast")
private let rightByStrong = Reading(text: text, track: 2, tier: "strong")
private let wrong = Reading(text: ";9999991234567891=30011011234?", track: 2, tier: "fast")

@Suite struct MaskingTests {
    @Test(arguments: [
        (";9999991234567890=30011011234?", ";999999******7890=***********?"),
        ("%B9999991234567890^SAMPLE/SAM^3001101?", "%*999999******7890^**********^*******?"),
        (";0199999912345678901==12?", ";019999*********8901==**?"),
        (";481516?", ";******?"), ("", ""), (";9999991234567890", ";999999******7890"),
    ])
    func keepsSixAndFour(text: String, expected: String) {
        #expect(masked(text) == expected)
    }
}

@Suite struct ManifestTests {
    @Test func readsBothGenerators() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manifest = folder.appending(path: "manifest.json")
        try Data(
            """
            [{"path": "snr_t2_+30/0000.wav", "cell": "snr_t2_+30", "track": 2, "text": ";1?", "rate": 8000, "dc": 0.1},
             {"path": "/elsewhere/a.wav", "cell": "noiseonly", "track": 2, "text": ";2?", "fs": 44100},
             {"path": "hum/0001.wav", "cell": "hum", "track": null, "text": null}]
            """.utf8
        ).write(to: manifest)

        let read = try recordings(ofManifests: [manifest.path, manifest.path])
        #expect(read.count == 6)
        #expect(read[0].path == folder.appending(path: "snr_t2_+30/0000.wav").path)
        #expect(read[0].text == ";1?")
        #expect(read[1].path == "/elsewhere/a.wav")
        #expect(read[1].text == nil)
        #expect(read[1].track == nil)
        #expect(read[2].text == nil)
    }

    /// They are listed by the names of their files, and lie beside the manifest.
    @Test func readsTheManifestOfTheCaptures() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let read = try recordings(ofManifests: ["\(root)/captures/manifest.json"])
        #expect(read.count == 19)
        for recording in read {
            #expect(FileManager.default.fileExists(atPath: recording.path))
            #expect(recording.text != nil)
        }
        let trial = Trial(
            read[0], events: try events(in: try Sound(contentsOf: read[0].path), usesStrongTier: true), reveals: false)
        #expect(trial.readBy != nil)
    }
}

@Suite struct ReportTests {
    @Test func judgesOneRecording() {
        #expect(trial("c").isMissed)
        #expect(!trial("c", track: nil).isMissed)
        #expect(trial("c", reads: [right]).readBy == "fast")
        #expect(trial("c", reads: [wrong]).isMissed)
        #expect(trial("c", reads: [wrong, rightByStrong]).readBy == "strong")
        #expect(trial("c", reads: [wrong, right]).wrong == [";999999******7891=***********?"])
        #expect(trial("c", track: nil, reads: [right]).wrong.count == 1)
        #expect(trial("c", reads: [Reading(text: text, track: 3, tier: "fast")]).isMisnumbered)
        #expect(trial("c", reads: [right, right]).isRepeated)
        #expect(!trial("c", reads: [right]).isRepeated)
    }

    @Test func countsACell() {
        let score = CellScore(
            "c",
            [
                trial("c", reads: [right]), trial("c", reads: [rightByStrong]), trial("c", reads: [wrong, wrong]),
                trial("c", reads: [wrong, right]), trial("c"),
            ])
        #expect(score.files == 5)
        #expect(score.read == 3)
        #expect(score.fast == 2)
        #expect(score.strong == 1)
        #expect(score.missed == 2)
        #expect(score.wrong == 2)
    }

    @Test func meansWeighCellsAlikeAndLeaveNoiseOut() {
        let report = Report(
            [
                trial("snr_t2_+30", reads: [right]), trial("snr_t2_+30", reads: [right]), trial("snr_t2_+30"),
                trial("snr_t2_+30"), trial("drop_t2", reads: [right]), trial("noiseonly", track: nil),
                trial("holdout", track: 1), trial("holdout", track: 2, reads: [right]),
            ], processorSeconds: 1)
        // Track 2: 50, 100 and 100 %.
        #expect(report.means[2] == 250.0 / 3)
        #expect(report.means[1] == 0)
        #expect(report.means[3] == nil)
        #expect(report.cells.map(\.cell) == ["snr_t2_+30", "drop_t2", "noiseonly", "holdout"])
        #expect(report.markdown.contains("| snr_+30 | - | 50 % | - | 0 |"))
        #expect(report.markdown.contains("| holdout | 0 % | 100 % | - | 0 |"))
    }

    @Test func tablesBeginWithMeanAndNoiseLimit() {
        let levels = [(30, true), (3, true), (-3, false), (-9, true)]
        let report = Report(
            levels.map { level, isRead in
                trial("snr_t2_\(level < 0 ? "-" : "+")0\(abs(level))", reads: isRead ? [right] : [wrong])
            }, processorSeconds: 1)
        #expect(report.markdown.contains("| mean over all cells | - | 75.0 % | - |"))
        // -9 dB does not count: what lies above it is not read.
        #expect(report.markdown.contains("| white noise: lowest level that reads 95 % or more | - | 3 dB | - |"))
        #expect(report.markdown.contains("3 of 4 files read, 3 of them by the fast tier; wrong text in 1."))
    }

    @Test func comesBackFromJSONWithoutCardNumbers() throws {
        let report = Report([trial("c", reads: [right, wrong])], processorSeconds: 2)
        let data = try JSONEncoder().encode(report)
        #expect(!String(decoding: data, as: UTF8.self).contains("1234567"))
        let again = try JSONDecoder().decode(Report.self, from: data)
        #expect(again.text == report.text)
        #expect(again.trials.first?.wrong == report.trials.first?.wrong)
    }

    @Test func comparesRuns() {
        let old = Report(
            [trial("a", path: "1", reads: [right]), trial("b", path: "2"), trial("gone", path: "3")],
            processorSeconds: 3)
        let new = Report(
            [trial("a", path: "1", reads: [wrong]), trial("b", path: "2", reads: [right]), trial("c", path: "4")],
            processorSeconds: 4)
        let lines = comparison(of: old, with: new, listsFiles: true).split(separator: "\n")
        #expect(lines.contains("a: read 1 -> 0 of 1, wrong 0 -> 1"))
        #expect(lines.contains("b: read 0 -> 1 of 1, wrong 0"))
        #expect(lines.contains("c: new, read 0 of 1, wrong 0"))
        #expect(lines.contains("gone: gone"))
        #expect(lines.contains("recordings: 1 gained, 1 lost"))
        #expect(lines.contains("gained: 2"))
        #expect(lines.contains("lost: 1"))
        #expect(comparison(of: old, with: old, listsFiles: true).split(separator: "\n").count == 3)
    }

    /// A script sees that something was lost.
    @Test func endsWithOneIfARecordingWasLost() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (old, new) = (folder.appending(path: "old.json").path, folder.appending(path: "new.json").path)
        try Report([trial("a", path: "1", reads: [right]), trial("b", path: "2")], processorSeconds: 1).write(to: old)
        try Report([trial("a", path: "1"), trial("b", path: "2", reads: [right])], processorSeconds: 1).write(to: new)
        let error = #expect(throws: ExitCode.self) { try Compare.parse([old, new]).run() }
        #expect(error?.rawValue == 1)
        // Read by the other tier, or by none before, is not lost.
        try Compare.parse([old, old]).run()
        try Report([trial("a", path: "1", reads: [rightByStrong])], processorSeconds: 1).write(to: new)
        try Compare.parse([old, new]).run()
    }
}

@Suite struct ConcurrentMapTests {
    @Test(arguments: [1, 3, 100])
    func keepsOrder(jobs: Int) async throws {
        let squares = try await concurrentMap(Array(0..<50), jobs: jobs) { $0 * $0 }
        #expect(squares == (0..<50).map { $0 * $0 })
    }

    @Test func passesErrorsOn() async {
        await #expect(throws: CorpusError.self) {
            try await concurrentMap([1], jobs: 1) { _ -> Int in throw CorpusError(description: "none") }
        }
    }
}
