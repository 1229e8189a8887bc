import JackdawTestSupport

@testable import JackdawDSP

/// Sends bytes, spoils the sound and receives it.
enum BasebandBench {
    struct Reading: Equatable {
        var bytes: [UInt8] = []
        var characters: [LineCharacter] = []
        var bursts: [LineBurst] = []
    }

    /// What a line does to the sound.
    struct Spoiling {
        /// Multiple of the amplitude.
        var offset: Float = 0
        /// Amplitude of 50 Hz, as a multiple.
        var hum: Float = 0
        /// Deviation of white noise, full scale 1.
        var noise: Float = 0
        var seed: UInt64 = 1
    }

    static let amplitude: Float = 0.05

    static func random(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Bytes between stretches of an idle line, with the clock off by a part of the rate.
    static func samples(
        _ bytes: [UInt8], _ encoder: any LineEncoder, quiet: Double = 0.03
    ) -> [Float] {
        var encoder = encoder
        var samples: [Float] = []
        encoder.idle(seconds: quiet, into: &samples)
        encoder.encode(bytes.span, into: &samples)
        encoder.idle(seconds: quiet, into: &samples)
        return samples
    }

    static func spoil(_ samples: [Float], sampleRate: Double, _ spoiling: Spoiling) -> [Float] {
        var noise = GaussianNoise(seed: spoiling.seed)
        return samples.indices.map { index in
            let hum = Float(Numerics.sineAndCosine(turns: 50 * Double(index) / sampleRate).sine)
            return samples[index] + amplitude * (spoiling.offset + spoiling.hum * hum)
                + (spoiling.noise > 0 ? spoiling.noise * Float(noise.next()) : 0)
        }
    }

    /// The deviation of white noise for an Eb/N0 in dB, Eb being the energy of two chips.
    static func deviation(ebn0: Double, samplesPerChip: Double) -> Float {
        amplitude * Float((2 * samplesPerChip / (2 * Numerics.exponential(ebn0 * 0.230_258_509_299_4))).squareRoot())
    }

    static func receive(_ samples: [Float], _ decoder: any LineDecoder, block: Int = 4_096) -> Reading {
        var decoder = decoder
        var events: [LineEvent] = []
        for start in stride(from: 0, to: samples.count, by: block) {
            decoder.receive(samples.span.extracting(start..<min(start + block, samples.count)), into: &events)
        }
        decoder.finish(into: &events)
        return reading(events)
    }

    static func receive(_ samples: [Int16], _ decoder: any LineDecoder) -> Reading {
        var decoder = decoder
        return reading(decoder.receive(samples.span) + decoder.finish())
    }

    static func reading(_ events: [LineEvent]) -> Reading {
        var reading = Reading()
        for event in events {
            switch event {
            case .character(let character):
                reading.bytes.append(UInt8(truncatingIfNeeded: character.value))
                reading.characters.append(character)
            case .burst(let burst): reading.bursts.append(burst)
            }
        }
        return reading
    }
}
