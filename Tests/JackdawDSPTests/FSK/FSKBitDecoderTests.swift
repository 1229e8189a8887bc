import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct FSKBitDecoderTests {
    @Test func zzMeasure() throws {
        for (shift, rate) in [(FrequencyShift.bell202, 48_000.0), (.bell103, 48_000), (.init(baud: 9_600, mark: 5_400, space: 13_400), 44_100)] {
            for noise in [30.0, 10, 8, 6] {
                var (errors, count, extra) = (0, 0, 0)
                for seed in 0..<8 as Range<UInt64> {
                    let bits = FSKBitBench.bits(2_000, seed: seed + 70)
                    let read = try FSKBitBench.read(bits, sent: shift, read: shift, sampleRate: rate, noise: noise, seed: seed)
                    errors += FSKBitBench.errors(bits, read)
                    extra += read.count - bits.count
                    count += bits.count
                }
                print("MEASURE", shift.baud, rate, noise, errors, count, Double(errors) / Double(count), "extra", extra)
            }
        }
    }
}
@Suite struct ZZDebug {
    @Test func zzDebug() throws {
        let shift = FrequencyShift.bell202
        let bits = FSKBitBench.bits(2_000, seed: 70)
        var samples = try FSKBitBench.samples(bits, shift, sampleRate: 48_000)
        FSKBench.addNoise(&samples, bitEnergyToNoise: 30, shift, sampleRate: 48_000, seed: 0)
        let events = try FSKBitBench.events(samples, shift, sampleRate: 48_000)
        let ch = FSKBench.characters(events)
        print("DBG", FSKBench.bursts(events).map { ($0.span, $0.baud, $0.signalToNoise) })
        print("DBG first", ch.prefix(6).map { ($0.startSample / 40, $0.value, $0.confidence) }, bits.prefix(5))
        print("DBG last", ch.suffix(6).map { ($0.startSample / 40, $0.value, $0.confidence) }, bits.suffix(5))
        let first = Int((ch[0].startSample / 40 - 50.3).rounded())
        for (i, c) in ch.enumerated() where i + first >= 0 && i + first < bits.count {
            if bits[i + first] != UInt8(c.value) || abs(c.startSample / 40 - 50.3 - Double(i + first)) > 0.3 { print("DBG at", i, c.startSample / 40 - 50.3, c.value, bits[i + first]); break }
        }
    }
}
