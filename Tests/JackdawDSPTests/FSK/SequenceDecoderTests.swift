import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The sequence decoder, stretch by stretch.
@Suite struct SequenceDecoderTests {
    private static let shift = FrequencyShift.bell202
    private static let sampleRate = 48_000.0

    /// A decoder after some stretches of 160 bits, and what it reported in each about the noise.
    private static func read(_ stretches: Int, bitEnergyToNoise: Double) throws -> (SequenceDecoder, [Bool]) {
        let samplesPerBit = sampleRate / shift.baud
        var sound = try FSKBench.samples(
            (0..<UInt8(16 * (stretches + 1))).map { 37 &* $0 }, shift, sampleRate: sampleRate)
        FSKBench.addNoise(
            &sound, bitEnergyToNoise: bitEnergyToNoise, shift, sampleRate: sampleRate, seed: 3)
        var decoder = SequenceDecoder(shift, framing: .eightNoneOne, sampleRate: sampleRate)
        var readings: [SequenceDecoder.Reading] = []
        var certain: [Bool] = []
        var start = 50 * samplesPerBit
        for stretch in 1...stretches {
            let (origin, limit) = (start.rounded(.down), (50 + 160 * Double(stretch)) * samplesPerBit)
            let part = Int(origin)..<Int(limit + 60 * samplesPerBit)
            start =
                origin
                + decoder.read(
                    sound.span.extracting(part), from: start - origin, before: limit - origin, readings: &readings)
            certain.append(decoder.isCertain)
        }
        return (decoder, certain)
    }

    /// The sender must be known before, and all characters far above the noise.
    @Test(arguments: [(20.0, true), (12, true), (6, false)])
    func charactersFarAboveTheNoiseAreCertain(bitEnergyToNoise: Double, isCertain: Bool) throws {
        let (_, certain) = try Self.read(4, bitEnergyToNoise: bitEnergyToNoise)
        #expect(certain == [false, isCertain, isCertain, isCertain])
    }

    @Test func theFastTierAndTheEndOfABurstLeaveNothingCertain() throws {
        var (decoder, _) = try Self.read(2, bitEnergyToNoise: 20)
        var other = decoder
        #expect(decoder.isCertain)
        decoder.forgetCarrier()
        #expect(!decoder.isCertain)
        other.unlock()
        #expect(!other.isCertain)
    }
}
