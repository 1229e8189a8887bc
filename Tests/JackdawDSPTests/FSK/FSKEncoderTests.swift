import Testing

@testable import JackdawDSP

@Suite struct FSKEncoderTests {
    @Test(arguments: [8_000.0, 44_100, 48_000]) func partsSoundLikeTheWhole(sampleRate: Double) throws {
        let bytes: [UInt8] = [0, 0x55, 0xFF, 0x12, 0xA0]
        var whole: [Float] = []
        var encoder = try FSKEncoder(.bell202, sampleRate: sampleRate)
        encoder.encode(bytes.span, into: &whole)
        encoder.reset()
        var parts: [Float] = []
        for index in bytes.indices { encoder.encode(bytes.span.extracting(index..<index + 1), into: &parts) }
        #expect(parts == whole)
        #expect(whole.count == Int((Double(50) * sampleRate / 1_200).rounded(.up)))
    }

    /// From sample to sample the phase turns by no more than the higher tone does.
    @Test func thePhaseNeverJumps() throws {
        var encoder = try FSKEncoder(.bell202, sampleRate: 44_100, level: 0)
        var samples: [Float] = []
        encoder.idle(seconds: 0.01, into: &samples)
        encoder.encode([0x00, 0xA5, 0xFF].span, into: &samples)
        let steepest = Float(2 * Double.pi * 2_200 / 44_100)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { abs($1 - $0) <= steepest * 1.001 })
        #expect(abs((samples.map(abs).max() ?? 0) - 1) < 0.01)
    }

    /// At 48 kHz a bit of 1,200 baud is 40 samples; both tones are whole numbers of periods in 200 and in 240.
    @Test func bitsAreTheTonesThatTheyShouldBe() throws {
        var encoder = try FSKEncoder(.bell202, sampleRate: 48_000, level: 0)
        var samples: [Float] = []
        encoder.encodeBits([0b1000_0000].span, into: &samples)
        #expect(samples.count == 320)
        for index in 0..<320 {
            let turns = index < 40 ? Double(index) / 40 : 1 + Double(index - 40) * 2_200 / 48_000
            #expect(abs(Double(samples[index]) - Numerics.sineAndCosine(turns: turns).sine) < 1e-5)
        }
    }

    @Test(arguments: [-1, Double.nan, .infinity, -.infinity]) func thereIsNoIdleLineForAnImpossibleTime(seconds: Double)
        throws
    {
        var encoder = try FSKEncoder(.bell202, sampleRate: 48_000)
        var samples: [Float] = []
        encoder.idle(seconds: seconds, into: &samples)
        #expect(samples.isEmpty)
    }
}
