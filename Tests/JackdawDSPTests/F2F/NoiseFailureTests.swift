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

    @Test func aScrapOfASwipeIsTooShort() throws {
        let message = try TrackMessage(";4111111111111111=2912101?", code: .numeric)
        let start = message.bits.withElements { bits in (0..<30).map { bits[$0] } }
        let stripe = try FluxStripe(bits: start.span, bitsPerInch: 75, leadingZeros: 0, trailingZeros: 0)
        for seed in UInt64(1)...4 {
            let samples = try SwipeSynthesizer(
                configuration: .init(sampleRate: 44_100, signalToNoise: 30, seed: seed)
            ).render(stripe)
            for usesStrongTier in [true, false] {
                var decoder = try SwipeDecoder(
                    configuration: .init(sampleRate: 44_100, usesStrongTier: usesStrongTier))
                let failures = SwipeBench.failures(decoder.receive(samples.span) + decoder.finish())
                #expect(failures.map(\.reason) == [.tooShort], "seed \(seed)")
            }
        }
    }

    @Test func aRecordingShorterThanAnySwipeIsTooShort() throws {
        var noise = GaussianNoise(seed: 1)
        let samples = (0..<1_500).map { _ in 0.1 * Float(noise.next()) }
        let failures = SwipeBench.failures(try SwipeBench.events(samples, sampleRate: 44_100))
        #expect(failures.map(\.reason) == [.tooShort])
    }

    @Test func bitCellsWithoutTheStrongTierAreUnproven() throws {
        let samples = try SwipeBench.samples(.two, configuration: .init(sampleRate: 44_100, signalToNoise: 30))
        let cut = Array(samples[..<(samples.count / 2)]) + [Float](repeating: 0, count: 20_000)
        var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100, usesStrongTier: false))
        let failures = SwipeBench.failures(decoder.receive(cut.span) + decoder.finish())
        #expect(failures.map(\.reason) == [.unproven])
    }

    /// The strong tier is spent on so many messages in one segment of sound, and no more.
    @Test func bitCellsAfterManyMessagesAreUnproven() throws {
        let swipe = try SwipeBench.samples(
            .two, configuration: .init(sampleRate: 44_100, speed: 50, signalToNoise: 40, silence: 0.004))
        let cut = try SwipeBench.samples(
            .two, configuration: .init(sampleRate: 44_100, speed: 25, signalToNoise: 40, silence: 0.004))
        let samples = (0..<16).flatMap { _ in swipe } + cut.prefix(cut.count / 2)
        let events = try SwipeBench.events(samples, sampleRate: 44_100)
        #expect(SwipeBench.texts(events).count == 16)
        #expect(SwipeBench.failures(events).map(\.reason) == [.unproven])
    }

    @Test func aShortMessageIsRecognisedByTheZerosBeforeIt() throws {
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
