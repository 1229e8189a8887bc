import Foundation
import Testing

@testable import jackdaw_cli

private let recordings =
    "/" + URL(filePath: #filePath).pathComponents.dropFirst().dropLast(5).joined(separator: "/")
    + "/shared/captures/fsk"

/// Frequency shift keying as phones recorded it, read as a user reads it. The project may not hand the recordings on: they
/// lie beside it, in `../shared`, with a page that says what each holds.
@Suite(
    .enabled(if: FileManager.default.fileExists(atPath: recordings), "the recordings of phones are not on this machine")
)
struct FSKCaptureTests {
    private struct Capture: Sendable, CustomTestStringConvertible {
        let file: String
        let mode: String
        let words: [String]
        /// Why it is not read yet; nil where it is.
        var gap: Comment?
        var testDescription: String { file }
    }

    private static let captures = [
        Capture(file: "webjack-10x", mode: "webjack", words: .init(repeating: "WebJack", count: 10)),
        Capture(
            file: "webjack-10x-nexus5-clipped", mode: "webjack", words: .init(repeating: "WebJack", count: 10),
            gap: "one of the ten words is read wrong"),
        Capture(file: "softmodem-1225-whole-word", mode: "softmodem-1225", words: ["SoftModem"]),
        Capture(
            file: "softmodem-315-whole-word", mode: "softmodem-315", words: ["SoftModem"],
            gap: "it is at 325 baud, and its tones are off by themselves"),
        Capture(
            file: "webjack-broken-expect-none", mode: "webjack", words: [],
            gap: "words come out of a broken transmission"),
    ]

    /// Nothing but the words, each as often as it was sent.
    @Test(arguments: captures, ["given", "auto"])
    private func holdsWhatItsPageSays(capture: Capture, mode: String) throws {
        let path = "\(recordings)/\(capture.file).wav"
        let run = CommandRun("demodulate", "--mode", mode == "auto" ? mode : capture.mode, path)
        let check = {
            #expect(run.output == capture.words.joined())
            #expect(run.status == (capture.words.isEmpty ? 1 : 0), "\(run.messages)")
        }
        guard let gap = capture.gap else { return check() }
        withKnownIssue(gap) { check() }
    }
}
