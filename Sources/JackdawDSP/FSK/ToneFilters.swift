import JackdawBytes

/// Measures two tones in a window of sound at the same time. Each filter passes a sine or a cosine of one tone and
/// rejects the other tone, so its output is an amplitude at any distance of the tones.
struct ToneFilters: Sendable {
    /// The amplitudes of the tones in a window.
    struct Measure {
        /// Amplitudes of mark and space as complex numbers, 1 for a sine of full scale, with the phases at the start of
        /// the window.
        var parts: SIMD4<Float>

        /// Squared amplitudes of mark and space.
        @inline(__always)
        var powers: SIMD2<Float> {
            let squares = parts * parts
            return squares.evenHalf + squares.oddHalf
        }
    }

    /// Samples per window.
    let length: Int
    /// Variance of a tone's power for white noise of variance 1, summed over real and imaginary part.
    let noise: Float
    /// Four filters in turn, eight samples each: mark real and imaginary, space real and imaginary. Zero beyond the
    /// window.
    private let weights: [SIMD8<Float>]
    /// The weights for windows that are measured four at a time: each weight four times, sample by sample.
    private let columns: [SIMD4<Float>]
    /// The output of the filters for a constant of 1.
    private let offsets: SIMD4<Float>

    /// Samples of the shortest window: as many as there are unknowns.
    static let leastLength = 4
    private static let lanes = 8
    /// Windows that are measured together, and samples of the longest one for which that is faster.
    static let together = 4
    static let shortLength = 16
    /// The largest loss of signal to noise from rejecting the other tone; beyond it, a pair of tones cannot be
    /// distinguished.
    private static let maxLoss = 3.0

    /// Creates filters for a window; nil if it is too short to distinguish the tones.
    /// - Parameters:
    ///   - mark: turns per sample of the mark.
    ///   - space: turns per sample of the space.
    ///   - length: samples per window.
    init?(mark: Double, space: Double, length: Int) {
        guard length >= Self.leastLength else { return nil }
        let tones: [[Double]] = (0..<length).map { index in
            let first = Numerics.sineAndCosine(turns: mark * Double(index))
            let second = Numerics.sineAndCosine(turns: space * Double(index))
            // For the complex amplitude a of a real tone, a e^(iwt), the real part goes with the cosine and the
            // imaginary part with -sine.
            return [first.cosine, -first.sine, second.cosine, -second.sine]
        }
        // Rows of the inverse Gram matrix turn the tones into their duals.
        var inverse: [[Double]] = []
        for row in 0..<4 {
            var system = SymmetricSystem(unknowns: 4)
            for tone in tones { system.accumulate(tone, target: 0) }
            system.accumulate((0..<4).map { $0 == row ? 1 : 0 }, moment: 1)
            inverse.append(system.solve(ridge: 1e-9))
        }
        let losses = (0..<4).map { inverse[$0][$0] * Double(length) / 2 }
        guard losses.allSatisfy({ $0 > 0 && $0 < Self.maxLoss }) else { return nil }
        self.length = length
        noise = Float((0..<4).map { inverse[$0][$0] }.reduce(0, +) / 2)

        let blocks = (length + Self.lanes - 1) / Self.lanes
        var weights = [SIMD8<Float>](repeating: .zero, count: 4 * blocks)
        var offsets = SIMD4<Double>.zero
        for index in 0..<length {
            for filter in 0..<4 {
                let weight = (0..<4).map { inverse[filter][$0] * tones[index][$0] }.reduce(0, +)
                weights[index / Self.lanes * 4 + filter][index % Self.lanes] = Float(weight)
                offsets[filter] += weight
            }
        }
        self.weights = weights
        columns = (0..<length).flatMap { index in
            (0..<4).map { SIMD4(repeating: weights[index / Self.lanes * 4 + $0][index % Self.lanes]) }
        }
        self.offsets = SIMD4(offsets)
    }

    /// Samples that must exist from the start of a window on.
    var reach: Int { weights.count / 4 * Self.lanes }

