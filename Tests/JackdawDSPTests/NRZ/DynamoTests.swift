import JackdawTestSupport
import Testing

@testable import JackdawDSP

struct DynamoTests {
    private static func encoder(
        _ line: DynamoLine = .reader, rate: Double = 44_100, clock: Double = 1, inverted: Bool = false
    ) throws -> DynamoEncoder {
        var line = line
        line.baud *= clock
        return try DynamoEncoder(line, sampleRate: rate, level: -26.0206, isInverted: inverted)
    }

    /// Six samples a line bit: each stands for itself.
    @Test func theEncoderSendsLeadSyncPacketAndSync() throws {
        var encoder = try DynamoEncoder(sampleRate: 44_100, level: 0)
        var samples: [Float] = []
        encoder.encode([0x31 as UInt8].span, into: &samples)
        // Whether this is the last byte is not known yet.
        #expect(samples.isEmpty)
        encoder.finish(into: &samples)
        // UART bytes, the least significant bit first; a nibble's 1 is 10, its 0 is 01.
        let lead = [UInt8](repeating: 0x55, count: 4)
        let sync: [UInt8] = [0xF0, 0xF0]
        let packet: [UInt8] = [
            0b01_10_10_01, 0b01_10_10_01,  // 0x99
            0b10_10_10_10, 0b10_10_10_10,  // number 0
            0b10_10_10_01, 0b10_10_10_10,  // length 1
            0b10_10_10_01, 0b10_10_01_01,  // 0x31
            0b10_01_10_01, 0b10_10_01_01,  // 0x35: 0x99 + 0x01 + 0x31 + 0x35 = 0x100
        ]
        let bits = (lead + sync + packet + sync).flatMap { byte in
            [0] + (0..<8).map { Int(byte >> UInt8($0) & 1) } + [1]
        }
        #expect(samples == bits.flatMap { [Float](repeating: $0 == 1 ? 1 : -1, count: 6) })
    }

    @Test(arguments: [16_000.0, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000], [0.95, 0.97, 1, 1.03, 1.05])
    func readsEveryRateAndClock(rate: Double, clock: Double) throws {
        for (inverted, oneFalls) in [(false, true), (true, true), (false, false)] {
            var line = DynamoLine.reader
            line.oneFalls = oneFalls
            // At 16 kHz a chip of the fastest clock has hardly more than two samples.
            if rate == 16_000 { line.baud = 6_000 }
            let bytes = BasebandBench.random(60, seed: UInt64(rate))
            let samples = BasebandBench.samples(
                bytes, try Self.encoder(line, rate: rate, clock: clock, inverted: inverted))
            let reading = BasebandBench.receive(samples, try DynamoDecoder(line, sampleRate: rate))
            #expect(reading.bytes == bytes, "\(inverted) \(oneFalls)")
            let burst = try #require(reading.bursts.first)
            #expect(abs(burst.baud / (line.baud * clock) - 1) < 0.002)
            #expect(burst.framingErrors == 0)
        }
    }

