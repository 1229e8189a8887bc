import JackdawBytes

/// A character of a Manchester UART as found in the sound.
struct SerialManchesterFind {
    /// Position of the start bit, in steps.
    var position: Double
    /// Length of a bit, in steps.
    var period: Double
    /// +1 if the line's polarity is right, -1 if it is inverted.
    var polarity: Float
    /// The values of the nine bits after the start bit, relative to the mean of all and positive for a 1; the other
    /// lanes are 0.
    var bits: SIMD16<Float>
    /// Mean of the bits' values.
    var level: Float
    /// Variance of a bit's value, relative to the mean's square.
    var variance: Float

    /// Whether the parity bit fits the others.
    var isEven: Bool { bits.indices.count { bits[$0] > 0 } % 2 == 0 }

    /// Whether no overlapping candidate can fit better.
    var isBeyondDoubt: Bool { isEven && variance < 0.05 }

    /// Whether this candidate replaces an earlier one that it overlaps. After a last character, any zero of its data
    /// that follows ones can look like a start bit.
    func isBetter(than earlier: Self) -> Bool {
        isEven == earlier.isEven ? level > 1.03 * earlier.level : isEven && level > 0.97 * earlier.level
    }
}

/// Searches for characters of a Manchester UART: ones, a start bit, nine bits of either value, a stop bit and ones.
///
/// Each character is found independently, at any time, clock rate and polarity: the bits with known values determine
/// its position. A bit's value is its correlation with one period of a sine. The mean over four bits, which is hum and
/// offset, is subtracted.
struct SerialManchesterSearch: Sendable, Wipeable {
    /// Grid points per bit.
    private static let grid = 16
    private static let pieces = 8
    private static let piece = grid / pieces
    /// Clock rates, relative to the nominal one.
    private static let rates = (-3...3).map { 1 + 0.0125 * Double($0) }
    /// Ones that are examined on either side, at most.
    private static let maxOnes = 16
    private static let block = 1_024
    /// Grid points on either side of a bit over which its mean is taken.
    private static let meanReach = 2 * grid
    /// Data bits, plus the parity bit.
    private static let dataBits = 9
    /// The least share of the bits' energy that is in their mean, for a candidate and with the clock known. White noise
    /// reaches the second value about once an hour; a signal at an Eb/N0 of 8 dB reaches 0.92.
    private static let leastShare: Float = 0.62
    private static let leastFinalShare: Float = 0.84
    /// Ones whose signs are checked before all bits are: places relative to the start bit, and how many may be wrong.
    /// Noise passes in one place of seven.
    private static let checkedOnes = SIMD8<Int>(-4, 12, 13, 14, 15, 16, 17, 18)
    private static let maxWrong = 2
    /// The largest relative error of the clock.
    private static let maxDrift = 0.044

    private let ones: (before: Int, after: Int)
    /// Grid points from a character within which there is no other.
    private let characterReach: Double
    private let pointSteps: Double
    private let lookBack: Int
    private let points: Int
    private let weights: [Float]
    /// For each rate in turn, the start of each bit, in points from the start bit.
    private let offsets: [Int]
    /// Position of the next start bit to examine, in steps.
    private(set) var position: Double

    private var integral: [Float]
    /// The mean level of a piece of a bit, less the mean around it.
    private var slopes: [Float]
    private var worth: [Float]
    private var signs: [UInt64]

    init(line: SerialManchesterLine, stepsPerBit: Double) {
        ones = (min(line.onesBefore, Self.maxOnes), min(line.onesAfter, Self.maxOnes + 4))
        characterReach = Double(min(30, Self.dataBits - 2 + line.onesAfter) * Self.grid)
        pointSteps = stepsPerBit / Double(Self.grid)
        let slowest = 1.06 * Double(Self.grid)
        lookBack = Int(slowest * Double(ones.before + 1)) + Self.meanReach + 2
        let lookAhead = Int(slowest * Double(ones.after + Self.dataBits + 3)) + Self.meanReach + 4 * Self.grid
        points = (lookBack + Self.block + lookAhead + 7) / 8 * 8
        // The integral of one sine period over each eighth of it.
        weights = (0..<Self.pieces).map { piece in
            let turns = Double(piece) / Double(Self.pieces)
            let end = turns + 1 / Double(Self.pieces)
            return Float(
                Numerics.sineAndCosine(turns: turns).cosine - Numerics.sineAndCosine(turns: end).cosine)
        }
        let range = -ones.before...(Self.dataBits + 1 + ones.after)
        offsets = Self.rates.flatMap { rate in range.map { Int((Double($0 * Self.grid) / rate).rounded()) } }
        integral = [Float](repeating: 0, count: points)
        slopes = [Float](repeating: 0, count: points)
        worth = [Float](repeating: 0, count: points)
        signs = [UInt64](repeating: 0, count: points / 64 + 3)
        position = 0
        start()
    }

