import JackdawTestSupport
import Testing

@testable import JackdawDSP

struct SerialManchesterTests {
    private static func encoder(
        _ line: SerialManchesterLine, rate: Double = 44_100, clock: Double = 1, inverted: Bool = false
    ) throws -> SerialManchesterEncoder {
        var line = line
        line.baud *= clock
        return try SerialManchesterEncoder(line, sampleRate: rate, level: -26.0206, isInverted: inverted)
    }

    /// Thirty-two samples a bit, the sine's first half positive for a 1.
    @Test func theEncoderSendsOnesStartDataParityAndOnes() throws {
        var encoder = try SerialManchesterEncoder(.hiJack, sampleRate: 44_100, level: 0)
        var samples: [Float] = []
        encoder.encode([0x13 as UInt8].span, into: &samples)
        let expected =
            [Int](repeating: 1, count: 100) + [0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1] + [Int](repeating: 1, count: 100)
        #expect(samples.count == 32 * expected.count)
        for (index, bit) in expected.enumerated() {
            #expect((samples[32 * index + 8] > 0.99) == (bit == 1))
            #expect((samples[32 * index + 24] < -0.99) == (bit == 1))
        }
    }

    @Test(arguments: [16_000.0, 22_050, 44_100, 48_000, 192_000], [0.97, 0.985, 1, 1.015, 1.03])
    func readsEveryRateAndClock(rate: Double, clock: Double) throws {
        for line in [SerialManchesterLine.hiJack, .floJack] {
            for inverted in [false, true] {
                let bytes: [UInt8] = [0x00, 0xFF, 0x01, 0x80, 0x55] + BasebandBench.random(15, seed: UInt64(rate))
                let samples = BasebandBench.samples(
                    bytes, try Self.encoder(line, rate: rate, clock: clock, inverted: inverted))
                let reading = BasebandBench.receive(samples, try SerialManchesterDecoder(line, sampleRate: rate))
                #expect(reading.bytes == bytes, "\(line.baud) \(inverted)")
                #expect(reading.bursts.count == 1)
                let burst = try #require(reading.bursts.first)
                #expect(abs(burst.baud / (line.baud * clock) - 1) < 0.005)
                #expect(abs(burst.level + 26) < 1.5)
                #expect(burst.framingErrors == 0)
            }
        }
    }

    /// Behind the last character come ones alone, and a zero of its data with ones before it looks like a start bit.
    @Test(arguments: [0xF9, 0xAF, 0x7D, 0x7F, 0xBD, 0x8F, 0x1F, 0x01, 0x03, 0x80] as [UInt8])
    func aLastCharacterIsReadFromItsOwnStart(byte: UInt8) throws {
        for rate in [16_000.0, 22_050, 44_100, 48_000] {
            let samples = BasebandBench.samples([0x41, byte], try Self.encoder(.floJack, rate: rate))
            let reading = BasebandBench.receive(samples, try SerialManchesterDecoder(.floJack, sampleRate: rate))
            #expect(reading.bytes == [0x41, byte])
        }
    }

    @Test func charactersHaveTheirStartInTheSound() throws {
        var encoder = try Self.encoder(.hiJack)
        var samples: [Float] = []
        encoder.encode([0x41, 0x42].span, into: &samples)
        let reading = BasebandBench.receive(samples, try SerialManchesterDecoder(sampleRate: 44_100))
        #expect(reading.bytes == [0x41, 0x42])
        for (index, character) in reading.characters.enumerated() {
            #expect(abs(character.startSample - Double(3_200 + 111 * 32 * index)) < 2)
        }
    }

    @Test(arguments: [1, 7, 240, 1_000_000]) func blocksOfAnySizeGiveTheSame(block: Int) throws {
        for line in [SerialManchesterLine.hiJack, .floJack] {
            let clean = BasebandBench.samples(BasebandBench.random(12, seed: 4), try Self.encoder(line))
            let samples = BasebandBench.spoil(clean, sampleRate: 44_100, .init(noise: 0.02, seed: 5))
            let decoder = try SerialManchesterDecoder(line, sampleRate: 44_100)
            let expected = BasebandBench.receive(samples, decoder)
            #expect(expected.bytes.count == 12)
            #expect(BasebandBench.receive(samples, decoder, block: block) == expected)
        }
    }

    @Test func integersAndFloatsGiveTheSame() throws {
        let samples = BasebandBench.samples(BasebandBench.random(10, seed: 6), try Self.encoder(.hiJack))
        let integers = samples.map { Int16($0 * 32_768) }
        let decoder = try SerialManchesterDecoder(sampleRate: 44_100)
        let reading = BasebandBench.receive(integers, decoder)
        #expect(reading.bytes.count == 10)
        #expect(reading == BasebandBench.receive(integers.map { Float($0) / 32_768 }, decoder))
    }

