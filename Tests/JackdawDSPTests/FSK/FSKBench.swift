import JackdawTestSupport

@testable import JackdawDSP

/// Makes frequency shift keying and reads it.
enum FSKBench {
    /// Sound of some bytes between two stretches of mark, and silence around it all.
    static func samples(
        _ bytes: [UInt8], _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double,
        level: Double = -6
    ) throws -> [Float] {
        var encoder = try FSKEncoder(shift, framing: framing, sampleRate: sampleRate, level: level)
        var samples = [Float](repeating: 0, count: Int(20 * sampleRate / shift.baud))
        encoder.idle(seconds: 30 / shift.baud, into: &samples)
        encoder.encode(bytes.span, into: &samples)
        encoder.idle(seconds: 20 / shift.baud, into: &samples)
        samples += [Float](repeating: 0, count: Int(100 * sampleRate / shift.baud))
        return samples
    }

    /// Adds white noise for an energy of a bit over its density, in dB; the sine's level is -6 dBFS.
    static func addNoise(
        _ samples: inout [Float], bitEnergyToNoise: Double, _ shift: FrequencyShift, sampleRate: Double, seed: UInt64
    ) {
        let amplitude = Numerics.amplitude(decibels: -6)
        let ratio = Numerics.amplitude(decibels: bitEnergyToNoise)
        let deviation = amplitude / ratio * (sampleRate / shift.baud / 4).squareRoot()
        var noise = GaussianNoise(seed: seed)
        for index in samples.indices { samples[index] += Float(deviation * noise.next()) }
    }

    /// What a decoder makes of it, in blocks of a size.
    static func events(
        _ samples: [Float], _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double,
        isSquelched: Bool = true, block: Int = .max
    ) throws -> [LineEvent] {
        var decoder = try FSKDecoder(shift, framing: framing, sampleRate: sampleRate, isSquelched: isSquelched)
        var events: [LineEvent] = []
        var start = 0
        while start < samples.count {
            let end = min(samples.count, block == .max ? samples.count : start + block)
            decoder.receive(samples.span.extracting(start..<end), into: &events)
            start = end
        }
        decoder.finish(into: &events)
        return events
    }

    static func characters(_ events: [LineEvent]) -> [LineCharacter] {
        events.compactMap { event in
            guard case .character(let character) = event else { return nil }
            return character
        }
    }

    static func bursts(_ events: [LineEvent]) -> [LineBurst] {
        events.compactMap { event in
            guard case .burst(let burst) = event else { return nil }
            return burst
        }
    }

    static func bytes(_ events: [LineEvent]) -> [UInt8] {
        characters(events).map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// Length of the longest common subsequence: how many bytes were read, wherever others are missing or too many.
    static func common(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var lengths = [Int](repeating: 0, count: second.count + 1)
        for byte in first {
            var diagonal = 0
            for index in second.indices {
                let above = lengths[index + 1]
                lengths[index + 1] = byte == second[index] ? diagonal + 1 : max(above, lengths[index])
                diagonal = above
            }
        }
        return lengths[second.count]
    }
}
