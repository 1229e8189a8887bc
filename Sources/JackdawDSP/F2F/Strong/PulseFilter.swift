import JackdawBytes

/// Matched filters for head pulses: zero-mean differences of two Gaussians, unit energy, zero phase.
///
/// A Gaussian close to the pulse extracts it from white noise; subtracting a wider one removes hum and drift.
enum PulseFilter {
    /// Ratio of the wide Gaussian to the narrow one.
    private static let wideness = 2.6
    /// The least standard deviation, in samples, at which three box filters replace a Gaussian.
    private static let boxThreshold = 4.0

    /// - Parameters:
    ///   - input: samples.
    ///   - width: full width at half maximum of the pulse, in samples.
    /// - Returns: the filtered samples, aligned with the input and of the same number.
    static func apply(to input: [Float], width: Double) -> [Float] {
        let deviation = max(width, 1.0) / 2.355
        var narrow = smooth(input, deviation: deviation)
        var wide = smooth(input, deviation: wideness * deviation)
        defer { wide.wipe() }
        let energy =
            (1 / deviation + 1 / (wideness * deviation)) / (2 * Double.pi.squareRoot())
            - 2 / ((2 * Double.pi).squareRoot() * deviation * (1 + wideness * wideness).squareRoot())
        let gain = Float(1 / energy.squareRoot())
        for index in narrow.indices { narrow[index] = (narrow[index] - wide[index]) * gain }
        return narrow
    }

    /// Unit-gain Gaussian smoothing; beyond the ends the signal counts as zero.
    static func smooth(_ input: [Float], deviation: Double) -> [Float] {
        guard deviation < boxThreshold else {
            let box = Int(((4 * deviation * deviation + 1).squareRoot() / 2).rounded())
            var once = boxSmooth(input, reach: box)
            var twice = boxSmooth(once, reach: box)
            defer {
                once.wipe()
                twice.wipe()
            }
            return boxSmooth(twice, reach: box)
        }
        let reach = Int((3.5 * deviation).rounded(.up))
        var taps = (0...reach).map { Float(Numerics.exponential(-0.5 * Double($0 * $0) / (deviation * deviation))) }
        let sum = 2 * taps.reduce(0, +) - taps[0]
        for index in taps.indices { taps[index] /= sum }
        return convolve(input, symmetric: taps)
    }

    /// Running mean over `2 * reach + 1` samples, for four quarters in parallel, because each sum waits for the one
    /// before.
    private static func boxSmooth(_ input: [Float], reach: Int) -> [Float] {
        guard reach > 0, input.count > 2 * reach + 1 else { return input }
        let width = 2 * reach + 1
        let quarter = (input.count + 3) / 4
        var padded = unsafe [Float](unsafeUninitializedCapacity: 4 * quarter + width) { padded, count in
            count = 4 * quarter + width
            let start = reach + 1
            unsafe padded.extracting(..<start).initialize(repeating: 0)
            _ = unsafe padded.extracting(start..<start + input.count).initialize(fromContentsOf: input)
            unsafe padded.extracting((start + input.count)...).initialize(repeating: 0)
        }
        defer { padded.wipe() }
        var sums = SIMD4<Double>.zero
        for part in 0..<4 {
            for index in part * quarter..<part * quarter + width { sums[part] += Double(padded[index]) }
        }
        let scale = SIMD4<Double>(repeating: 1 / Double(width))
        var output = unsafe [Float](unsafeUninitializedCapacity: 4 * quarter) { output, count in
            count = 4 * quarter
            unsafe padded.withUnsafeBufferPointer { padded in
                for index in 0..<quarter {
                    let leaving = unsafe SIMD4<Float>(
                        padded[index], padded[index &+ quarter], padded[index &+ 2 &* quarter],
                        padded[index &+ 3 &* quarter])
                    let next = index &+ width
                    let entering = unsafe SIMD4<Float>(
                        padded[next], padded[next &+ quarter], padded[next &+ 2 &* quarter],
                        padded[next &+ 3 &* quarter])
                    sums += SIMD4<Double>(entering) - SIMD4<Double>(leaving)
                    let means = SIMD4<Float>(sums * scale)
                    unsafe output[index] = means[0]
                    unsafe output[index &+ quarter] = means[1]
                    unsafe output[index &+ 2 &* quarter] = means[2]
                    unsafe output[index &+ 3 &* quarter] = means[3]
                }
            }
        }
        output.removeLast(output.count - input.count)
        return output
    }

    /// Convolves with a symmetric filter whose taps are given from the centre outwards.
    private static func convolve(_ input: [Float], symmetric taps: [Float]) -> [Float] {
        let reach = taps.count - 1
        var padded = [Float](repeating: 0, count: input.count + 2 * reach + 8)
        defer { padded.wipe() }
        padded.replaceSubrange(reach..<reach + input.count, with: input)
        var output = [Float](repeating: 0, count: input.count + 8)
        unsafe padded.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                // Eight outputs at a time, so that the sums run in lanes and not in a chain.
                for start in stride(from: 0, to: input.count, by: 8) {
                    let base = unsafe UnsafeRawPointer(source.baseAddress! + start)
                    var sum = unsafe base.loadUnaligned(fromByteOffset: 4 * reach, as: SIMD8<Float>.self) * taps[0]
                    for tap in 1..<max(taps.count, 1) {
                        let left = unsafe base.loadUnaligned(fromByteOffset: 4 * (reach - tap), as: SIMD8<Float>.self)
                        let right = unsafe base.loadUnaligned(fromByteOffset: 4 * (reach + tap), as: SIMD8<Float>.self)
                        sum += (left + right) * taps[tap]
                    }
                    unsafe UnsafeMutableRawPointer(target.baseAddress! + start).storeBytes(
                        of: sum, as: SIMD8<Float>.self)
                }
            }
        }
        output.removeLast(8)
        return output
    }
}