    @Test func longDataGoAsNumberedPackets() throws {
        let bytes = BasebandBench.random(600, seed: 3)
        let samples = BasebandBench.samples(bytes, try Self.encoder())
        let reading = BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100))
        #expect(reading.bytes == bytes)
        #expect(reading.bursts.map(\.characters) == [255, 255, 90])
        var line = DynamoLine.reader
        line.content = .packets
        let packets = BasebandBench.receive(samples, try DynamoDecoder(line, sampleRate: 44_100))
        #expect(Array(packets.bytes.prefix(3)) == [0x69, 0, 255])
        #expect(Array(packets.bytes.dropFirst(518).prefix(3)) == [0x99, 2, 90])
        #expect(packets.bursts.map(\.characters) == [259, 259, 94])
    }

    /// The sound of a message in pieces, between silences.
    private static func samples(_ bytes: [UInt8], pieces: Int, _ line: DynamoLine) throws -> [Float] {
        var encoder = try Self.encoder(line)
        var samples: [Float] = []
        encoder.idle(seconds: 0.03, into: &samples)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            encoder.encode(bytes.span.extracting(start..<min(bytes.count, start + pieces)), into: &samples)
        }
        encoder.idle(seconds: 0.03, into: &samples)
        return samples
    }

    /// Each piece made its own last packet.
    @Test(arguments: [1, 7, 240, 1_000_000]) func piecesOfAnySizeSoundTheSame(size: Int) throws {
        var line = DynamoLine.reader
        line.content = .packets
        for count in [1, 254, 255, 256, 510, 1_000] {
            let bytes = BasebandBench.random(count, seed: UInt64(count))
            let samples = try Self.samples(bytes, pieces: size, .reader)
            #expect(BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100)).bytes == bytes)
            let packets = BasebandBench.receive(samples, try DynamoDecoder(line, sampleRate: 44_100))
            #expect(packets.bursts.count == (count + 254) / 255)
            var place = 0
            for (number, burst) in packets.bursts.enumerated() {
                let isLast = number == packets.bursts.count - 1
                #expect(packets.bytes[place] == (isLast ? 0x99 : 0x69))
                #expect(packets.bytes[place + 1] == UInt8(number))
                place += burst.characters
            }
            #expect(samples == (try Self.samples(bytes, pieces: count, .reader)))
            // The same packets as they are, in pieces of the same size.
            #expect(try Self.samples(packets.bytes, pieces: size, line) == samples)
        }
    }

    @Test func finishEndsAMessageAndResetForgetsIt() throws {
        var encoder = try Self.encoder()
        var samples: [Float] = []
        encoder.idle(seconds: 0.03, into: &samples)
        for message in ["one", "two"] {
            encoder.encode(Array(message.utf8).span, into: &samples)
            encoder.finish(into: &samples)
        }
        let count = samples.count
        encoder.finish(into: &samples)
        #expect(samples.count == count)
        encoder.encode(Array("three".utf8).span, into: &samples)
        encoder.reset()
        encoder.idle(seconds: 0.05, into: &samples)
        let reading = BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100))
        #expect(reading.bytes == Array("onetwo".utf8))
        #expect(reading.bursts.map(\.characters) == [3, 3])
    }

    @Test func reflectionShowsNothingThatIsKeptBack() throws {
        var encoder = try Self.encoder()
        var samples: [Float] = []
        encoder.encode(Array(";4111111111111111=2912?".utf8).span, into: &samples)
        var shown = ""
        dump(encoder, to: &shown)
        #expect(shown.contains("44100"))
        #expect(!shown.contains("52") && !shown.contains("UInt8]"))
    }

    @Test func wholePacketsGoAsTheyAre() throws {
        var line = DynamoLine.reader
        line.content = .packets
        let packet: [UInt8] = [0xA9, 0x03, 0x02, 0x41, 0x42, 0xCF]
        let samples = BasebandBench.samples(packet, try Self.encoder(line))
        #expect(BasebandBench.receive(samples, try DynamoDecoder(line, sampleRate: 44_100)).bytes == packet)
    }

    @Test func aPacketWithAWrongChecksumIsNoGoodOne() throws {
        var line = DynamoLine.reader
        line.content = .packets
        let whole: [UInt8] = [0xA9, 0x03, 0x02, 0x41, 0x42, 0xCF]
        for (packet, check) in [(whole, LineBurst.Check.intact), (whole.dropLast() + [0xC0], .broken)] {
            let samples = BasebandBench.samples(packet, try Self.encoder(line))
            let reading = BasebandBench.receive(samples, try DynamoDecoder(line, sampleRate: 44_100))
            #expect(reading.bytes == packet)
            let burst = try #require(reading.bursts.first)
            #expect(burst.check == check)
            #expect(burst.repairedBits == 0)
            #expect(check == .intact ? burst.confidence > 0.99 : burst.confidence <= 0.5)
            #expect(reading.characters.allSatisfy { ($0.confidence <= 0.5) == (check == .broken) })
        }
    }

    @Test func aHostSendsEachByteTwice() throws {
        let bytes = BasebandBench.random(20, seed: 4)
        let samples = BasebandBench.samples(bytes, try Self.encoder(.host))
        #expect(BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100)).bytes == bytes + bytes)
    }

    @Test(arguments: [1, 7, 240, 1_000_000]) func blocksOfAnySizeGiveTheSame(block: Int) throws {
        let clean = BasebandBench.samples(BasebandBench.random(30, seed: 5), try Self.encoder())
        let noise = BasebandBench.deviation(ebn0: 10, samplesPerChip: 6)
        let samples = BasebandBench.spoil(clean + clean, sampleRate: 44_100, .init(noise: noise, seed: 6))
        let decoder = try DynamoDecoder(sampleRate: 44_100)
        let expected = BasebandBench.receive(samples, decoder)
        #expect(expected.bytes.count == 60)
        #expect(BasebandBench.receive(samples, decoder, block: block) == expected)
    }

    /// Thirty chips of sync are sometimes found in the noise before a packet.
    @Test func noiseBeforeAPacketDoesNotHideIt() throws {
        var missed = 0
        for index in 0..<400 {
            let bytes = BasebandBench.random(4, seed: UInt64(index))
            let clean = BasebandBench.samples(bytes, try Self.encoder())
            let noise = BasebandBench.deviation(ebn0: 12, samplesPerChip: 6)
            let samples = BasebandBench.spoil(clean, sampleRate: 44_100, .init(noise: noise, seed: UInt64(index)))
            if BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100)).bytes != bytes { missed += 1 }
        }
        #expect(missed == 0)
    }

    @Test func noiseOffsetAndHumCostFewPackets() throws {
        var wrong = 0
        for index in 0..<30 {
            let bytes = BasebandBench.random(40, seed: UInt64(100 + index))
            let clean = BasebandBench.samples(bytes, try Self.encoder(inverted: index % 2 == 0))
            let noise = BasebandBench.deviation(ebn0: 11, samplesPerChip: 6)
            let samples = BasebandBench.spoil(
                clean, sampleRate: 44_100, .init(offset: 10, hum: 2, noise: noise, seed: UInt64(index)))
            if BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100)).bytes != bytes { wrong += 1 }
        }
        #expect(wrong <= 2)
    }

    /// Eight bits of check pass for one wrong frame in 256, tried or not: what is repaired must be worth it.
    @Test func repairedPacketsAreRight() throws {
        var repaired = 0
        var wrong = 0
        for index in 0..<2_000 {
            let bytes = BasebandBench.random(40, seed: UInt64(index))
            let clean = BasebandBench.samples(bytes, try Self.encoder())
            // From one packet in ten that has a wrong bit to nine in ten.
            let noise = BasebandBench.deviation(ebn0: [5, 6, 7, 8, 9][index % 5], samplesPerChip: 6)
            let samples = BasebandBench.spoil(clean, sampleRate: 44_100, .init(noise: noise, seed: UInt64(index)))
            let reading = BasebandBench.receive(samples, try DynamoDecoder(sampleRate: 44_100))
            guard reading.bursts.contains(where: { $0.check == .repaired }) else { continue }
            #expect(reading.bursts.contains { $0.repairedBits > 0 })
            repaired += 1
            if reading.bytes != bytes { wrong += 1 }
        }
        #expect(repaired >= 100)
        #expect(100 * wrong <= repaired, "\(wrong) of \(repaired)")
    }

    @Test func noiseSilenceAndOtherLinesGiveNothing() throws {
        var noise = GaussianNoise(seed: 8)
        let data = BasebandBench.random(500, seed: 9)
        let sounds: [[Float]] = [
            (0..<900_000).map { _ in 0.2 * Float(noise.next()) },
            [Float](repeating: 0, count: 441_000),
            (0..<441_000).map { Float(Numerics.sineAndCosine(turns: 50 * Double($0) / 44_100).sine) },
            (0..<441_000).map { Int(2 * 735 * Double($0) / 44_100) % 2 == 0 ? 0.5 : -0.5 },
            BasebandBench.samples(data, try FSKEncoder(.bell202, sampleRate: 44_100)),
            BasebandBench.samples(data, try NibbleLineEncoder(sampleRate: 44_100)),
        ]
        for (index, sound) in sounds.enumerated() {
            let reading = BasebandBench.receive(sound, try DynamoDecoder(sampleRate: 44_100))
            #expect(reading.bursts.isEmpty, "sound \(index)")
        }
    }

    @Test func hostileSoundDoesNotTrap() throws {
        var random = SeededRandom(seed: 10)
        let decoder = try DynamoDecoder(sampleRate: 44_100)
        #expect(BasebandBench.receive([Float](), decoder) == .init())
        let wild: [Float] = [.nan, .infinity, -.infinity, 1, -1, 0, 3e38, 1e-30, 9e5]
        _ = BasebandBench.receive((0..<200_000).map { _ in wild[Int.random(in: 0..<9, using: &random)] }, decoder)
        let extremes: [Int16] = [.min, .max]
        _ = BasebandBench.receive((0..<200_000).map { _ in extremes[Int.random(in: 0..<2, using: &random)] }, decoder)
    }

    @Test func ratesAndParametersThatDoNotFitAreRefused() {
        #expect(throws: LineCodeError.self) { try DynamoDecoder(sampleRate: 15_000) }
        #expect(throws: LineCodeError.self) {
            try DynamoDecoder(DynamoLine(identifiers: [0x68]), sampleRate: 44_100)
        }
    }

    @Test func theModeHasAName() throws {
        let mode = try LineMode(named: "udynamo")
        let bytes = BasebandBench.random(20, seed: 11)
        let samples = BasebandBench.samples(bytes, try mode.encoder(sampleRate: 48_000))
        #expect(BasebandBench.receive(samples, try mode.decoder(sampleRate: 48_000)).bytes == bytes)
    }
}