    /// The first step that is still needed.
    var neededFrom: Int { Int(position - Double(lookBack) * pointSteps) - 1 }

    /// Bits of sound that must be kept.
    var bitsInReach: Int { points / Self.grid + 2 }

    /// The sum of the weights' squares; `worthOfOne` is the value of a bit whose sine has amplitude 1.
    var weightSquares: Double { weights.reduce(0) { $0 + Double($1) * Double($1) } }
    var worthOfOne: Double { weightSquares / (2 * Double.pi) * Double(Self.grid) * pointSteps }

    mutating func start() { position = Double(lookBack) * pointSteps }

    mutating func wipe() {
        integral.zero(first: integral.count)
        slopes.zero(first: slopes.count)
        worth.zero(first: worth.count)
        signs.zero(first: signs.count)
    }

    /// Searches the sound that has arrived.
    /// - Returns: the next character; nil if more sound is needed.
    mutating func advance(_ sums: Span<Double>, base: Int) -> SerialManchesterFind? {
        while position + Double(points - lookBack + 1) * pointSteps < Double(base + sums.count - 1) {
            if let find = scanBlock(sums, base: base) { return find }
        }
        return nil
    }

    private mutating func scanBlock(_ sums: Span<Double>, base: Int) -> SerialManchesterFind? {
        let origin = position - Double(lookBack) * pointSteps
        guard fill(sums, from: origin - Double(base)) else {
            position += Double(Self.block) * pointSteps
            return nil
        }
        var best: SerialManchesterFind?
        var point = lookBack
        let end = lookBack + Self.block
        while point < end {
            // Next to a character, the sound can resemble another one at a different clock rate.
            guard let candidate = nextCandidate(from: point, before: end) else { break }
            if let best, Double(candidate.point) > best.position + characterReach { break }
            // If a position holds no character, neither do those within a quarter of a bit after it.
            point = candidate.point + Self.grid / 4
            guard let find = refine(candidate) else { continue }
            if best.map({ find.isBetter(than: $0) }) ?? true { best = find }
            if find.isBeyondDoubt { break }
        }
        guard var best else {
            position += Double(Self.block) * pointSteps
            return nil
        }
        if best.position + characterReach >= Double(end) {
            // A better one may follow in the next block.
            position = origin + (best.position - Double(Self.grid / 2)) * pointSteps
            return nil
        }
        best.position = origin + best.position * pointSteps
        best.period *= pointSteps
        // The ones after this character may be the ones before the next.
        position = best.position + Double(Self.dataBits + 2) * best.period
        return best
    }

    /// Fills the value of a bit that starts at each point.
    /// - Returns: whether there is any sound.
    private mutating func fill(_ sums: Span<Double>, from place: Double) -> Bool {
        var integral = move(&integral)
        var slopes = move(&slopes)
        var worth = move(&worth)
        Self.fill(&integral, sums, from: place, steps: pointSteps)
        let most = Self.fill(&slopes, from: integral.span)
        Self.fill(&worth, from: slopes.span, weights.span)
        Self.fill(&signs, from: worth.span)
        self.integral = integral
        self.slopes = slopes
        self.worth = worth
        return most > Self.leastLevel * Float(pointSteps) * Float(Self.piece)
    }

    /// The line's integral at the points, less its mean.
    private static func fill(_ integral: inout [Float], _ sums: Span<Double>, from place: Double, steps: Double) {
        var target = integral.mutableSpan
        let first = sums.interpolated(at: place)
        let mean = (sums.interpolated(at: place + Double(target.count) * steps) - first) / Double(target.count)
        for point in target.indices {
            let time = Double(point)
            target[point] = Float(sums.interpolated(at: place + time * steps) - first - time * mean)
        }
    }

    /// The level of the piece that starts at each point, less the mean around it.
    /// - Returns: the largest magnitude.
    private static func fill(_ slopes: inout [Float], from integral: Span<Float>) -> Float {
        let source = unsafe integral.bytes
        let scale = Float(piece) / Float(2 * meanReach)
        var most = SIMD8<Float>.zero
        for point in stride(from: meanReach, to: slopes.count - meanReach - piece - 7, by: 8) {
            let middle = point + piece / 2
            let around =
                FloatKernels.load(source, middle + meanReach) - FloatKernels.load(source, middle - meanReach)
            let slope = FloatKernels.load(source, point + piece) - FloatKernels.load(source, point) - scale * around
            for lane in 0..<8 { slopes[point + lane] = slope[lane] }
            most = SIMD8.larger(most, SIMD8.larger(slope, -slope))
        }
        return most.max()
    }

