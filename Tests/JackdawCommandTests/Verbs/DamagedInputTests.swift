import Foundation
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Files that are no sound, or whose headers are wrong: one line with the error, and an exit code for scripts.
@Suite struct DamagedInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A WAV file of 16-bit silence with a number of its header overwritten, little endian.
    private static func wav(_ value: UInt32, at offset: Int, bytes count: Int, samples: Int = 50_000) -> [UInt8] {
        func little(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        }
        var bytes = Array("RIFF".utf8) + little(UInt32(36 + 2 * samples), 4) + Array("WAVEfmt ".utf8)
        bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(44_100, 4) + little(88_200, 4)
        bytes += little(2, 2) + little(16, 2) + Array("data".utf8) + little(UInt32(2 * samples), 4)
        bytes += [UInt8](repeating: 0, count: 2 * samples)
        bytes.replaceSubrange(offset..<offset + count, with: little(value, count))
        return bytes
    }

    private struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let content: [UInt8]
        let words: String

        init(_ name: String, _ content: [UInt8], _ words: String) {
            testDescription = name
            self.content = content
            self.words = words
        }
    }

    private static let damages: [Damage] = [
        Damage("zero length", [], "is empty"),
        Damage("text", Array("hello, this is no sound\n".utf8), "is not a sound file"),
        Damage("picture", [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13], "is not a sound file"),
        Damage("zeros", .init(repeating: 0, count: 10_000), "is not a sound file"),
        Damage("0 Hz", wav(0, at: 24, bytes: 4), "a sample rate of 0.0 Hz"),
        Damage("4 GHz", wav(4_000_000_000, at: 24, bytes: 4), "8000 to 192000 Hz are supported"),
        Damage("no channels", wav(0, at: 22, bytes: 2), "0 channels"),
        Damage("1,000 channels", wav(1_000, at: 22, bytes: 2), "1000 channels; 1 to 64 are supported"),
        Damage("no bits", wav(0, at: 32, bytes: 4), "0 bits"),
        Damage("1,000 bits", wav(1_000, at: 34, bytes: 2), "1000 bits"),
        Damage("unknown encoding", wav(0x1234, at: 20, bytes: 2), "fmt"),
        Damage("endless fmt chunk", wav(.max, at: 16, bytes: 4), "no data chunk"),
        Damage("no fmt chunk", wav(0, at: 12, bytes: 4), "no fmt chunk before its samples"),
        Damage("no samples at all", Array(wav(0, at: 40, bytes: 0).prefix(44)), "cut short: ends after 0 frames"),
        Damage("twice the samples", wav(200_000, at: 40, bytes: 4), "cut short: ends after 50000 frames"),
        Damage("cut within a sample", wav(0, at: 40, bytes: 0).dropLast(3), "cut short: ends after 49998 frames"),
    ]

    @Test(arguments: damages)
    private func damageIsReportedInOneLine(damage: Damage) throws {
        let path = try folder.write(damage.content, to: "a.wav")
        for verb in ["decode", "inspect", "bench", "demodulate"] {
            let run = CommandRun(verb, "--json", path)
            #expect(run.status == 65, "\(verb): \(run.messages)")
            expectOneLine(run.messages, about: path)
            #expect(run.messages.contains(damage.words), "\(verb): \(run.messages)")
        }
        // The same by a pipe, of which the size is not known in advance.
        let piped = try ChildProcess(["decode", "--json", "-"], input: damage.content)
        #expect(piped.status == 65, "\(piped.messages)")
        #expect(piped.messages.split(separator: "\n").count == 1)
        #expect(piped.output.isEmpty)
    }

    @Test func everyCutOfAHeaderIsBadData() throws {
        let whole = Self.wav(0, at: 40, bytes: 0)
        for length in 0...44 {
            let path = try folder.write(whole.prefix(length), to: "a.wav")
            let run = CommandRun("decode", path)
            #expect(run.status == 65, "\(length) bytes: \(run.messages)")
            expectOneLine(run.messages, about: path)
        }
    }

    @Test(arguments: ["decode", "inspect", "bench", "demodulate"])
    func missingAndUnreadableInputHaveDifferentMessages(verb: String) throws {
        for (path, words) in [
            (folder("none.wav"), "no such file"), (folder("none/a.wav"), "no such file"),
            (folder.path, "no sound file"), ("/dev/null", "is a device"), ("/dev/zero", "is a device"),
        ] {
            let run = CommandRun(verb, path)
            #expect(run.status == 66, "\(run.messages)")
            expectOneLine(run.messages, about: path)
            #expect(run.messages.contains(words), "\(run.messages)")
        }
    }

    /// Root may read every file.
    @Test(.enabled(if: geteuid() != 0)) func aFileWithoutPermissionIsNoInput() throws {
        let path = try folder.write(Self.wav(0, at: 40, bytes: 0), to: "a.wav")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        for verb in ["decode", "inspect", "bench", "demodulate"] {
            let run = CommandRun(verb, path)
            #expect(run.status == 66)
            expectOneLine(run.messages, about: path)
            #expect(run.messages.contains("may not be read by this user"))
        }
    }

    @Test func samplesThatAreNoNumbersAreCountedAndTheRestIsRead() throws {
        var samples = try SwipeSound.render(TestCard.text(.two), .two, .init(sampleRate: 44_100))
        for index in 0..<900 { samples[index] = [.nan, .infinity, -.infinity][index % 3] }
        let swipe = try write(samples, to: "swipe.wav")
        let read = CommandRun("decode", "--json", swipe)
        #expect(read.status == 0)
        #expect(read.output.contains("411111******1111"))
        #expect(read.messages == "jackdaw: \(swipe): 900 samples not a number, taken as silence\n")

        let nothing = try write(.init(repeating: .nan, count: 44_100), to: "nan.wav")
        let silence = CommandRun("decode", nothing)
        #expect(silence.status == 1)
        #expect(silence.output.isEmpty)
        #expect(silence.messages.hasPrefix("jackdaw: \(nothing): 44100 samples not a number"))
        for verb in ["inspect", "bench"] { #expect(CommandRun(verb, nothing).status == 1) }
    }

    /// Writes floating-point samples unchanged; `AudioFileWriter` would reject samples that are not numbers.
    private func write(_ samples: [Float], to name: String) throws -> String {
        let header = Self.wav(UInt32(4 * samples.count), at: 40, bytes: 4, samples: 0)
        var content = header
        for (offset, value) in [(20, UInt8(3)), (32, 4), (34, 32)] { content[offset] = value }
        for sample in samples { content += (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) } }
        return try folder.write(content, to: name)
    }

    private func expectOneLine(_ messages: String, about path: String) {
        #expect(messages.hasPrefix("jackdaw: \(path): "), "\(messages)")
        #expect(messages.hasSuffix("\n"))
        #expect(messages.split(separator: "\n").count == 1, "\(messages)")
    }
}