    /// Measures a window: ``reach`` samples from its start on, of a sound with an offset of `mean`.
    @inline(__always)
    func measure(_ sound: UnsafePointer<Float>, mean: Float) -> Measure {
        var sums = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        let bytes = unsafe UnsafeRawPointer(sound)
        unsafe weights.withUnsafeBufferPointer { weights in
            for block in 0..<weights.count / 4 {
                let samples = unsafe bytes.loadUnaligned(fromByteOffset: 32 * block, as: SIMD8<Float>.self)
                sums.0 += unsafe samples * weights[4 * block]
                sums.1 += unsafe samples * weights[4 * block + 1]
                sums.2 += unsafe samples * weights[4 * block + 2]
                sums.3 += unsafe samples * weights[4 * block + 3]
            }
        }
        let (first, second) = (sums.0.lowHalf + sums.0.highHalf, sums.1.lowHalf + sums.1.highHalf)
        let (third, fourth) = (sums.2.lowHalf + sums.2.highHalf, sums.3.lowHalf + sums.3.highHalf)
        let mark = SIMD4(lowHalf: first.lowHalf + first.highHalf, highHalf: second.lowHalf + second.highHalf)
        let space = SIMD4(lowHalf: third.lowHalf + third.highHalf, highHalf: fourth.lowHalf + fourth.highHalf)
        let parts =
            SIMD4(lowHalf: mark.evenHalf, highHalf: space.evenHalf)
            + SIMD4(lowHalf: mark.oddHalf, highHalf: space.oddHalf)
        return Measure(parts: parts - mean * offsets)
    }

    /// Squared amplitudes of mark and space in four windows.
    /// - Parameters:
    ///   - sound: the sound, with an offset of `mean`.
    ///   - places: the indices at which the windows begin; ``reach`` samples must follow each.
    ///   - mean: offset of the sound.
    /// - Returns: the squared amplitudes of the mark, and those of the space.
    @inline(__always)
    func powers(
        _ sound: UnsafePointer<Float>, at places: SIMD4<Int>, mean: Float
    ) -> (mark: SIMD4<Float>, space: SIMD4<Float>) {
        let offsets = mean * offsets
        var markReal = SIMD4(repeating: -offsets.x)
        var markImaginary = SIMD4(repeating: -offsets.y)
        var spaceReal = SIMD4(repeating: -offsets.z)
        var spaceImaginary = SIMD4(repeating: -offsets.w)
        let (first, second) = unsafe (sound + places.x, sound + places.y)
        let (third, fourth) = unsafe (sound + places.z, sound + places.w)
        unsafe columns.withUnsafeBufferPointer { columns in
            for index in 0..<length {
                let samples = unsafe SIMD4(first[index], second[index], third[index], fourth[index])
                unsafe markReal += samples * columns[4 &* index]
                unsafe markImaginary += samples * columns[4 &* index &+ 1]
                unsafe spaceReal += samples * columns[4 &* index &+ 2]
                unsafe spaceImaginary += samples * columns[4 &* index &+ 3]
            }
        }
        return (
            markReal * markReal + markImaginary * markImaginary,
            spaceReal * spaceReal + spaceImaginary * spaceImaginary
        )
    }
}

/// A Butterworth filter of second order. A high-pass starts settled on the first sample, at any offset; a low-pass
/// starts settled on silence, because a single sample may be noise.
///
/// In `Double`: at a corner of a few Hz and 192 kHz, one of its poles is so near 1 that `Float` rounds it to 1.
struct ButterworthFilter: Sendable {
    enum Kind {
        case lowPass, highPass
    }

    private let kind: Kind
    /// The weight of the inputs, the factor of the middle one, and the weights of the last two outputs.
    private let gain: Double
    private let middle: Double
    private let feedback: SIMD2<Double>
    private var inputs: SIMD2<Double>?
    private var outputs = SIMD2<Double>.zero

    /// - Parameters:
    ///   - kind: which side of the corner passes.
    ///   - turns: corner frequency in turns per sample, less than 1/2.
    init(_ kind: Kind, turns: Double) { self.init(kind, turns: turns, damping: 1.414_213_562_373_095) }

    fileprivate init(_ kind: Kind, turns: Double, damping: Double) {
        // Bilinear transform of 1 / (s^2 + damping s + 1), or of s^2 times that, with the corner prewarped.
        let (sine, cosine) = Numerics.sineAndCosine(turns: turns / 2)
        let warped = sine / cosine
        let scale = 1 / (1 + damping * warped + warped * warped)
        self.kind = kind
        gain = kind == .highPass ? scale : warped * warped * scale
        middle = kind == .highPass ? -2 : 2
        feedback = SIMD2(2 * (warped * warped - 1) * scale, (1 - damping * warped + warped * warped) * scale)
    }

    /// The inputs assumed before the first sample.
    private func first(_ input: Double) -> SIMD2<Double> { kind == .highPass ? SIMD2(input, input) : .zero }