    /// The value of a bit that starts at each point.
    private static func fill(_ worth: inout [Float], from slopes: Span<Float>, _ weights: Span<Float>) {
        let source = unsafe slopes.bytes
        for point in stride(from: meanReach, to: worth.count - meanReach - piece - grid - 14, by: 8) {
            var sum = SIMD8<Float>.zero
            for index in 0..<pieces { sum += weights[index] * FloatKernels.load(source, point + index * piece) }
            for lane in 0..<8 { worth[point + lane] = sum[lane] }
        }
    }

    /// The least amplitude, full scale 1: half a step of 16-bit sound.
    private static let leastLevel: Float = 0.5 / 32_768

    /// Index of the start bit among the bits that are examined.
    private var startBit: Int { ones.before }

    /// A possible position of a start bit.
    private struct Candidate {
        var point: Int
        /// The sign that corrects the line's polarity.
        var sign: Float
        var rate: Double
    }

    /// Searches for a point at which a start bit may lie, at any rate. It tests sixty-four points at a time, by the
    /// signs of the bits that are most often wrong elsewhere.
    private func nextCandidate(from start: Int, before end: Int) -> Candidate? {
        let bits = ones.before + Self.dataBits + 2 + ones.after
        let worth = worth.span
        let signs = signs.span
        let offsets = offsets.span
        let tests = SIMD8<Int>(-1, Self.dataBits + 1, -2, Self.dataBits + 2, -3, 0, 0, 0) &+ startBit
        let ones = Self.checkedOnes &+ startBit
        for base in stride(from: start, to: end, by: 64) {
            let here = Self.signs(signs, base)
            var open = SIMD8<UInt64>.zero
            var left: UInt64 = 0
            for rate in Self.rates.indices {
                var mask = UInt64.max
                for test in 0..<5 { mask &= here ^ Self.signs(signs, base + offsets[rate * bits + tests[test]]) }
                open[rate] = mask
                left |= mask
            }
            while left != 0 {
                let lane = left.trailingZeroBitCount
                let point = base + lane
                guard point < end else { return nil }
                left &= left - 1
                let sign: Float = worth[point] < 0 ? 1 : -1
                var best: (share: Float, rate: Int)?
                for rate in Self.rates.indices where open[rate] >> UInt64(lane) & 1 == 1 {
                    let first = rate * bits
                    var wrong = 0
                    for one in 0..<8 where sign * worth[point + offsets[first + ones[one]]] <= 0 { wrong += 1 }
                    guard wrong <= Self.maxWrong else { continue }
                    let share = share(sign) { worth[point + offsets[first + $0]] }
                    if share > best?.share ?? Self.leastShare { best = (share, rate) }
                }
                if let best { return Candidate(point: point, sign: sign, rate: Self.rates[best.rate]) }
            }
        }
        return nil
    }

    /// The signs of sixty-four points.
    @inline(__always)
    private static func signs(_ signs: Span<UInt64>, _ point: Int) -> UInt64 {
        let shift = UInt64(point & 63)
        return (signs[point >> 6] &>> shift) | ((signs[point >> 6 + 1] &<< 1) &<< (63 - shift))
    }

    /// Packs the signs of the bits' values, one bit each.
    private static func fill(_ signs: inout [UInt64], from worth: Span<Float>) {
        var target = signs.mutableSpan
        for start in stride(from: 0, to: worth.count, by: 64) {
            var word: UInt64 = 0
            for index in start..<min(start + 64, worth.count) {
                word |= UInt64(worth[index].bitPattern >> 31) &<< UInt64(index - start)
            }
            target[start / 64] = word
        }
    }

    /// The share of the bits' energy that is in their mean, in which known bits count with their sign.
    @inline(__always)
    private func share(_ sign: Float, _ bit: (Int) -> Float) -> Float {
        var sum: Float = 0
        var square: Float = 0
        let count = ones.before + Self.dataBits + 2 + ones.after
        for index in 0..<count {
            let value = bit(index)
            sum += isData(index) ? abs(value) : index == startBit ? -sign * value : sign * value
            square += value * value
        }
        return sum > 0 ? sum * sum / (Float(count) * square) : 0
    }

    @inline(__always)
    private func isData(_ index: Int) -> Bool { index > startBit && index <= startBit + Self.dataBits }

