import Foundation
import JackdawAudioFile
import JackdawBytes
import JackdawDSP

/// Sound of modems for the tests, made without the command.
enum ModemSound {
    /// The sound of bytes, with idle line and silence (s) before and after it.
    static func samples(
        _ bytes: [UInt8], _ mode: LineMode, sampleRate: Double, idle: Double = 0.1, silence: Double = 0.1
    ) throws -> [Float] {
        let rest = [Float](repeating: 0, count: Int(silence * sampleRate))
        var encoder = try mode.encoder(sampleRate: sampleRate)
        var samples: [Float] = []
        encoder.idle(seconds: idle, into: &samples)
        encoder.encode(bytes.span, into: &samples)
        encoder.idle(seconds: idle, into: &samples)
        return rest + samples + rest
    }

    /// Adds white noise.
    /// - Parameters:
    ///   - samples: the sound.
    ///   - decibels: the ratio of the energy of a bit to the noise density, Eb/N0 (dB).
    ///   - bitRate: bits per second.
    ///   - sampleRate: samples per second (Hz).
    ///   - power: mean square of the signal; by default that of all samples that are not zero.
    ///   - seed: the seed of the noise.
    /// - Returns: the sum.
    static func noisy(
        _ samples: [Float], decibels: Double, bitRate: Double, sampleRate: Double, power: Double? = nil,
        seed: UInt64
    ) -> [Float] {
        let power = power ?? meanSquare(samples.filter { $0 != 0 }[...])
        let deviation = (power * sampleRate / bitRate / 2 / pow(10, decibels / 10)).squareRoot()
        var noise = GaussianNoise(seed: seed)
        return samples.map { $0 + Float(deviation * noise.next()) }
    }

    static func meanSquare(_ samples: ArraySlice<Float>) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
    }

    /// Writes a sound file with these channels.
    static func write(_ channels: [[Float]], to path: String, sampleRate: Double) throws {
        let frames = channels.map(\.count).max() ?? 0
        let interleaved = (0..<frames).flatMap { frame in channels.map { frame < $0.count ? $0[frame] : 0 } }
        var writer = try AudioFileWriter(path: path, sampleRate: sampleRate, channels: channels.count)
        try writer.write(interleaved.span)
        try writer.finish()
    }

    /// Writes a sound file with the sound of bytes.
    static func write(_ bytes: [UInt8], _ mode: String, to path: String, sampleRate: Double = 48_000) throws {
        try write(
            [samples(bytes, LineMode(named: mode), sampleRate: sampleRate)], to: path, sampleRate: sampleRate)
    }

    /// All 256 bytes, in an order without runs.
    static let everyByte = (0...255).map { UInt8(truncatingIfNeeded: $0 * 181) }
}

extension FixedWidthInteger {
    /// The bytes of the number, the least significant one first.
    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }
}

extension [Float] {
    /// The samples as in a headerless file of 16-bit integers.
    var sixteenBitBytes: [UInt8] { flatMap { Int16(($0 * 32_768).rounded()).littleEndianBytes } }
    /// The samples as in a headerless file of 32-bit floating-point numbers.
    var floatBytes: [UInt8] { flatMap { $0.bitPattern.littleEndianBytes } }
}

extension [UInt8] {
    /// Two digits a byte, with lower case letters, as the command prints bytes.
    var lowercaseHexadecimal: String { map(\.lowercaseHexadecimal).joined() }
}