extension SegmentalViterbi {
    /// Score of a pulse of either polarity at each sample; no pulse scores 0.
    struct PulseScores {
        /// Samples before the first one, in which no pulse can be; this saves a bounds check in the search.
        static let lead = SegmentalViterbi.past
        /// Samples after the last one, because the search takes eight at a time.
        static let trail = 8
        let count: Int
        /// The integer to which a score of 1 is scaled.
        let unit: Float
        /// One row for all cell lengths, or one for each group of eight.
        private let rows: Int
        /// `rows` times `lead + count + trail` scores.
        @Wiped private(set) var positive: [Int16]
        @Wiped private(set) var negative: [Int16]
        private let stride: Int
        /// Offset from the row of eight cell lengths to that of the next eight.
        var rowStep: Int { rows == 1 ? 0 : stride }

        /// Creates rows of zeros.
        init(count: Int, unit: Float, rows: Int) {
            self.count = count
            self.unit = unit
            self.rows = rows
            stride = Self.lead + count + Self.trail
            let zeros = [Int16](repeating: 0, count: rows * stride)
            (positive, negative) = (zeros, zeros)
        }

        /// Sets the scores of a row, `count` of either polarity. The caller must overwrite its arrays.
        mutating func setRow(_ row: Int, positive: [Int16], negative: [Int16]) {
            let first = row * stride + Self.lead
            self.positive.replaceSubrange(first..<first + count, with: positive)
            self.negative.replaceSubrange(first..<first + count, with: negative)
        }

        /// Score of a pulse, positive (0) or negative (1), in the row of a cell length.
        func score(at time: Int, lane: Int, sign: Int) -> Int {
            let place = lane / 8 * rowStep + Self.lead + time
            return Int(sign == 0 ? positive[place] : negative[place])
        }

        /// If the sound was lost at a rail, a pulse of its sign scores at least 0: it is neither detected nor missing.
        mutating func forgive(lostSign: (Int) -> Int8) {
            let signs = (0..<count).map(lostSign)
            let (rows, stride) = (rows, stride)
            func forgive(_ sign: Int8, _ scores: inout [Int16]) {
                for time in signs.indices where signs[time] == sign {
                    for row in 0..<rows {
                        let place = row * stride + Self.lead + time
                        scores[place] = max(scores[place], 0)
                    }
                }
            }
            forgive(1, &positive)
            forgive(-1, &negative)
        }
    }
}

extension [Float] {
    /// Integers in units of `1 / unit`, limited to `limit` in magnitude.
    func wholeNumbers(unit: Float, limit: Int16) -> [Int16] {
        var numbers = [Int16](repeating: 0, count: count)
        unsafe withUnsafeBytes { source in
            unsafe numbers.withUnsafeMutableBytes { target in
                for start in stride(from: 0, to: count - 7, by: 8) {
                    let values = unsafe source.loadUnaligned(fromByteOffset: 4 * start, as: SIMD8<Float>.self)
                    unsafe target.storeBytes(
                        of: Self.wholeNumbers(values * unit, limit: Float(limit)), toByteOffset: 2 * start,
                        as: SIMD8<Int16>.self)
                }
            }
        }
        for index in count & ~7..<count {
            numbers[index] = Self.wholeNumbers(SIMD8(repeating: self[index] * unit), limit: Float(limit))[0]
        }
        return numbers
    }

    @inline(__always)
    private static func wholeNumbers(_ values: SIMD8<Float>, limit: Float) -> SIMD8<Int16> {
        // Adding 1.5 * 2^23, whose last bit has the value 1, leaves the nearest integer in the low bits.
        let shift: Float = 12_582_912
        let most = SIMD8<Float>(repeating: limit)
        let least = SIMD8<Float>(repeating: -limit)
        var bounded = values.replacing(with: most, where: values .> most)
        bounded = bounded.replacing(with: least, where: bounded .< least)
        return SIMD8(truncatingIfNeeded: unsafe unsafeBitCast(bounded + shift, to: SIMD8<UInt32>.self))
    }
}

/// Eight or more lanes at every exclusive-or of their index, by which a character changes the running LRC.
struct LaneExclusiveOr {
    private let blocks: Int
    /// [turn * blocks + block] for the eight permutations within a vector.
    private var turned: [SIMD8<Float>]

    init(blocks: Int) {
        self.blocks = blocks
        turned = .init(repeating: .zero, count: 8 * blocks)
    }

    /// Loads the vectors of states, starting at an index.
    mutating func load(_ states: [SIMD8<Float>], from first: Int) {
        for turn in 0..<8 {
            for block in 0..<blocks {
                let vector = states[first + block]
                var lanes = vector
                if turn & 1 != 0 {
                    lanes.evenHalf = vector.oddHalf
                    lanes.oddHalf = vector.evenHalf
                }
                if turn & 2 != 0 {
                    lanes = SIMD8(lowHalf: Self.swapPairs(lanes.lowHalf), highHalf: Self.swapPairs(lanes.highHalf))
                }
                if turn & 4 != 0 { lanes = SIMD8(lowHalf: lanes.highHalf, highHalf: lanes.lowHalf) }
                turned[turn * blocks + block] = lanes
            }
        }
    }

    mutating func wipe() {
        turned.wipe()
    }

    private static func swapPairs(_ lanes: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(lowHalf: lanes.highHalf, highHalf: lanes.lowHalf)
    }

    /// Lane `l` of block `b` is the source's lane `(8 * b + l) ^ value`.
    @inline(__always)
    subscript(block: Int, value: Int) -> SIMD8<Float> { turned[(value & 7) * blocks + (block ^ (value >> 3))] }
}
