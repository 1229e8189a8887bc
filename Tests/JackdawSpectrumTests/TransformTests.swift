import Foundation
import JackdawSpectrum
import JackdawTestSupport
import Testing

@Suite("Transform")
struct TransformTests {
    /// The definition, summed up term by term.
    @Test(arguments: [2, 4, 6, 10, 64, 100, 256])
    func agreesWithTheDefinition(count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        let samples = (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
        var transform = try RealTransform(count: count)
        var spectrum = [SIMD2<Float>](repeating: .zero, count: transform.binCount)
        for _ in 0..<2 {
            var target = spectrum.mutableSpan
            transform.transform(samples.span, into: &target)
        }
        #expect(spectrum.count == count / 2 + 1)
        for (bin, value) in spectrum.enumerated() {
            var (real, imaginary) = (0.0, 0.0)
            for (index, sample) in samples.enumerated() {
                let angle = -2 * Double.pi * Double(bin * index) / Double(count)
                real += Double(sample) * cos(angle)
                imaginary += Double(sample) * sin(angle)
            }
            #expect(isNear(Double(value.x), real, 1e-4) && isNear(Double(value.y), imaginary, 1e-4), "bin \(bin)")
        }
    }

    @Test func powerIsTheSquaredMagnitudeOfWeightedSamples() throws {
        let samples: [Float] = [1, 2, -3, 4, 0.5]
        let weights: [Float] = [0.5, 1, 2, 0, 1]
        var transform = try RealTransform(count: 8)
        var power = [Float](repeating: 0, count: 5)
        var spectrum = [SIMD2<Float>](repeating: .zero, count: 5)
        var powerTarget = power.mutableSpan
        transform.power(of: samples.span, weightedBy: weights.span, into: &powerTarget)
        var target = spectrum.mutableSpan
        transform.transform([0.5, 2, -6, 0, 0.5, 0, 0, 0].span, into: &target)
        for bin in 0..<5 {
            #expect(isNear(Double(power[bin]), Double((spectrum[bin] * spectrum[bin]).sum()), 1e-4))
        }
    }

    @Test(arguments: [.min, -2, 0, 1, 3, 4_194_306, .max])
    func refusesOtherLengths(count: Int) {
        let error = #expect(throws: SpectrumError.self) { _ = try RealTransform(count: count) }
        #expect(error?.code == .unsupportedLength)
    }

    /// Plans are made and given back in many threads at once.
    @Test func plansInParallel() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<16 {
                group.addTask {
                    try (0..<20).allSatisfy { round in
                        var transform = try RealTransform(count: 32 << ((task + round) % 4))
                        var power = [Float](repeating: 0, count: transform.binCount)
                        var target = power.mutableSpan
                        let ones = [Float](repeating: 1, count: transform.count)
                        transform.power(of: ones.span, weightedBy: ones.span, into: &target)
                        return power[0] == Float(transform.count * transform.count)
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    /// Values from the definitions: ends and middles of the windows.
    @Test func windows() {
        #expect(WindowFunction.rectangular.weights(count: 4) == [1, 1, 1, 1])
        let hann = WindowFunction.hann.weights(count: 8)
        #expect(hann[0] == 0 && hann[4] == 1 && isNear(Double(hann[2]), 0.5, 1e-6))
        let harris = WindowFunction.blackmanHarris.weights(count: 16)
        #expect(isNear(Double(harris[0]), 0.00006, 1e-6) && isNear(Double(harris[8]), 1, 1e-6))
        for window in [WindowFunction.hann, .blackmanHarris] {
            let weights = window.weights(count: 64)
            #expect((1..<64).allSatisfy { isNear(Double(weights[$0]), Double(weights[64 - $0]), 1e-6) })
        }
    }

    @Test func decibels() {
        #expect(isNear(Decibels.level(ofAmplitude: 1), 0, 1e-9))
        #expect(isNear(Decibels.level(ofAmplitude: 0.1), -20, 1e-9))
        #expect(isNear(Decibels.level(ofPower: 0.5), 0, 1e-9))
        #expect(isNear(Decibels.ratio(2), 3.0103, 1e-4))
        for value in [0, -1, .nan, 1e-300] {
            #expect(Decibels.level(ofPower: value) == Decibels.silence)
        }
        #expect(Decibels.level(ofAmplitude: 0) == Decibels.silence)
    }
}
