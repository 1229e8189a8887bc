import Foundation
import JackdawAudioFile
import Testing

@testable import jackdaw_benchmark

/// A file that goes with its owner.
private final class SoundFile {
    let path: String

    init(_ name: String) { path = NSTemporaryDirectory() + UUID().uuidString + "-" + name }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ samples: [Float], encoding: AudioEncoding = .int16, channels: Int = 1) throws {
        var writer = try AudioFileWriter(path: path, encoding: encoding, sampleRate: 22_050, channels: channels)
        try writer.write(samples.span)
        try writer.finish()
    }
}

@Suite struct SoundTests {
    @Test(arguments: ["a.wav", "a.flac"]) func sixteenBitsStayIntegers(name: String) throws {
        let file = SoundFile(name)
        // More than a block, and not a whole number of them.
        let samples = (0..<70_001).map { Int16(truncatingIfNeeded: $0 * 7) }
        try file.write(samples.map { Float($0) / 32_768 })
        let sound = try Sound(contentsOf: file.path)
        guard case .integers(let read) = sound.samples else {
            Issue.record("16 bits became something else")
            return
        }
        #expect(read == samples)
        #expect(sound.rate == 22_050)
        #expect(sound.seconds == 70_001.0 / 22_050)
    }

    @Test(arguments: [AudioEncoding.int24, .float32]) func otherSamplesBecomeFloats(encoding: AudioEncoding) throws {
        let file = SoundFile("a.wav")
        try file.write([0.5, -1, -0.25, 0x1p-20], encoding: encoding)
        guard case .floats(let read) = try Sound(contentsOf: file.path).samples else {
            Issue.record("\(encoding) samples became integers")
            return
        }
        #expect(read == [0.5, -1, -0.25, 0x1p-20])
    }

    @Test func missingStereoAndTruncatedFilesAreRefused() throws {
        let file = SoundFile("a.wav")
        #expect(throws: CorpusError.self) { try Sound(contentsOf: file.path) }
        try file.write([0, 0, 0, 0], channels: 2)
        #expect(throws: CorpusError.self) { try Sound(contentsOf: file.path) }
        try file.write([0, 0, 0, 0])
        let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
        try whole.dropLast(2).write(to: URL(fileURLWithPath: file.path))
        #expect(throws: CorpusError.self) { try Sound(contentsOf: file.path) }
    }
}
