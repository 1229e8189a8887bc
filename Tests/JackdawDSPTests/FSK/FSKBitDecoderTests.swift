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
        let shift = FrequencyShift(baud: 9_600, mark: 5_400, space: 13_400)
        for seed in 0..<8 as Range<UInt64> {
            let bits = FSKBitBench.bits(2_000, seed: seed + 70)
            var samples = try FSKBitBench.samples(bits, shift, sampleRate: 44_100)
            FSKBench.addNoise(&samples, bitEnergyToNoise: 30, shift, sampleRate: 44_100, seed: seed)
            let events = try FSKBitBench.events(samples, shift, sampleRate: 44_100)
            let ch = FSKBench.characters(events)
            let e = FSKBitBench.errors(bits, ch.map { UInt8($0.value) })
            guard e > 0 else { continue }
            print("DBG", seed, e, FSKBench.bursts(events).map { ($0.span, $0.baud, $0.signalToNoise) })
            let n = 44_100.0 / 9_600
            for (i, c) in ch.enumerated() where i < bits.count && bits[i] != UInt8(c.value) {
                print("DBG at", i, c.startSample / n - 50.3, c.value, bits[i], c.confidence)
                for j in max(0, i - 3)..<min(i + 4, bits.count) { print("DBG   ", j, ch[j].startSample / n - 50.3, ch[j].value, bits[j]) }
            }
        }
    }
    @Test func zzEdges() throws {
        let shift = FrequencyShift.bell202
        for (clock, tone) in [(1.0, 0.97), (0.95, 1.0), (1.0, 1.0)] {
            let sent = FrequencyShift(baud: 1_200 * clock, mark: shift.mark * tone, space: shift.space * tone)
            for seed in 0..<6 as Range<UInt64> {
                let bits = FSKBitBench.bits(800, seed: seed + 70)
                var samples = try FSKBitBench.samples(bits, sent, sampleRate: 48_000)
                FSKBench.addNoise(&samples, bitEnergyToNoise: 10, sent, sampleRate: 48_000, seed: seed)
                let events = try FSKBitBench.events(samples, shift, sampleRate: 48_000)
                let ch = FSKBench.characters(events)
                let n = 48_000 / sent.baud
                print("EDGE", clock, tone, ch[0].startSample / n - 50.3, ch.last!.startSample / n - 849.3, ch.count, FSKBench.bursts(events).map { ($0.baud, $0.tones!.mark, $0.tones!.space) })
            }
        }
    }
    @Test func zzTones() throws {
        let shift = FrequencyShift.bell103
        for tone in [0.95, 1.05] { for noise in [10.0, 40] { for seed in 0..<2 as Range<UInt64> {
        let sent = FrequencyShift(baud: 300, mark: shift.mark * tone, space: shift.space * tone)
        let bits = FSKBitBench.bits(400, seed: 70 + seed)
        let read = try FSKBitBench.read(bits, sent: sent, read: shift, sampleRate: 8_000, noise: noise, seed: seed)
        print("TRY", sent, noise, FSKBitBench.errors(bits, read))
        }}}
    }
    @Test func zzSweep() throws {
        for (shift, rate) in [(FrequencyShift.bell202, 48_000.0), (.bell202, 8_000), (.bell103, 8_000), (.init(baud: 60, mark: 1_000, space: 1_200), 8_000), (.init(baud: 1_225, mark: 7_350, space: 4_900), 44_100), (.init(baud: 126, mark: 1_764, space: 882), 44_100), (.init(baud: 9_600, mark: 5_400, space: 13_400), 48_000), (.init(baud: 9_600, mark: 5_400, space: 13_400), 192_000), (.init(baud: 4_800, mark: 3_000, space: 7_000), 44_100)] {
            for (clock, tone) in [(1, 1), (1.03, 1), (0.97, 1), (1.05, 1), (0.95, 1), (1, 1.03), (1, 0.97), (1, 1.05), (1, 0.95), (1.03, 1.03), (0.97, 0.97), (0.97, 1.03), (1.05, 1.05), (0.95, 1.05)] {
                for noise in [40.0, 10] {
                    var e = 0, extra = 0
                    for seed in 0..<3 as Range<UInt64> {
                        let bits = FSKBitBench.bits(800, seed: seed + 70)
                        let sent = FrequencyShift(baud: min(9_600, shift.baud * clock), mark: shift.mark * tone, space: shift.space * tone)
                        if max(sent.mark, sent.space) >= rate / 2 { continue }
                        let read = try FSKBitBench.read(bits, sent: sent, read: shift, sampleRate: rate, noise: noise, seed: seed)
                        e += FSKBitBench.errors(bits, read)
                        extra += read.count - bits.count
                    }
                    if e > 0 { print("SWEEP", shift.baud, rate, clock, tone, noise, e, extra) }
                }
            }
        }
    }
}