    /// The best time and rate around a candidate; nil if it is not a character.
    private func refine(_ candidate: Candidate) -> SerialManchesterFind? {
        let sign = candidate.sign
        var best = Fit(sum: 0, place: Double(candidate.point), rate: candidate.rate)
        for rateStep in -2...2 {
            let rate = candidate.rate + 0.008 * Double(rateStep)
            fitCoarsely(Double(candidate.point), steps: -4...4, rate, sign, &best)
        }
        // The middle of a character's bits stays in place at any rate, so time and rate are refined in turns.
        let middle = Double(Self.dataBits + 1 + ones.after - ones.before) / 2
        for reach in [3, 1] {
            var from = best
            for step in -reach...reach where step != 0 { fit(from.place + Double(step) / 4, from.rate, sign, &best) }
            from = best
            for step in -reach...reach where step != 0 {
                let rate = from.rate + 0.002 * Double(step)
                fit(from.place + middle * Double(Self.grid) * (1 / from.rate - 1 / rate), rate, sign, &best)
            }
        }
        let count = ones.before + Self.dataBits + 2 + ones.after
        let period = Double(Self.grid) / best.rate
        func bit(_ index: Int) -> Float { worth(at: best.place + Double(index - startBit) * period) }
        let share = share(sign, bit)
        guard share > Self.leastFinalShare, abs(best.rate - 1) < Self.maxDrift else { return nil }
        // A data bit can look like the start bit, but then at least one known bit is wrong.
        let isWrong = (0..<count).contains { index in
            !isData(index) && sign * bit(index) * (index == startBit ? -1 : 1) <= 0
        }
        let level = best.sum / Float(count)
        guard !isWrong, Double(level) > Double(Self.leastLevel) * worthOfOne else { return nil }
        // Half a bit earlier or later, with the opposite polarity, all equal bits in a row fit too; only places at
        // which the bits change show the right phase. If such a fit is better, this one is wrong.
        var other = best
        for rateStep in -2...2 {
            let rate = best.rate + 0.008 * Double(rateStep)
            fitCoarsely(best.place, steps: -10...(-6), rate, -sign, &other)
            fitCoarsely(best.place, steps: 6...10, rate, -sign, &other)
        }
        guard other.sum == best.sum else { return nil }
        var bits = SIMD16<Float>.zero
        for index in 0..<Self.dataBits { bits[index] = sign * bit(startBit + 1 + index) / level }
        return SerialManchesterFind(
            position: best.place, period: period, polarity: sign,
            bits: bits, level: level,
            variance: max(1e-6, 1 / share - 1))
    }

    private struct Fit {
        var sum: Float
        var place: Double
        var rate: Double
    }

    /// Keeps a fit that is better than the best so far, at grid points only, up to sixteen of them at once.
    private func fitCoarsely(
        _ place: Double, steps: ClosedRange<Int>, _ rate: Double, _ sign: Float, _ best: inout Fit
    ) {
        let period = Double(Self.grid) / rate
        let source = unsafe worth.span.bytes
        func bit(_ index: Int) -> SIMD16<Float> {
            FloatKernels.loadSixteen(source, Int(place + Double(index) * period + 0.5) + steps.lowerBound)
        }
        var sums = -bit(0)
        for index in 1...ones.before { sums += bit(-index) }
        for index in (Self.dataBits + 1)...(Self.dataBits + 1 + ones.after) { sums += bit(index) }
        sums *= sign
        for index in 1...Self.dataBits {
            let value = bit(index)
            sums += value.replacing(with: -value, where: value .< 0)
        }
        for (lane, step) in steps.enumerated() where sums[lane] > best.sum {
            best = Fit(sum: sums[lane], place: place + Double(step), rate: rate)
        }
    }

    /// Keeps a fit that is better than the best so far, between the grid points.
    private func fit(_ place: Double, _ rate: Double, _ sign: Float, _ best: inout Fit) {
        let period = Double(Self.grid) / rate
        func bit(_ index: Int) -> Float { worth(at: place + Double(index) * period) }
        var sum = -bit(0)
        for index in 1...ones.before { sum += bit(-index) }
        for index in (Self.dataBits + 1)...(Self.dataBits + 1 + ones.after) { sum += bit(index) }
        sum *= sign
        for index in 1...Self.dataBits { sum += abs(bit(index)) }
        if sum > best.sum { best = Fit(sum: sum, place: place, rate: rate) }
    }

    private func worth(at place: Double) -> Float {
        let index = min(max(1, Int(place)), points - 3)
        let part = Float(place - Double(index))
        let (before, here, next, after) = (worth[index - 1], worth[index], worth[index + 1], worth[index + 2])
        // Catmull and Rom's cubic: a straight line would favour the grid points.
        let bend = 2 * before - 5 * here + 4 * next - after + part * (3 * (here - next) + after - before)
        return here + part / 2 * (next - before + part * bend)
    }
}
