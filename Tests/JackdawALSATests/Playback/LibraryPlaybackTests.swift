import Foundation
import JackdawDSP
import JackdawLinux
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawALSA

/// Through libasound itself, to a device that writes a file: what arrives is what the generator makes, bit by bit.
@Suite struct LibraryPlaybackTests {
    private static let isPossible = FileManager.default.fileExists(atPath: "/usr/share/alsa/alsa.conf")

    /// A sample as the encoding's definition has it, told apart from how the module writes it.
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

    /// A line with a command in it that stops by itself after a tenth of a second.
    private struct EndingLine: SoundSource {
        var line: PoweredLine
        private let end: Int
        private var position = 0

        init(rate: Double) throws {
            line = try PoweredLine(
                Tone(2_000, .sine, channels: .antiphase(level: -3)), sampleRate: rate, ramp: .soft)
            try line.enqueue(LibraryPlaybackTests.noise(777, seed: 1), .replacing(.soft))
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
    }

    fileprivate static func noise(_ frames: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<2 * frames).map { _ in Float.random(in: -0.25...0.25, using: &random) }
    }

    @Test(
        .enabled(if: isPossible, "it needs ALSA's own configuration"),
        arguments: [8_000.0, 44_100, 48_000, 96_000, 192_000], PCMEncoding.allCases)
    func whatIsWrittenIsWhatIsMade(rate: Double, encoding: PCMEncoding) throws {
        let path = FileManager.default.temporaryDirectory.path + "/jackdaw-\(UUID().uuidString).raw"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let configuration = StreamConfiguration(
            device: "file:'\(path)',raw", sampleRate: rate, channels: 2, encoding: encoding)
        let stream = try PlaybackStream(configuration) { format in
            #expect(format.sampleRate == rate)
            #expect(format.encoding == encoding)
            return try EndingLine(rate: format.sampleRate)
        }
        let command = Self.noise(333, seed: 2)
        let change = stream.perform { try? $0.line.enqueue(command, .added) }
        #expect(stream.finish(within: .seconds(60)))
        #expect(stream.status.interruptions == 0)

        let written = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let frames = written.count / (2 * encoding.bytesPerSample)
        #expect(written.count == frames * 2 * encoding.bytesPerSample)
        let changed = Int(try #require(change.beginning).position)
        // The same blocks as the device asked for: the line stops at the beginning of one.
        var source = try EndingLine(rate: rate)
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 2 * stream.format.periodFrames)
        while samples.count < 2 * frames {
            if samples.count == 2 * changed { try source.line.enqueue(command, .added) }
            var span = block.mutableSpan
            source.render(into: &span)
            samples += block
        }
        #expect(source.isSilent)
        #expect(samples.prefix(2 * frames).flatMap { Self.bytes($0, encoding) } == written)
    }
}
