/// Elementary functions for signal processing, in plain Swift: this module links no C library.
///
/// Series after range reduction; the relative error is below 1e-13 over the ranges used here, which the tests check.
package enum Numerics {
    /// Sine and cosine of `2 * pi * turns`; exact at quarter turns.
    static func sineAndCosine(turns: Double) -> (sine: Double, cosine: Double) {
        let quarters = (turns * 4).rounded()
        let angle = (turns - quarters / 4) * 2 * Double.pi
        let square = angle * angle
        // Taylor series up to the 17th power, for at most an eighth of a turn.
        var cosine = 1 / 20_922_789_888_000.0
        cosine = cosine * square - 1 / 87_178_291_200.0
        cosine = cosine * square + 1 / 479_001_600.0
        cosine = cosine * square - 1 / 3_628_800.0
        cosine = cosine * square + 1 / 40_320.0
        cosine = cosine * square - 1 / 720.0
        cosine = cosine * square + 1 / 24.0
        cosine = (cosine * square - 0.5) * square + 1
        var sine = 1 / 355_687_428_096_000.0
        sine = sine * square - 1 / 1_307_674_368_000.0
        sine = sine * square + 1 / 6_227_020_800.0
        sine = sine * square - 1 / 39_916_800.0
        sine = sine * square + 1 / 362_880.0
        sine = sine * square - 1 / 5_040.0
        sine = sine * square + 1 / 120.0
        sine = angle + angle * square * (sine * square - 1 / 6.0)
        switch Int(quarters - 4 * (quarters / 4).rounded(.down)) {
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        case 3: return (-cosine, sine)
        default: return (sine, cosine)
        }
    }

    /// The direction of a vector in turns, -0.5 to 0.5, to 1e-8 of a turn; 0 for a zero vector.
    static func angle(_ vector: SIMD2<Float>) -> Float {
        let (x, y) = (Double(vector.x), Double(vector.y))
        let (across, along) = (abs(x), abs(y))
        let longer = max(across, along)
        guard longer > 0 else { return 0 }
        let tangent = min(across, along) / longer
        let square = tangent * tangent
        // Abramowitz and Stegun, Handbook of Mathematical Functions, 4.4.49.
        let odd = (-0.333_331_452_8 + 0.199_935_508_5 * square) * square + 1
        let fourth = square * square
        let middle = -0.142_088_994_4 + 0.106_562_639_3 * square
        let high = -0.075_289_640_0 + 0.042_909_613_8 * square
        let highest = -0.016_165_736_7 + 0.002_866_225_7 * square
        let angle = tangent * (odd + square * fourth * (middle + fourth * (high + fourth * highest))) / (2 * Double.pi)
        let quadrant = along > across ? 0.25 - angle : angle
        let half = x < 0 ? 0.5 - quadrant : quadrant
        return Float(y < 0 ? -half : half)
    }

    /// Natural logarithm of a positive finite number.
    static func logarithm(_ value: Double) -> Double {
        var exponent = Double(value.exponent)
        var significand = value.significand
        if significand > 1.414_213_562_373_095 {
            significand /= 2
            exponent += 1
        }
        let ratio = (significand - 1) / (significand + 1)
        let square = ratio * ratio
        var series = 0.0
        for order in stride(from: 21, through: 3, by: -2) { series = (series + 1 / Double(order)) * square }
        return exponent * 0.693_147_180_559_945_3 + 2 * ratio * (1 + series)
    }

    /// Logarithm to the base of 10 of a positive finite number.
    static func decimalLogarithm(_ value: Double) -> Double { logarithm(value) * 0.434_294_481_903_251_8 }

    /// e to the power of `value`; 0 below -700 and infinite above 700.
    static func exponential(_ value: Double) -> Double {
        guard value > -700 else { return 0 }
        guard value < 700 else { return .infinity }
        let doublings = (value / 0.693_147_180_559_945_3).rounded()
        let rest = value - doublings * 0.693_147_180_559_945_3
        var series = 0.0
        for order in stride(from: 14, through: 1, by: -1) { series = (1 + series) * rest / Double(order) }
        return Double(sign: .plus, exponent: Int(doublings), significand: 1 + series)
    }

    /// Decibels of a power, of which 1 is full scale; at least -200.
    package static func decibels(power: Double) -> Double { 10 * decimalLogarithm(max(power, 1e-20)) }

    /// The amplitude ratio of a level difference in dB.
    package static func amplitude(decibels: Double) -> Double { exponential(decibels * 0.115_129_254_649_702_3) }
}

// Written out for each type: in a generic form, as in the standard library, the lanes are compared one by one.

extension SIMD8<Float> {
    /// Takes the elements of two vectors in turn.
    @inline(__always)
    init(evens: SIMD4<Float>, odds: SIMD4<Float>) {
        self.init(evens.x, odds.x, evens.y, odds.y, evens.z, odds.z, evens.w, odds.w)
    }

    /// The larger value of each lane.
    @inline(__always)
    static func larger(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .> left) }
}

extension SIMD8<Int16> {
    /// The larger value of each lane.
    @inline(__always)
    static func larger(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .> left) }
}

extension SIMD16<Float> {
    /// The larger value of each lane.
    @inline(__always)
    static func larger(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .> left) }

    /// The smaller value of each lane.
    @inline(__always)
    static func smaller(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .< left) }

    /// The first and the second elements of sixteen pairs. Setting the lanes one by one would go through memory each
    /// time.
    @inline(__always)
    static func columns(_ pairs: InlineArray<16, SIMD2<Float>>) -> (Self, Self) {
        unsafe pairs.span.withUnsafeBytes { bytes in
            let first = unsafe bytes.loadUnaligned(as: Self.self)
            let second = unsafe bytes.loadUnaligned(fromByteOffset: MemoryLayout<Self>.size, as: Self.self)
            return (
                Self(lowHalf: first.evenHalf, highHalf: second.evenHalf),
                Self(lowHalf: first.oddHalf, highHalf: second.oddHalf)
            )
        }
    }

    /// The largest value of all lanes.
    @inline(__always)
    var largest: Float {
        let eight = SIMD8.larger(lowHalf, highHalf)
        let four = eight.lowHalf.replacing(with: eight.highHalf, where: eight.highHalf .> eight.lowHalf)
        return Swift.max(Swift.max(four.x, four.y), Swift.max(four.z, four.w))
    }
}

extension SIMD16<UInt8> {
    /// Loads the sixteen elements of an array.
    @inline(__always)
    init(_ elements: InlineArray<16, UInt8>) {
        self = unsafe elements.span.withUnsafeBytes { unsafe $0.loadUnaligned(as: Self.self) }
    }
}

/// The sum of the samples within reach of one, advanced from the first to the last; beyond the ends the signal counts
/// as zero.
struct RunningSum {
    private let reach: Int
    private var sum = 0.0

    /// Starts before the first sample.
    /// - Parameters:
    ///   - input: samples.
    ///   - reach: samples to either side.
    init(_ input: Span<Float>, reach: Int) {
        self.reach = reach
        for index in 0..<min(reach, input.count) { sum += Double(input[index]) }
    }

    /// The sum around a sample; call it for one sample after another.
    @inline(__always)
    mutating func advance(_ input: Span<Float>, to index: Int) -> Double {
        // One addition to the sum per sample, not two, because the next sample waits for it.
        var change = 0.0
        if index + reach < input.count { change = Double(input[index + reach]) }
        if index > reach { change -= Double(input[index - reach - 1]) }
        sum += change
        return sum
    }
}
