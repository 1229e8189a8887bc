import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The transform is what its definition says, whatever was transformed before.
@Suite struct FourierTransformTests {
    @Test func sumsAreThoseOfTheDefinition() {
        var transform = FourierTransform()
        var noise = GaussianNoise(seed: 31)
        for size in [1, 2, 64, 8, 512, 4] {
            let values = (0..<size).map { _ in SIMD2(Float(noise.next()), Float(noise.next())) }
            var transformed = values
            transform.transform(&transformed)
            for frequency in 0..<size {
                var sum = SIMD2<Double>.zero
                for (index, value) in values.enumerated() {
                    let turns = -Double(frequency * index) / Double(size)
                    let (sine, cosine) = Numerics.sineAndCosine(turns: turns)
                    let (real, imaginary) = (Double(value.x), Double(value.y))
                    sum += SIMD2(real * cosine - imaginary * sine, real * sine + imaginary * cosine)
                }
                let error = SIMD2<Double>(transformed[frequency]) - sum
                #expect((error * error).sum().squareRoot() < 1e-5 * Double(size))
            }
        }
    }
}