    /// Eb/N0 of 12 dB: a bit is wrong in a hundred million.
    @Test func noiseOffsetAndHumCostFewCharacters() throws {
        for line in [SerialManchesterLine.hiJack, .floJack] {
            let bytes = BasebandBench.random(100, seed: 7)
            let clean = BasebandBench.samples(bytes, try Self.encoder(line))
            // A sine has half the power of the square wave that the deviation is for.
            let noise = BasebandBench.deviation(ebn0: 15, samplesPerChip: 44_100 / line.baud / 2)
            let samples = BasebandBench.spoil(clean, sampleRate: 44_100, .init(offset: 10, hum: 2, noise: noise))
            let reading = BasebandBench.receive(samples, try SerialManchesterDecoder(line, sampleRate: 44_100))
            #expect(reading.bytes.count == 100)
            #expect(zip(reading.bytes, bytes).count { $0 != $1 } <= 2)
        }
    }

    @Test func aWrongParityIsAFramingError() throws {
        var samples = BasebandBench.samples([0x41], try Self.encoder(.hiJack), quiet: 0)
        // The parity bit is the tenth of the character, after a hundred ones.
        for index in (109 * 32)..<(110 * 32) { samples[index] = -samples[index] }
        let reading = BasebandBench.receive(samples, try SerialManchesterDecoder(sampleRate: 44_100))
        #expect(reading.bytes == [0x41])
        #expect(reading.characters.map(\.isFramed) == [false])
        #expect(reading.bursts.map(\.framingErrors) == [1])
    }

    @Test func noiseSilenceOnesAndOtherLinesGiveNothing() throws {
        var noise = GaussianNoise(seed: 8)
        let data = BasebandBench.random(300, seed: 9)
        var idle = try Self.encoder(.hiJack)
        var ones: [Float] = []
        idle.idle(seconds: 2, into: &ones)
        let sounds: [[Float]] = [
            (0..<900_000).map { _ in 0.2 * Float(noise.next()) }, [Float](repeating: 0, count: 441_000), ones,
            (0..<441_000).map { Float(Numerics.sineAndCosine(turns: 50 * Double($0) / 44_100).sine) },
            BasebandBench.samples(data, try FSKEncoder(.bell202, sampleRate: 44_100)),
            BasebandBench.samples(data, try NibbleLineEncoder(sampleRate: 44_100)),
        ]
        for line in [SerialManchesterLine.hiJack, .floJack] {
            for (index, sound) in sounds.enumerated() {
                let reading = BasebandBench.receive(sound, try SerialManchesterDecoder(line, sampleRate: 44_100))
                #expect(reading.bursts.isEmpty, "sound \(index)")
            }
        }
    }

    @Test func hostileSoundDoesNotTrap() throws {
        var random = SeededRandom(seed: 10)
        let decoder = try SerialManchesterDecoder(.floJack, sampleRate: 44_100)
        #expect(BasebandBench.receive([Float](), decoder) == .init())
        let wild: [Float] = [.nan, .infinity, -.infinity, 1, -1, 0, 3e38, 1e-30, 9e5]
        _ = BasebandBench.receive((0..<200_000).map { _ in wild[Int.random(in: 0..<9, using: &random)] }, decoder)
        let extremes: [Int16] = [.min, .max]
        _ = BasebandBench.receive((0..<200_000).map { _ in extremes[Int.random(in: 0..<2, using: &random)] }, decoder)
    }

    @Test(arguments: ["hijack", "flojack"]) func modesHaveNames(name: String) throws {
        let mode = try LineMode(named: name)
        let bytes = BasebandBench.random(10, seed: 11)
        let samples = BasebandBench.samples(bytes, try mode.encoder(sampleRate: 48_000))
        #expect(BasebandBench.receive(samples, try mode.decoder(sampleRate: 48_000)).bytes == bytes)
    }

    @Test func thePolarityOfAOneFollowsTheLine() throws {
        for oneFalls in [true, false] {
            var line = SerialManchesterLine.hiJack
            line.oneFalls = oneFalls
            // 32 samples a bit.
            var encoder = try SerialManchesterEncoder(line, sampleRate: 44_100, level: 0)
            var samples: [Float] = []
            encoder.idle(seconds: 31 / 44_100.0, into: &samples)
            #expect(samples.count == 32)
            #expect(samples[1..<16].allSatisfy { ($0 > 0) == oneFalls })
            #expect(samples[17..<32].allSatisfy { ($0 < 0) == oneFalls })
        }
    }
}
