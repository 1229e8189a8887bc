import JackdawTestSupport

@testable import JackdawDSP

/// Makes frequency shift keying without start and stop bits and reads it.
enum FSKBitBench {
    static func bits(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8(random.next() >> 40 & 1) }
    }

    /// Sound of some bits in silence; eight of them a byte.
    static func samples(_ bits: [UInt8], _ shift: FrequencyShift, sampleRate: Double) throws -> [Float] {
        precondition(bits.count % 8 == 0)
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
        }
        var encoder = try FSKBitEncoder(shift, sampleRate: sampleRate)
        var samples: [Float] = []
        encoder.idle(seconds: 50.3 / shift.baud, into: &samples)
        encoder.encode(bytes.span, into: &samples)
        encoder.idle(seconds: 70 / shift.baud, into: &samples)
        return samples
    }

    /// What a decoder makes of it, in blocks of a size.
    static func events(
        _ samples: [Float], _ shift: FrequencyShift, sampleRate: Double, block: Int = .max
    ) throws -> [LineEvent] {
        var decoder = try FSKBitDecoder(shift, sampleRate: sampleRate)
        var events: [LineEvent] = []
        var start = 0
        while start < samples.count {
            let end = start + min(block, samples.count - start)
            decoder.receive(samples.span.extracting(start..<end), into: &events)
            start = end
        }
        decoder.finish(into: &events)
        return events
    }

    /// What is read of some bits, with noise of an energy of a bit over its density in dB.
    static func read(
        _ bits: [UInt8], sent: FrequencyShift, read: FrequencyShift, sampleRate: Double, noise: Double? = nil,
        seed: UInt64 = 1
    ) throws -> [UInt8] {
        var samples = try samples(bits, sent, sampleRate: sampleRate)
        if let noise {
            FSKBench.addNoise(&samples, bitEnergyToNoise: noise, sent, sampleRate: sampleRate, seed: seed)
        }
        return FSKBench.bytes(try events(samples, read, sampleRate: sampleRate))
    }

    /// Bits that were read wrong, left out or added, as the fewest such changes that explain what was read.
    static func errors(_ sent: [UInt8], _ read: [UInt8]) -> Int {
        // Nearly all is right: paths far from the straight one need not be followed.
        let reach = 40
        guard abs(sent.count - read.count) < reach else { return max(sent.count, read.count) }
        let far = sent.count + read.count
        var row = (0...2 * reach).map { $0 >= reach ? $0 - reach : far }
        for index in 1...max(1, sent.count) where index <= sent.count {
            var next = [Int](repeating: far, count: row.count)
            for place in row.indices {
                let other = index + place - reach
                guard (0...read.count).contains(other) else { continue }
                var least = place + 1 < row.count ? row[place + 1] + 1 : far
                if other > 0 { least = min(least, row[place] + (sent[index - 1] == read[other - 1] ? 0 : 1)) }
                if place > 0 { least = min(least, next[place - 1] + 1) }
                next[place] = least
            }
            row = next
        }
        return row[read.count - sent.count + reach]
    }
}
