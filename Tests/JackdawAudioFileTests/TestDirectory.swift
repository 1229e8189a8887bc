import Foundation
import JackdawAudioFile
import JackdawTestSupport

/// A directory of its own for a test, removed with everything in it.
final class TestDirectory {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/jackdaw-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var content: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path) } }

    func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file and returns its path. Foundation would wait for the disk each time.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = unsafe fopen(path(name), "w")
        guard let file = unsafe file else { throw CocoaError(.fileWriteUnknown) }
        defer { unsafe fclose(file) }
        guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
        return path(name)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}

/// Everything that a reader gives, interleaved.
struct ReadSound: Equatable {
    var format: AudioFormat
    var samples: [Float]
    var isTruncated: Bool
    var replacedSamples: Int
}

/// Reads a file in interleaved blocks of some frames.
func readAll(_ path: String, raw: RawAudioFormat? = nil, blockFrames: Int = 4_096) throws -> ReadSound {
    var reader = try AudioFileReader(path: path, raw: raw)
    var samples: [Float] = []
    var block = [Float](repeating: .nan, count: blockFrames * reader.format.channels)
    while true {
        var room = block.mutableSpan
        let frames = try reader.read(into: &room)
        guard frames > 0 else { break }
        samples += block[..<(frames * reader.format.channels)]
    }
    return ReadSound(
        format: reader.format, samples: samples, isTruncated: reader.isTruncated,
        replacedSamples: reader.replacedSamples)
}

/// Reads a file of 16-bit samples in interleaved blocks.
func readAllInt16(_ path: String, blockFrames: Int = 4_096) throws -> [Int16] {
    var reader = try AudioFileReader(path: path)
    var samples: [Int16] = []
    var block = [Int16](repeating: 0x55AA, count: blockFrames * reader.format.channels)
    while true {
        var room = block.mutableSpan
        let frames = try reader.read(into: &room)
        guard frames > 0 else { return samples }
        samples += block[..<(frames * reader.format.channels)]
    }
}

/// The error of an attempt, or nil.
func failure(_ body: () throws -> Void) -> AudioFileError? {
    do {
        try body()
        return nil
    } catch {
        return error as? AudioFileError
    }
}

/// Writes a file in one call.
func write(
    _ samples: [Float], to path: String, encoding: AudioEncoding, sampleRate: Double = 44_100, channels: Int = 1
) throws {
    var writer = try AudioFileWriter(path: path, encoding: encoding, sampleRate: sampleRate, channels: channels)
    try writer.write(samples.span)
    try writer.finish()
}

/// The extremes, then random numbers.
func randomInt16(count: Int, seed: UInt64) -> [Int16] {
    var random = SeededRandom(seed: seed)
    let extremes: [Int16] = [.min, .max, 0, -1, 1, .min + 1, .max - 1]
    return extremes + (0..<(count - extremes.count)).map { _ in Int16.random(in: .min ... .max, using: &random) }
}
