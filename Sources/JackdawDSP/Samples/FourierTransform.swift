/// The discrete Fourier transform of complex samples whose number is a power of two.
struct FourierTransform: Sendable {
    /// `exp(-2 pi i k / count)` for the count of the largest transform so far, and k from 0 to below half of it.
    private var turns: [SIMD2<Float>] = []

    /// Transforms in place: the result is the sum of the values times `exp(-2 pi i k n / count)`, without a factor.
    /// - Parameter values: complex numbers; their count must be a power of two.
    mutating func transform(_ values: inout [SIMD2<Float>]) {
        let count = values.count
        precondition(count & (count - 1) == 0, "the number of values must be a power of two")
        guard count > 1 else { return }
        prepare(count)
        Self.reverseBits(&values)
        var span = values.mutableSpan
        var half = 1
        while half < count {
            let stride = turns.count / half
            for start in Swift.stride(from: 0, to: count, by: 2 * half) {
                for index in 0..<half {
                    let turn = turns[index * stride]
                    let (first, second) = (span[start + index], span[start + index + half])
                    let turned = SIMD2(
                        second.x * turn.x - second.y * turn.y, second.x * turn.y + second.y * turn.x)
                    span[start + index] = first + turned
                    span[start + index + half] = first - turned
                }
            }
            half *= 2
        }
    }

    private mutating func prepare(_ count: Int) {
        guard turns.count < count / 2 else { return }
        turns = (0..<count / 2).map { index in
            let (sine, cosine) = Numerics.sineAndCosine(turns: -Double(index) / Double(count))
            return SIMD2(Float(cosine), Float(sine))
        }
    }

    private static func reverseBits(_ values: inout [SIMD2<Float>]) {
        var reversed = 0
        for index in values.indices.dropLast() {
            if index < reversed { values.swapAt(index, reversed) }
            var bit = values.count / 2
            while reversed & bit != 0 {
                reversed ^= bit
                bit /= 2
            }
            reversed |= bit
        }
    }
}

/// A crude zero-phase band-pass: a short running mean less a long one.
enum BandFilter {
    /// - Parameters:
    ///   - input: samples.
    ///   - smooth: reach of the short mean to either side, in samples; 0 uses the samples themselves.
    ///   - remove: reach of the long mean, in samples; 0 subtracts nothing.
    ///   - output: the result: one sample for each one of `input`, aligned with it.
    static func apply(_ input: Span<Float>, smooth: Int, remove: Int, into output: inout [Float]) {
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(input.count)
        var short = RunningSum(input, reach: smooth)
        var long = RunningSum(input, reach: remove)
        let shortScale = 1 / Float(2 * smooth + 1)
        let longScale = 1 / Float(2 * remove + 1)
        for index in input.indices {
            let fast = smooth > 0 ? Float(short.advance(input, to: index)) * shortScale : input[index]
            output.append(remove > 0 ? fast - Float(long.advance(input, to: index)) * longScale : fast)
        }
    }
}
