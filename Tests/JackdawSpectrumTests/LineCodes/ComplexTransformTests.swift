import Foundation
import Testing

@testable import JackdawSpectrum

@Suite struct ComplexTransformTests {
    /// The definition, summed up term by term; there and back makes the numbers times their count.
    @Test(arguments: [1, 2, 8, 30, 256]) func agreesWithTheDefinition(count: Int) throws {
        let numbers = (0..<count).map { (index: Int) -> SIMD2<Float> in
            SIMD2(x: Float(index * 7 % 11 - 5), y: Float(index * 3 % 5 - 2))
        }
        let shelf = TransformShelf()
        let spectrum = try shelf.transform(count, .forward).transform(first: count) { values in
            for index in numbers.indices { values[index] = numbers[index] }
        }
        for (bin, value) in spectrum.enumerated() {
            var sum = SIMD2<Double>.zero
            for (index, number) in numbers.enumerated() {
                let angle = -2 * Double.pi * Double(bin * index % count) / Double(count)
                let (real, imaginary) = (Double(number.x), Double(number.y))
                sum.x += real * cos(angle) - imaginary * sin(angle)
                sum.y += imaginary * cos(angle) + real * sin(angle)
            }
            #expect(isNear(Double(value.x), sum.x, 1e-3) && isNear(Double(value.y), sum.y, 1e-3), "bin \(bin)")
        }
        let back = try shelf.transform(count, .backward).transform(first: count) { values in
            for index in spectrum.indices { values[index] = spectrum[index] }
        }
        for (value, number) in zip(back, numbers) {
            let (real, imaginary) = (Double(value.x) / Double(count), Double(value.y) / Double(count))
            #expect(isNear(real, Double(number.x), 1e-4) && isNear(imaginary, Double(number.y), 1e-4))
        }
    }

    /// An error for the caller, not the end of the process.
    @Test(arguments: [-1, 0, 1 << 26 + 1, Int.max]) func impossibleLengthsAreErrors(count: Int) {
        for direction in [ComplexTransform.Direction.forward, .backward] {
            let error = #expect(throws: SpectrumError.self) { try TransformShelf().transform(count, direction) }
            #expect(error?.code == .unsupportedLength)
            #expect(error?.description.contains("\(count)") == true)
        }
    }
}
