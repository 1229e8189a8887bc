import Foundation
import JackdawAudioFile
import JackdawDSP
import Testing

@testable import jackdaw_cli

private let recordings =
    "/" + URL(filePath: #filePath).pathComponents.dropFirst().dropLast(5).joined(separator: "/")
    + "/shared/captures/fsk"

/// Recordings of frequency shift keying by phones, decoded by the command. The project may not distribute them: they
/// are outside the repository, with a page that lists the contents of each.
@Suite(
    .enabled(if: FileManager.default.fileExists(atPath: recordings), "the recordings of phones are not on this machine")
)
struct FSKCaptureTests {
    private struct Capture: Sendable, CustomTestStringConvertible {
        let file: String
        let mode: String
        let words: [String]
        /// The reason why the test fails today; nil if it passes.
        var gap: Comment?
        var testDescription: String { file }
    }

    private static let captures = [
        Capture(file: "webjack-10x", mode: "webjack", words: .init(repeating: "WebJack", count: 10)),
        Capture(
            file: "webjack-10x-nexus5-clipped", mode: "webjack", words: .init(repeating: "WebJack", count: 10)),
        Capture(file: "softmodem-1225-whole-word", mode: "softmodem-1225", words: ["SoftModem"]),
        Capture(file: "softmodem-315-whole-word", mode: "softmodem-315", words: ["SoftModem"]),
        Capture(
            file: "webjack-broken-expect-none", mode: "webjack", words: [],
            gap: "two of its words are whole in the sound, and other programs read them, too"),
    ]

    /// The output has the words, as often as they were sent, and nothing else.
    @Test(arguments: captures, ["given", "auto"])
    private func captureHasTheWordsOfItsPage(capture: Capture, mode: String) throws {
        let path = "\(recordings)/\(capture.file).wav"
        let run = CommandRun("demodulate", "--mode", mode == "auto" ? mode : capture.mode, path)
        let check = {
            #expect(run.output == capture.words.joined())
            #expect(run.status == (capture.words.isEmpty ? 1 : 0), "\(run.messages)")
        }
        guard let gap = capture.gap else { return check() }
        withKnownIssue(gap) { check() }
    }

    /// The least share of the words that are read, over both recordings of ten words with noise of four seeds.
    @Test(arguments: [(12.0, 0.88), (10, 0.78)]) func wordsAreReadInNoise(decibels: Double, least: Double) throws {
        let mode = try LineMode(named: "webjack")
        var words = 0
        for file in ["webjack-10x", "webjack-10x-nexus5-clipped"] {
            let (clean, sampleRate) = try samples(of: "\(recordings)/\(file).wav")
            // The pauses between the words are almost silent, and must not count for the power of the signal.
            let block = Int(sampleRate / 100)
            let powers = stride(from: 0, to: clean.count - block, by: block).map { start in
                ModemSound.meanSquare(clean[start..<start + block])
            }
            let loud = powers.filter { $0 > (powers.max() ?? 0) / 4 }.sorted()
            let power = loud[loud.count / 2]
            for seed in 1...4 as ClosedRange<UInt64> {
                let noisy = ModemSound.noisy(
                    clean, decibels: decibels, bitRate: 1_225, sampleRate: sampleRate, power: power, seed: seed)
                var decoder = try mode.decoder(sampleRate: sampleRate)
                let bytes = (decoder.receive(noisy.span) + decoder.finish()).compactMap { event -> UInt8? in
                    if case .character(let character) = event { UInt8(character.value) } else { nil }
                }
                words += String(decoding: bytes, as: UTF8.self).components(separatedBy: "WebJack").count - 1
            }
        }
        #expect(Double(words) >= least * 80)
    }

    private func samples(of path: String) throws -> (samples: [Float], sampleRate: Double) {
        var reader = try AudioFileReader(path: path)
        var samples = [Float](repeating: 0, count: reader.frames ?? 0)
        var span = samples.mutableSpan
        #expect(try reader.read(into: &span) == samples.count)
        return (samples, reader.format.sampleRate)
    }
}
