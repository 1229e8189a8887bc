import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct SwipeSynthesizerTests {
    private typealias Configuration = SwipeSynthesizer.Configuration

    /// The usual stripe: ten zeros, the bits, ten zeros.
    private let stripe: FluxStripe

    init() throws {
        stripe = try FluxStripe(bits: [1, 0, 1, 1, 0].span, bitsPerInch: 75, leadingZeros: 10, trailingZeros: 10)
    }

    private func render(_ configuration: Configuration, _ stripe: FluxStripe? = nil) throws -> [Float] {
        try SwipeSynthesizer(configuration: configuration).render(stripe ?? self.stripe)
    }

    /// Peaks lie where the card's speed puts the transitions: 0.1 s of silence, then position over speed.
    @Test(arguments: [8_000.0, 22_050, 44_100, 96_000, 192_000], [3.0, 15, 50])
    func pulsesComeWhenTheirTransitionsPass(sampleRate: Double, speed: Double) throws {
        // 0.08 in apart: pulses do not overlap at any rate and speed of this test, so their peaks are not shifted.
        let places = (1...30).map { Double($0) * 2_032 }
        let samples = try render(
            Configuration(sampleRate: sampleRate, speed: speed, pulseWidth: 60), FluxStripe(transitions: places))
        for (index, place) in places.enumerated() {
            let expected = (0.1 + place / (speed * 25_400)) * sampleRate
            let found = try #require(peak(near: expected, in: samples))
            #expect(abs(found - expected) < 0.1, "transition \(index)")
            #expect((samples[Int(expected.rounded())] > 0) == index.isMultiple(of: 2))
        }
    }

    @Test func pulsesHaveTheirWidth() throws {
        let sampleRate = 192_000.0
        let speed = 2.0
        let samples = try render(
            Configuration(sampleRate: sampleRate, speed: speed, pulseWidth: 100, peakLevel: 0),
            FluxStripe(transitions: [20_000]))
        let aboveHalf = samples.count { $0 > 0.5 }
        #expect(abs(Double(aboveHalf) - 100 / (speed * 25_400) * sampleRate) <= 1)
    }

    @Test func accelerationShortensIntervalsAndRaisesPeaks() throws {
        let places = [10_000, 12_000, 75_600.0 - 2_000, 75_600]
        let samples = try render(
            Configuration(sampleRate: 96_000, speed: 8, motion: .exponential(ratio: 6)),
            FluxStripe(transitions: places))
        let level = samples.map { abs($0) }
        let peaks = level.indices.dropFirst().dropLast().filter {
            level[$0] > 0.05 && level[$0] > level[$0 - 1] && level[$0] >= level[$0 + 1]
        }
        try #require(peaks.count == 4)
        // 6 to the power of a distance as a share of the card's length: 63.6 / 85.6 from pair to pair, and 61.6 / 85.6.
        #expect(abs(Double(peaks[1] - peaks[0]) / Double(peaks[3] - peaks[2]) / 3.786 - 1) < 0.01)
        #expect(abs(Double(level[peaks[2]] / level[peaks[1]]) / 3.631 - 1) < 0.01)
    }

    @Test func directionAndPolarityMirrorTheSound() throws {
        let configuration = Configuration(sampleRate: 44_100)
        let forward = try render(configuration)

        var inverted = configuration
        inverted.isInverted = true
        #expect(try render(inverted) == forward.map { -$0 })

        var reversed = configuration
        reversed.direction = .reverse
        let places = array(stripe.transitions).map { stripe.length - $0 }
        #expect(try render(reversed) == (try render(configuration, FluxStripe(transitions: places))))
    }

    @Test func theSameSeedGivesTheSameSound() throws {
        var configuration = Configuration(sampleRate: 44_100, signalToNoise: 10, humLevel: 0, seed: 5)
        let first = try render(configuration)
        #expect(try render(configuration) == first)
        configuration.seed = 6
        #expect(try render(configuration) != first)
    }

    @Test(arguments: [-3.0, 10, 30], [8_000.0, 44_100])
    func noiseHasTheLevelAskedFor(ratio: Double, sampleRate: Double) throws {
        let message = try TrackMessage(TrackMessageTests.trackTwo, code: .numeric)
        let stripe = FluxStripe(message, track: .two)
        let quiet = Configuration(sampleRate: sampleRate, speed: 3, peakLevel: -40, seed: 3)
        var noisy = quiet
        noisy.signalToNoise = ratio
        let clean = try render(quiet, stripe)
        let noise = zip(try render(noisy, stripe), clean).map { $0 - $1 }
        let places = array(stripe.transitions)
        let first = (0.1 + places[0] / (3 * 25_400)) * sampleRate
        let last = (0.1 + places[places.count - 1] / (3 * 25_400)) * sampleRate
        let measured = power(clean[Int(first)...Int(last)]) / power(noise[...])
        let expected = Numerics.exponential(ratio / 10 * 2.302_585_093)
        #expect(abs(measured / expected - 1) < 0.047, "0.2 dB")
    }

    @Test func humHasTheLevelAndFrequencyAskedFor() throws {
        let message = try TrackMessage(TrackMessageTests.trackTwo, code: .numeric)
        let stripe = FluxStripe(message, track: .two)
        // Without silence nearly all of the sound lies between first and last transition.
        let quiet = Configuration(sampleRate: 48_000, speed: 3, peakLevel: -20, humFrequency: 60, silence: 0)
        var humming = quiet
        humming.humLevel = 6
        let clean = try render(quiet, stripe)
        let hum = zip(try render(humming, stripe), clean).map { $0 - $1 }
        #expect(abs(power(hum[0..<48_000]) / power(clean[...]) / 3.981 - 1) < 0.02)
        #expect(zip(hum, hum.dropFirst(800)).allSatisfy { abs($0 - $1) < 1e-4 }, "800 samples are 1/60 s")
    }

    @Test func levelOffsetAndClipping() throws {
        let peak = { (samples: [Float]) in samples.map(abs).max() ?? 0 }
        #expect(abs(peak(try render(Configuration(sampleRate: 44_100, peakLevel: -20))) - 0.1) < 1e-4)

        let shifted = try render(Configuration(sampleRate: 44_100, offset: 0.25))
        #expect(abs(shifted[0] - 0.25) < 1e-4)

        let clean = try render(Configuration(sampleRate: 44_100, peakLevel: 0))
        let clipped = try render(Configuration(sampleRate: 44_100, clipping: 4))
        for (soft, hard) in zip(clean, clipped) { #expect(abs(min(max(4 * soft, -1), 1) - hard) < 1e-4) }
    }

    /// What lies above half the output rate must be gone, or it would come back as noise below.
    @Test func renderingDoesNotAlias() throws {
        // At 50 in/s a 40 um pulse takes 31 us: most of its energy lies above 4 kHz.
        let slow = Configuration(sampleRate: 8_000, speed: 50, peakLevel: 0)
        var fast = slow
        fast.sampleRate = 64_000
        let stripe = try FluxStripe(transitions: [40_000])
        let coarse = try render(slow, stripe)
        // The same sound, low-passed and thinned here, from eight times the rate.
        let fine = Decimator(factor: 8).decimate(try render(fast, stripe))
        let gain = (coarse.max() ?? 0) / (fine.max() ?? 1)
        for (left, right) in zip(coarse, fine) { #expect(abs(left - gain * right) < 1e-3) }
    }

    @Test func anEmptyStripeIsSilence() throws {
        #expect(try render(Configuration(sampleRate: 8_000), FluxStripe(transitions: [])).allSatisfy { $0 == 0 })
    }

    @Test(arguments: [0, 7_999, 192_001, Double.nan, .infinity])
    func refusesImpossibleRates(sampleRate: Double) {
        #expect(throws: SwipeSynthesizerError.self) {
            try SwipeSynthesizer(configuration: .init(sampleRate: sampleRate))
        }
    }

    private func power(_ samples: ArraySlice<Float>) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
    }

    /// The highest magnitude within three samples, between samples by a parabola.
    private func peak(near expected: Double, in samples: [Float]) -> Double? {
        let centre = Int(expected.rounded())
        guard samples.indices.contains(centre - 4), samples.indices.contains(centre + 4) else { return nil }
        let index = (centre - 3...centre + 3).max { abs(samples[$0]) < abs(samples[$1]) } ?? centre
        let (left, middle, right) = (samples[index - 1], samples[index], samples[index + 1])
        return Double(index) + Double((left - right) / (left - 2 * middle + right)) / 2
    }
}

@Suite struct GaussianNoiseTests {
    @Test func momentsOfANormalDistribution() {
        var noise = GaussianNoise(seed: 1)
        let values = (0..<200_000).map { _ in noise.next() }
        let count = Double(values.count)
        #expect(abs(values.reduce(0, +) / count) < 0.01)
        #expect(abs(values.reduce(0) { $0 + $1 * $1 } / count - 1) < 0.015)
        #expect(abs(values.reduce(0) { $0 + $1 * $1 * $1 * $1 } / count - 3) < 0.1)
        #expect(abs(Double(values.count { abs($0) < 1 }) / count - 0.6827) < 0.005)
    }

    @Test func neighbouringSeedsAreUnrelated() {
        var left = GaussianNoise(seed: 0)
        var right = GaussianNoise(seed: 1)
        let correlation = (0..<50_000).reduce(0.0) { sum, _ in sum + left.next() * right.next() } / 50_000
        #expect(abs(correlation) < 0.02)
    }
}
