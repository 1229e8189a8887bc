import JackdawDSP
import Testing

@Suite struct NoiseFailureTests {
    /// The shorter the noise, the better the bits that are read into it explain it.
    @Test(arguments: [0, 0.5, 0.8, 0.95], [0.05, 0.1])
    func noiseIsTooWeakOrHoldsNoCells(colour: Float, seconds: Double) throws {
        let silence = [Float](repeating: 0, count: 8_820)
        for seed in UInt64(1)...6 {
            var noise = GaussianNoise(seed: seed)
            var value: Float = 0
            let burst = (0..<Int(44_100 * seconds)).map { _ -> Float in
                value = colour * value + 0.1 * (1 - colour * colour).squareRoot() * Float(noise.next())
                return value
            }
            let events = try SwipeBench.events(silence + burst + silence, sampleRate: 44_100)
            let reasons = SwipeBench.failures(events).map(\.reason)
            #expect(!reasons.isEmpty && reasons.count == events.count)
            #expect(reasons.allSatisfy { $0 == .tooWeak || $0 == .noBitCells }, "seed \(seed): \(reasons.map(\.name))")
        }
    }

    @Test func clearCellsWithoutAMessageAreNotWeak() throws {
        let zeros = [UInt8](repeating: 0, count: 200)
        let stripe = try FluxStripe(bits: zeros.span, bitsPerInch: 75)
        let samples = try SwipeSynthesizer(configuration: .init(sampleRate: 44_100, signalToNoise: 20)).render(stripe)
        let failures = SwipeBench.failures(try SwipeBench.events(samples, sampleRate: 44_100))
        #expect(failures.map(\.reason) == [.noStartSentinel])
    }

    @Test func aMessageOfFewCharactersIsToldByTheZerosBeforeIt() throws {
        // Six good characters, then nothing that is one.
        let text = try TrackMessage(";41111?", code: .numeric)
        let start = text.bits.withElements { bits in (0..<30).map { bits[$0] } }
        let bits = start + [UInt8](repeating: 0, count: 120)
        let stripe = try FluxStripe(bits: bits.span, bitsPerInch: 75)
        let samples = try SwipeSynthesizer(configuration: .init(sampleRate: 44_100, signalToNoise: 20)).render(stripe)
        let failures = SwipeBench.failures(try SwipeBench.events(samples, sampleRate: 44_100))
        #expect(failures.map(\.reason) == [.parity])
        #expect(failures.map(\.firstBadCharacter) == [6])
    }
}
