import JackdawAudioFile
import JackdawDSP
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

@Suite struct ModulateTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// All samples of a 16-bit mono file.
    private func samples(of name: String) throws -> (rate: Double, samples: [Int16]) {
        var reader = try AudioFileReader(path: folder(name))
        let frames = reader.frames ?? 0
        var block = [Int16](repeating: 0, count: frames)
        var span = block.mutableSpan
        #expect(try reader.read(into: &span) == frames)
        return (reader.format.sampleRate, block)
    }

    @Test func theFileHoldsTheSoundOfTheBytes() throws {
        let text = Array("hello\n".utf8)
        let run = try ChildProcess(["modulate", "--mode", "bell202", "-o", folder("a.wav")], input: text)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages == "jackdaw: \(folder("a.wav")): bell202, 6 bytes, 0.250 s at 48000 Hz\n")
        let expected = try ModemSound.samples(text, LineMode(named: "bell202"), sampleRate: 48_000, silence: 0)
        #expect(try samples(of: "a.wav").samples == expected.map { Int16(($0 * 32_768).rounded(.toNearestOrEven)) })
    }

    /// Standard input is read in pieces, which make no difference to the sound.
    @Test(arguments: LineMode.all.map(\.name)) func longInputSoundsAsInOneGo(mode: String) throws {
        let bytes = (0..<600).map { UInt8(truncatingIfNeeded: 73 &* $0) }
        for idle in ["0.1", "0"] {
            let run = try ChildProcess(
                ["modulate", "--mode", mode, "--idle", idle, "-o", folder("a.wav")], input: bytes)
            #expect(run.status == 0, "\(run.messages)")
            let expected = try ModemSound.samples(
                bytes, LineMode(named: mode), sampleRate: 48_000, idle: idle == "0" ? 0 : 0.1, silence: 0)
            #expect(try samples(of: "a.wav").samples == expected.map { Int16(($0 * 32_768).rounded(.toNearestOrEven)) })
        }
    }

    @Test func theWrittenFileIsDescribed() throws {
        let options = ["--mode", "v21", "--rate", "8000", "--idle", "0.5", "--json", "-o", folder("a.flac")]
        let run = try ChildProcess(["modulate"] + options, input: [1, 2, 3])
        #expect(run.status == 0, "\(run.messages)")
        let line = String(decoding: run.output, as: UTF8.self)
        #expect(fieldNames(line) == ["file", "mode", "bytes", "sample_rate", "frames", "seconds"])
        let object = try jsonObject(line)
        #expect(object["mode"] as? String == "v21")
        #expect(object["bytes"] as? Int == 3)
        #expect(object["frames"] as? Int == 8_800)
        #expect(try samples(of: "a.flac").rate == 8_000)
    }

    @Test func levelAndIdleLineCanBeChosen() throws {
        for level in [0.0, -20] {
            let options = ["--mode", "v23", "--level", "\(level)", "--idle", "0", "-o", folder("a.wav")]
            #expect(try ChildProcess(["modulate"] + options, input: [0x55, 0xAA]).status == 0)
            let sound = try samples(of: "a.wav").samples
            // Two characters of ten bits of forty samples.
            #expect(sound.count == 800)
            let peak = sound.map { Double(abs(Int($0))) }.max() ?? 0
            let expected = level == 0 ? 32_767 : 3_276.8
            #expect(abs(peak - expected) < expected / 200)
        }
    }

    @Test(arguments: [
        ("8N1", 10.0), ("7E2", 11), ("5N1.5", 7.5), ("8o1", 11), ("8N1-msb", 10),
    ])
    func framingSetsTheLengthOfACharacter(framing: String, bits: Double) throws {
        let options = ["--baud", "1000", "--mark", "2000", "--space", "3000", "--idle", "0", "--framing", framing]
        let run = try ChildProcess(["modulate", "-o", folder("a.wav")] + options, input: [0x41, 0x42])
        #expect(run.status == 0, "\(run.messages)")
        #expect(try samples(of: "a.wav").samples.count == Int(2 * bits * 48))
    }

    @Test func standardOutputAndNothingToSay() throws {
        let sound = try ChildProcess(["modulate", "--mode", "bell103", "-o", "-"], input: [])
        #expect(sound.status == 0)
        #expect(sound.output.starts(with: Array("RIFF".utf8)))
        // Only the idle line: 0.2 s of 16-bit samples.
        #expect(sound.output.count == 44 + 2 * 9_600)
    }

    @Test(arguments: [
        ["-o", "a.wav"], ["--mode", "auto", "-o", "a.wav"], ["--mode", "nothing", "-o", "a.wav"], ["--mode", "v21"],
        ["--mode", "v21", "-o", "a.mp3"], ["--mode", "v21", "--rate", "100", "-o", "a.wav"],
        ["--mode", "softmodem-1225", "--rate", "8000", "-o", "a.wav"],
        ["--mode", "v21", "--level", "3", "-o", "a.wav"],
        ["--mode", "v21", "--idle", "-1", "-o", "a.wav"], ["--mode", "v21", "--idle", "nan", "-o", "a.wav"],
        ["--mode", "v21", "--framing", "9N1", "-o", "a.wav"], ["--mode", "v21", "--json", "-o", "-"],
        ["--baud", "300", "-o", "a.wav"], ["--baud", "nan", "--mark", "1000", "--space", "2000", "-o", "a.wav"],
        ["--mode", "v21", "-o", "a.wav", "hello"],
    ])
    func nonsenseIsAUsageErrorAndLeavesNoFile(arguments: [String]) throws {
        let placed = arguments.map { $0.hasPrefix("a.") ? folder($0) : $0 }
        let run = try ChildProcess(["modulate"] + placed, input: [1])
        #expect(run.status == 64, "\(run.messages)")
        #expect(!run.messages.isEmpty)
        #expect(folder.names.isEmpty)
    }
}
