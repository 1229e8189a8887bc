import Foundation
import JackdawDSP
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawALSA

/// A line with a command in it that stops by itself after a tenth of a second.
struct PlayedLine: SoundSource {
    var line: PoweredLine
    private let end: Int
    private var position = 0

    init(rate: Double) throws {
        line = try PoweredLine(
            Tone(2_000, .sine, channels: .antiphase(level: -3)), sampleRate: rate, ramp: .soft)
        try line.enqueue(Self.noise(777, seed: 1), .replacing(.soft))
        end = Int(rate / 10)
    }

    var channelCount: Int { line.channelCount }
    var isSilent: Bool { position > end && line.isSilent }

    mutating func render(into block: inout MutableSpan<Float>) {
        let frames = block.count / channelCount
        if position <= end, end < position + frames { try? line.stop(ramp: .soft) }
        line.render(into: &block)
        position += frames
    }

    /// Plays it to a device that writes a file, and expects there what the generator makes, bit by bit.
    /// - Parameters:
    ///   - rate: frames per second (Hz).
    ///   - encoding: how the device writes it.
    ///   - device: gets the file's path, and gives the name that opens the device.
    /// - Returns: how often the sound broke off.
    /// - Throws: what is in the way of playing.
    static func expectSame(rate: Double, encoding: PCMEncoding, device: (_ path: String) -> String) throws -> Int {
        let path = FileManager.default.temporaryDirectory.path + "/jackdaw-\(UUID().uuidString).raw"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let configuration = StreamConfiguration(
            device: device(path), sampleRate: rate, channels: 2, encoding: encoding)
        let stream = try PlaybackStream(configuration) { format in
            #expect(format.sampleRate == rate)
            #expect(format.encoding == encoding)
            return try PlayedLine(rate: format.sampleRate)
        }
        let command = noise(333, seed: 2)
        let change = stream.perform { try? $0.line.enqueue(command, .added) }
        #expect(stream.finish(within: .seconds(60)))

        let written = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let frames = written.count / (2 * encoding.bytesPerSample)
        #expect(written.count == frames * 2 * encoding.bytesPerSample)
        let changed = Int(try #require(change.beginning).position)
        // The same blocks as the device asked for: the line stops at the beginning of one.
        var source = try PlayedLine(rate: rate)
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 2 * stream.format.periodFrames)
        while samples.count < 2 * frames {
            if samples.count == 2 * changed { try source.line.enqueue(command, .added) }
            var span = block.mutableSpan
            source.render(into: &span)
            samples += block
        }
        #expect(source.isSilent)
        #expect(samples.prefix(2 * frames).flatMap { bytes($0, encoding) } == written)
        return stream.status.interruptions
    }

    private static func noise(_ frames: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<2 * frames).map { _ in Float.random(in: -0.25...0.25, using: &random) }
    }

    /// A sample as the encoding's definition has it, computed in another way than in the module.
    private static func bytes(_ sample: Float, _ encoding: PCMEncoding) -> [UInt8] {
        func integer(_ bits: Int, bytes: Int) -> [UInt8] {
            let scale = Double(1 << (bits - 1))
            let value = Int(min(max((Double(sample) * scale).rounded(.toNearestOrEven), -scale), scale - 1))
            return (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        switch encoding {
        case .s16: return integer(16, bytes: 2)
        case .s24: return integer(24, bytes: 4)
        case .s24Packed: return integer(24, bytes: 3)
        case .s32: return integer(32, bytes: 4)
        case .float: return (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * UInt32($0))) }
        }
    }
}
