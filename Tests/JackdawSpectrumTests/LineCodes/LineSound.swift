import Testing
import Foundation
import JackdawDSP
import JackdawSpectrum
import JackdawTestSupport

/// Sound of line codes whose truth is known.
enum LineSound {
    /// Random characters at the pace of a mode, a tenth of a second of silence around them.
    /// - Parameters:
    ///   - shift: the nominal keying.
    ///   - clock: what multiplies baud and tones alike.
    ///   - sampleRate: in Hz.
    ///   - seconds: length of the characters.
    ///   - seed: of the characters.
    /// - Returns: the samples.
    /// - Throws: where the rate does not hold the keying.
    static func keying(
        _ shift: FrequencyShift, clock: Double = 1, sampleRate: Double, seconds: Double, seed: UInt64
    ) throws -> [Float] {
        let real = FrequencyShift(baud: shift.baud * clock, mark: shift.mark * clock, space: shift.space * clock)
        var encoder = try FSKEncoder(real, sampleRate: sampleRate)
        let bytes = bytes(Int(seconds * real.baud / 10), seed: seed)
        let silence = [Float](repeating: 0, count: Int(sampleRate / 10))
        var samples = silence
        encoder.idle(seconds: 0.03, into: &samples)
        encoder.encode(bytes.span, into: &samples)
        encoder.idle(seconds: 0.01, into: &samples)
        return samples + silence
    }

    static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in .random(in: 0...255, using: &random) }
    }

    /// Frames of the nibble line: start chip, four Manchester bits from the least significant one, stop chip.
    static func nibbles(_ bytes: [UInt8]) -> [Bool] {
        let preamble = [UInt8](repeating: 0x55, count: 14) + [0x66]
        var chips: [Bool] = []
        for byte in preamble + bytes {
            for nibble in [byte >> 4, byte & 15] { chips += [true] + manchester(nibble) + [false] }
        }
        return chips
    }

    /// Bits of a UART that carry one nibble a byte, as Manchester bits from the least significant one.
    static func dynamoBits(_ bytes: [UInt8]) -> [Bool] {
        var bits: [Bool] = []
        for byte in bytes {
            for nibble in [byte & 15, byte >> 4] { bits += [false] + manchester(nibble) + [true] }
        }
        return bits
    }

    private static func manchester(_ nibble: UInt8) -> [Bool] {
        var chips: [Bool] = []
        for place in 0..<4 {
            let bit = nibble >> UInt8(place) & 1 == 1
            chips += [bit, !bit]
        }
        return chips
    }

    /// Levels of 0.5 and -0.5, band-limited somewhat: each sample is the mean over its own length.
    static func levels(_ chips: [Bool], rate: Double, sampleRate: Double) -> [Float] {
        let length = sampleRate / rate
        let silence = [Float](repeating: 0, count: Int(sampleRate / 10))
        var samples = silence
        for index in 0..<Int(Double(chips.count) * length) {
            let end = Double(index + 1) / length
            var (sum, place) = (0.0, Double(index) / length)
            while place < end {
                let next = min(end, place.rounded(.down) + 1)
                if Int(place) < chips.count { sum += (chips[Int(place)] ? 0.5 : -0.5) * (next - place) }
                place = next
            }
            samples.append(Float(sum * length))
        }
        return samples + silence
    }

    /// Adds white noise of a root mean square.
    static func noisy(_ samples: [Float], deviation: Double, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return samples.map { sample in
            let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &random))).squareRoot()
            return sample + Float(deviation * radius * cos(.random(in: 0..<2 * .pi, using: &random)))
        }
    }

    /// The noise that gives a ratio of energy a bit to noise density, in dB, to a signal of some mean square.
    static func deviation(power: Double, samplesPerBit: Double, decibels: Double) -> Double {
        (power * samplesPerBit / pow(10, decibels / 10) / 2).squareRoot()
    }

    /// All guesses, the samples fed in blocks of a size or at once.
    static func guesses(_ samples: [Float], sampleRate: Double, blockSize: Int? = nil) -> [LineGuess] {
        do {
            var survey = try LineCodeSurvey(sampleRate: sampleRate)
            let size = max(1, blockSize ?? samples.count)
            for start in stride(from: 0, to: samples.count, by: size) {
                survey.receive(samples.span.extracting(start..<min(start + size, samples.count)))
            }
            return try survey.finish()
        } catch {
            Issue.record(error)
            return []
        }
    }
}
