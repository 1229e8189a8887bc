import Foundation
import JackdawAudioFile
import JackdawTestSupport
import Testing

@testable import JackdawALSA

/// Samples are written and read as sound cards have them, and a file of the same samples is read as the same sound.
@Suite struct PCMEncodingTests {
    private static func decode(_ bytes: [UInt8], _ encoding: PCMEncoding) -> [Float] {
        var samples = [Float](repeating: 7, count: bytes.count / encoding.bytesPerSample)
        var span = samples.mutableSpan
        unsafe bytes.withUnsafeBytes { unsafe encoding.decode($0, into: &span) }
        return samples
    }

    private static func encode(_ samples: [Float], _ encoding: PCMEncoding) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: samples.count * encoding.bytesPerSample)
        unsafe bytes.withUnsafeMutableBytes { unsafe encoding.encode(samples.span, into: $0) }
        return bytes
    }

    private static func bits(_ samples: [Float]) -> [UInt32] { samples.map(\.bitPattern) }

    /// A half, minus a half, the lowest, the highest, the least step either way, silence.
    private static let known: [(encoding: PCMEncoding, bytes: [UInt8], samples: [Float])] = [
        (
            .s16, [0x00, 0x40, 0x00, 0xC0, 0x00, 0x80, 0xFF, 0x7F, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x00],
            [0.5, -0.5, -1, 1 - 0x1p-15, 0x1p-15, -0x1p-15, 0]
        ),
        (
            .s24,
            [0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0xC0, 0xFF, 0x00, 0x00, 0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0x00]
                + [0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00],
            [0.5, -0.5, -1, 1 - 0x1p-23, 0x1p-23, -0x1p-23, 0]
        ),
        (
            .s24Packed,
            [0x00, 0x00, 0x40, 0x00, 0x00, 0xC0, 0x00, 0x00, 0x80, 0xFF, 0xFF, 0x7F, 0x01, 0x00, 0x00, 0xFF, 0xFF]
                + [0xFF, 0x00, 0x00, 0x00],
            [0.5, -0.5, -1, 1 - 0x1p-23, 0x1p-23, -0x1p-23, 0]
        ),
        (
            .s32,
            [0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0xC0, 0x00, 0x00, 0x00, 0x80, 0x80, 0xFF, 0xFF, 0x7F]
                + [0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00],
            [0.5, -0.5, -1, 1 - 0x1p-24, 0x1p-31, -0x1p-31, 0]
        ),
        (
            .float,
            [0x00, 0x00, 0x00, 0x3F, 0x00, 0x00, 0x00, 0xBF, 0x00, 0x00, 0x80, 0xBF, 0x00, 0x00, 0x80, 0x3F]
                + [0x00, 0x00, 0x00, 0x34, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00, 0x00, 0x00],
            [0.5, -0.5, -1, 1, 0x1p-23, 3, 0]
        ),
    ]

    @Test(arguments: PCMEncoding.allCases) func knownBytesAreKnownSamples(encoding: PCMEncoding) throws {
        let known = try #require(Self.known.first { $0.encoding == encoding })
        #expect(Self.decode(known.bytes, encoding) == known.samples)
        #expect(Self.encode(known.samples, encoding) == known.bytes)
    }

    /// A card may leave anything in the fourth byte.
    @Test func theFourthByteOfTwentyFourBitsIsIgnored() {
        #expect(Self.decode([0x00, 0x00, 0x40, 0xAA, 0x00, 0x00, 0xC0, 0x00], .s24) == [0.5, -0.5])
    }

    @Test(arguments: PCMEncoding.allCases) func allSixteenBitSamplesAreReadAgain(encoding: PCMEncoding) {
        let samples = (Int16.min...Int16.max).map { Float($0) / 32_768 }
        #expect(Self.decode(Self.encode(samples, encoding), encoding) == samples)
    }

    @Test(arguments: [PCMEncoding.s24, .s24Packed, .s32, .float])
    func twentyFourBitsAreReadAgain(encoding: PCMEncoding) {
        var random = SeededRandom(seed: 24)
        let steps = (0..<20_000).map { _ in Int32.random(in: -0x80_0000...0x7F_FFFF, using: &random) }
        let samples = (steps + [-0x80_0000, 0x7F_FFFF]).map { Float($0) / 0x1p23 }
        #expect(Self.decode(Self.encode(samples, encoding), encoding) == samples)
    }

    /// A `Float` has 24 bits: the nearest one is what is read, and what is written again.
    @Test func thirtyTwoBitsAreReadToTheNearest() {
        var random = SeededRandom(seed: 32)
        let steps = (0..<20_000).map { _ in Int32.random(in: .min ... .max, using: &random) } + [.min, .max - 127]
        let samples = Self.decode(steps.flatMap(\.littleEndianBytes), .s32)
        #expect(samples == steps.map { Float(Double($0) / 0x1p31) })
        #expect(
            Self.decode(Self.encode(samples, .s32), .s32).map { min($0, 1 - 0x1p-24) }
                == samples.map { min($0, 1 - 0x1p-24) })
    }

    @Test func floatsAreReadAgainBitForBit() {
        var random = SeededRandom(seed: 33)
        let samples = (0..<20_000).map { _ in Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &random)) }
            .filter(\.isFinite)
        #expect(Self.bits(Self.decode(Self.encode(samples, .float), .float)) == Self.bits(samples))
    }

    @Test(arguments: [PCMEncoding.s16, .s24, .s24Packed, .s32])
    func samplesOverFullScaleAreLimited(encoding: PCMEncoding) {
        let written = Self.encode([1, 1.0001, 1_000, .greatestFiniteMagnitude], encoding)
        let highest = Self.encode([1], encoding)
        #expect(written == highest + highest + highest + highest)
        // All ones but the sign, in what bits there are.
        let bits = 8 * (encoding == .s24 ? 3 : encoding.bytesPerSample)
        let most = Int64(1) << (bits - 1) - 1
        #expect(highest == (0..<encoding.bytesPerSample).map { UInt8(truncatingIfNeeded: most >> (8 * $0)) })
        #expect(Self.decode(Self.encode([-1.0001, -.greatestFiniteMagnitude], encoding), encoding) == [-1, -1])
    }

    /// To the nearest step, halves to the even one.
    @Test func samplesBetweenStepsAreRounded() {
        let samples = [0.4, 0.5, 0.6, 1.5, -0.5, -1.5, -2.6].map { Float($0 / 32_768) }
        #expect(Self.decode(Self.encode(samples, .s16), .s16) == [0, 0, 1, 2, 0, -2, -3].map { $0 / 32_768 })
    }

    @Test(arguments: PCMEncoding.allCases) func notANumberIsWrittenAsSilence(encoding: PCMEncoding) {
        let samples: [Float] = [.nan, .signalingNaN, .infinity, -.infinity]
        #expect(Self.encode(samples, encoding).allSatisfy { $0 == 0 })
    }

    /// A plug-in may hand such over, and no measurement could ever get rid of it.
    @Test func notANumberIsReadAsSilence() {
        let samples: [Float] = [.nan, -.nan, .signalingNaN, .infinity, -.infinity, 0.25]
        let bytes = samples.flatMap(\.bitPattern.littleEndianBytes)
        #expect(Self.bits(Self.decode(bytes, .float)) == Self.bits([0, 0, 0, 0, 0, 0.25]))
    }

    /// Any bytes are the same sound whether a card brings them or a file.
    @Test(arguments: [(PCMEncoding.s16, "s16"), (.s24Packed, "s24"), (.s32, "s32"), (.float, "f32")], 1...3)
    func aFileIsReadAsTheSameSound(encoding: (pcm: PCMEncoding, raw: String), channels: Int) throws {
        var random = SeededRandom(seed: 11)
        var bytes: [UInt8] = []
        for _ in 0..<(9_000 * channels * encoding.pcm.bytesPerSample) {
            bytes.append(.random(in: 0...255, using: &random))
        }
        let files = try RecordingFiles()
        let path = try files.write(bytes, to: "sound.raw")
        let read = try FileSound(path: path, raw: RawAudioFormat(parsing: "48000,\(encoding.raw),\(channels)"))
        #expect(Self.bits(read.samples) == Self.bits(Self.decode(bytes, encoding.pcm)))
    }
}

extension FixedWidthInteger {
    fileprivate var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