    @inline(__always)
    mutating func filter(_ sample: Float) -> Float {
        let input = Double(sample)
        let past = inputs ?? first(input)
        let output =
            gain * (input + middle * past.x + past.y) - feedback.x * outputs.x - feedback.y * outputs.y
        inputs = SIMD2(input, past.x)
        outputs = SIMD2(output, outputs.x)
        return Float(output)
    }

    /// Filters a range of samples and appends the output.
    mutating func filter(_ samples: Span<Float>, in range: Range<Int>, into result: inout [Float]) {
        let first = result.count
        result.resize(first + range.count)
        var output = result.mutableSpan
        filter(samples, in: range, into: &output, at: first)
    }

    /// Filters a range of samples, four at a time: all four outputs follow from the two before them, so that none need
    /// wait for another.
    /// - Parameters:
    ///   - samples: the sound.
    ///   - range: the samples to filter, the next ones after those of the last call.
    ///   - result: the output is written from index `place` on.
    ///   - place: index of the first output.
    mutating func filter(
        _ samples: Span<Float>, in range: Range<Int>, into result: inout MutableSpan<Float>, at place: Int
    ) {
        guard !range.isEmpty else { return }
        precondition(range.lowerBound >= 0 && range.upperBound <= samples.count)
        precondition(place >= 0 && place + range.count <= result.count)
        var index = range.lowerBound
        // The vectors read the two samples before theirs, too.
        while index < range.upperBound, index < range.lowerBound + 2 {
            result[place + index - range.lowerBound] = filter(samples[index])
            index += 1
        }
        guard index + 4 <= range.upperBound else {
            while index < range.upperBound {
                result[place + index - range.lowerBound] = filter(samples[index])
                index += 1
            }
            return
        }
        // The response to a single input, of this filter's recursion alone.
        let one = -feedback.x
        let two = feedback.x * feedback.x - feedback.y
        let three = -feedback.x * two - feedback.y * one
        let four = -feedback.x * three - feedback.y * two
        let ofLast = SIMD4(one, two, three, four)
        let ofBeforeLast = -feedback.y * SIMD4(1, one, two, three)
        var (last, beforeLast) = (outputs.x, outputs.y)
        let (gain, middle) = (gain, middle)
        unsafe samples.withUnsafeBytes { samples in
            unsafe result.withUnsafeMutableBytes { result in
                while index + 4 <= range.upperBound {
                    let here = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD4<Float>.self)
                    let before = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index &- 4, as: SIMD4<Float>.self)
                    let past = unsafe samples.loadUnaligned(fromByteOffset: 4 &* index &- 8, as: SIMD4<Float>.self)
                    let inputs = gain * (SIMD4<Double>(here) + middle * SIMD4<Double>(before) + SIMD4<Double>(past))
                    let (low, high) = (inputs.lowHalf, inputs.highHalf)
                    let later = SIMD2(low.y, high.x)
                    let first = low + one * SIMD2(0, low.x)
                    let second = high + one * later + two * low + three * SIMD2(0, low.x)
                    let output =
                        SIMD4(lowHalf: first, highHalf: second) + ofBeforeLast * beforeLast + ofLast * last
                    (beforeLast, last) = (output.z, output.w)
                    unsafe result.storeBytes(
                        of: SIMD4<Float>(output), toByteOffset: 4 &* (place &+ index &- range.lowerBound),
                        as: SIMD4<Float>.self)
                    index += 4
                }
            }
        }
        (inputs, outputs) = (SIMD2(Double(samples[index - 1]), Double(samples[index - 2])), SIMD2(last, beforeLast))
        while index < range.upperBound {
            result[place + index - range.lowerBound] = filter(samples[index])
            index += 1
        }
    }
}

/// A Butterworth filter of eighth order, which starts in the same state.
struct SteepButterworthFilter: Sendable {
    private var first: ButterworthFilter
    private var second: ButterworthFilter
    private var third: ButterworthFilter
    private var fourth: ButterworthFilter

    /// - Parameters:
    ///   - kind: which side of the corner passes.
    ///   - turns: corner frequency in turns per sample, less than 1/2.
    init(_ kind: ButterworthFilter.Kind, turns: Double) {
        first = ButterworthFilter(kind, turns: turns, damping: 1.961_570_560_806_461)
        second = ButterworthFilter(kind, turns: turns, damping: 1.662_939_224_605_090)
        third = ButterworthFilter(kind, turns: turns, damping: 1.111_140_466_039_204)
        fourth = ButterworthFilter(kind, turns: turns, damping: 0.390_180_644_032_256)
    }

    @inline(__always)
    mutating func filter(_ sample: Float) -> Float { fourth.filter(third.filter(second.filter(first.filter(sample)))) }
}
