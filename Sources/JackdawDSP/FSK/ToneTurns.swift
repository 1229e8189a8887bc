/// How far two tones are from where they should be, told by how their phases turn from one bit to the next of the same tone.
struct ToneTurns: Sendable {
    /// By how much mark and space turn in so many samples, from ``leastSamples`` on: a unit vector each.
    private let turns: [SIMD4<Float>]
    private let leastSamples: Int
    private let samplesPerBit: Double
    /// Sums of how much further they turned, weighed by their power: the real parts of mark and space, the imaginary parts.
    private var sums = (real: SIMD2<Float>.zero, imaginary: SIMD2<Float>.zero)

    /// - Parameters:
    ///   - mark: turns a sample of the mark.
    ///   - space: turns a sample of the space.
    ///   - samplesPerBit: samples between two bits.
    ///   - clocks: clocks that bits may have, as shares of the nominal one.
    init(mark: Double, space: Double, samplesPerBit: Double, clocks: ClosedRange<Double>) {
        leastSamples = Int(samplesPerBit / clocks.upperBound)
        turns = (leastSamples...Int(samplesPerBit / clocks.lowerBound) + 1).map { samples in
            let first = Numerics.sineAndCosine(turns: mark * Double(samples))
            let second = Numerics.sineAndCosine(turns: space * Double(samples))
            return SIMD4(SIMD4<Double>(first.cosine, first.sine, second.cosine, second.sine))
        }
        self.samplesPerBit = samplesPerBit
    }

    mutating func reset() { sums = (.zero, .zero) }

    /// By how much mark and space turn in so many samples; nil where that is not about a bit.
    @inline(__always)
    func expected(samples: Int) -> SIMD4<Float>? {
        let index = samples - leastSamples
        return turns.indices.contains(index) ? turns[index] : nil
    }

    /// Takes the tones of two bits that follow each other.
    /// - Parameters:
    ///   - first: mark and space in the first bit.
    ///   - second: the same in the second one.
    ///   - samples: time between them.
    ///   - weights: 1 for the tone that both have, 0 for the other.
    @inline(__always)
    mutating func add(
        from first: ToneFilters.Measure, to second: ToneFilters.Measure, samples: Int, weights: SIMD2<Float>
    ) {
        guard let turn = expected(samples: samples) else { return }
        let ahead = second.turn(beyond: first, turn)
        sums.real += weights * ahead.real
        sums.imaginary += weights * ahead.imaginary
    }

    /// What is to be added to mark and space, in turns a sample.
    var offsets: (mark: Double, space: Double) {
        func offset(_ tone: Int) -> Double {
            Double(Numerics.angle(SIMD2(sums.real[tone], sums.imaginary[tone]))) / samplesPerBit
        }
        return (offset(0), offset(1))
    }
}

extension ToneFilters.Measure {
    /// How much further mark and space have turned since another window than they should have, as complex numbers.
    @inline(__always)
    func turn(beyond first: ToneFilters.Measure, _ turn: SIMD4<Float>) -> (real: SIMD2<Float>, imaginary: SIMD2<Float>)
    {
        let (real, imaginary) = (first.parts.evenHalf, first.parts.oddHalf)
        let (cosine, sine) = (turn.evenHalf, turn.oddHalf)
        let expected = (real: real * cosine - imaginary * sine, imaginary: imaginary * cosine + real * sine)
        let (here, hereImaginary) = (parts.evenHalf, parts.oddHalf)
        return (
            here * expected.real + hereImaginary * expected.imaginary,
            hereImaginary * expected.real - here * expected.imaginary
        )
    }
}
