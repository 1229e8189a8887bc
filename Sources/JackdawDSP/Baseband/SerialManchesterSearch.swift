/// A character of a Manchester UART as it was found.
struct SerialManchesterFind {
    /// Position of the start bit, in steps.
    var position: Double
    /// Length of a bit, in steps.
    var period: Double
    /// +1 where the line is the right way up.
    var polarity: Float
    /// What the nine bits behind the start bit came to, positive for a 1, over the mean of all; 0 behind them.
    var bits: SIMD16<Float>
    /// Mean of a bit's worth.
    var level: Float
    /// Variance of a bit's worth, over the mean's square.
    var variance: Float

    /// Whether the parity bit fits the others.
    var isEven: Bool { bits.indices.count { bits[$0] > 0 } % 2 == 0 }

    /// Whether nothing that it overlaps can fit better.
    var isBeyondDoubt: Bool { isEven && variance < 0.05 }

    /// Whether this one is to be taken for an earlier one that it overlaps. Behind a last character, any zero of its data
    /// with ones before it may pass for a start bit.
    func isBetter(than earlier: Self) -> Bool {
        isEven == earlier.isEven ? level > 1.03 * earlier.level : isEven && level > 0.97 * earlier.level
    }
}

/// Looks for characters of a Manchester UART: ones, a start bit, nine bits of either kind, a stop bit and ones.
///
/// Each character is found by itself, at any time, clock rate and polarity: the bits that are known decide where it is.
/// A bit's worth is its correlation with one turn of a sine, of which the mean over four bits, hum and offset, is taken off.
struct SerialManchesterSearch: Sendable, Wipeable {
    /// Points on a bit.
    private static let grid = 16
    private static let pieces = 8
    private static let piece = grid / pieces
    /// Clock rates, as parts of the nominal one.
    private static let rates = (-3...3).map { 1 + 0.0125 * Double($0) }
    /// Ones that are looked at on either side, at most.
    private static let mostOnes = 16
    private static let block = 1_024
    /// Points on either side of a bit that its mean is taken over.
    private static let meanReach = 2 * grid
    /// Data bits, and the parity bit.
    private static let dataBits = 9
    /// Least share of the bits' energy that is the mean's, at first sight and when the clock is known. White noise gets to
    /// the second some once in an hour, a signal at an Eb/N0 of 8 dB comes to 0.92.
    private static let leastShare: Float = 0.62
    private static let leastFinalShare: Float = 0.84
    /// Most that the clock may be off.
    private static let mostDrift = 0.044

    private let ones: (before: Int, after: Int)
    /// Points from a character in which there is no other.
    private let characterReach: Double
    private let pointSteps: Double
    private let lookBack: Int
    private let points: Int
    private let weights: [Float]
    /// For each rate, one after the other, where each bit begins, in points from the start bit.
    private let offsets: [Int]
    /// Position of the next start bit to be looked at, in steps.
    private(set) var position: Double

    private var integral: [Float]
    /// What lies in a piece of a bit, less the mean around.
    private var slopes: [Float]
    private var worth: [Float]
    private var signs: [UInt64]

    init(line: SerialManchesterLine, stepsPerBit: Double) {
        ones = (min(line.onesBefore, Self.mostOnes), min(line.onesAfter, Self.mostOnes + 4))
        characterReach = Double(min(30, Self.dataBits - 2 + line.onesAfter) * Self.grid)
        pointSteps = stepsPerBit / Double(Self.grid)
        let slowest = 1.06 * Double(Self.grid)
        lookBack = Int(slowest * Double(ones.before + 1)) + Self.meanReach + 2
        let lookAhead = Int(slowest * Double(ones.after + Self.dataBits + 3)) + Self.meanReach + 4 * Self.grid
        points = (lookBack + Self.block + lookAhead + 7) / 8 * 8
        // What one turn of a sine has in each eighth of it.
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

    /// Bits that must stay in reach.
    var bitsInReach: Int { points / Self.grid + 2 }

    /// The sum of the weights' squares, and what a sine of amplitude 1 is worth for a step.
    var weightSquares: Double { weights.reduce(0) { $0 + Double($1) * Double($1) } }
    var worthOfOne: Double { weightSquares / (2 * Double.pi) * Double(Self.grid) * pointSteps }

    mutating func start() { position = Double(lookBack) * pointSteps }

    mutating func wipe() {
        integral.zero(first: integral.count)
        slopes.zero(first: slopes.count)
        worth.zero(first: worth.count)
        signs.zero(first: signs.count)
    }

    /// Goes through what has come in.
    /// - Returns: the next character; nil where more sound is needed.
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
            // Beside a character, at another clock, there may be what looks a little like one.
            guard let candidate = nextCandidate(from: point, before: end) else { break }
            if let best, Double(candidate.point) > best.position + characterReach { break }
            // What is no character here is none a quarter of a bit on.
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
        // The ones behind may be the ones before the next.
        position = best.position + Double(Self.dataBits + 2) * best.period
        return best
    }

    /// Fills in what a bit is worth from each point on.
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

    /// The line's integral at the points, but for its mean.
    private static func fill(_ integral: inout [Float], _ sums: Span<Double>, from place: Double, steps: Double) {
        var target = integral.mutableSpan
        let first = sums.interpolated(at: place)
        let mean = (sums.interpolated(at: place + Double(target.count) * steps) - first) / Double(target.count)
        for point in target.indices {
            let time = Double(point)
            target[point] = Float(sums.interpolated(at: place + time * steps) - first - time * mean)
        }
    }

    /// What lies in a piece from each point on, less the mean around.
    /// - Returns: the largest.
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

    /// What a bit from each point on is worth.
    private static func fill(_ worth: inout [Float], from slopes: Span<Float>, _ weights: Span<Float>) {
        let source = unsafe slopes.bytes
        for point in stride(from: meanReach, to: worth.count - meanReach - piece - grid - 14, by: 8) {
            var sum = SIMD8<Float>.zero
            for index in 0..<pieces { sum += weights[index] * FloatKernels.load(source, point + index * piece) }
            for lane in 0..<8 { worth[point + lane] = sum[lane] }
        }
    }

    /// Least amplitude, full scale 1: half a step of 16-bit sound.
    private static let leastLevel: Float = 0.5 / 32_768

    /// Index of the start bit among the bits that are looked at.
    private var startBit: Int { ones.before }

    /// Where a start bit may lie.
    private struct Candidate {
        var point: Int
        /// Turns the line the right way up.
        var sign: Float
        var rate: Double
    }

    /// Looks for a point at which, at any rate, a start bit may lie: sixty-four at a time, by the signs of the bits that
    /// are wrong most often elsewhere.
    private func nextCandidate(from start: Int, before end: Int) -> Candidate? {
        let bits = ones.before + Self.dataBits + 2 + ones.after
        let worth = worth.span
        let signs = signs.span
        let offsets = offsets.span
        let tests = SIMD8<Int>(-1, Self.dataBits + 1, -2, Self.dataBits + 2, -3, 0, 0, 0) &+ startBit
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
                    let share = share(sign) { worth[point + offsets[rate * bits + $0]] }
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

    /// The signs of what bits are worth, a bit for each.
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

    /// The share of the bits' energy that their mean has, where known bits count with their sign.
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

    /// The best time and rate around a candidate; nil where it is no character.
    private func refine(_ candidate: Candidate) -> SerialManchesterFind? {
        let sign = candidate.sign
        var best = Fit(sum: 0, place: Double(candidate.point), rate: candidate.rate)
        for rateStep in -2...2 {
            let rate = candidate.rate + 0.008 * Double(rateStep)
            fitCoarsely(Double(candidate.point), steps: -4...4, rate, sign, &best)
        }
        // In the middle of its bits a character stays where it is whatever the rate: time and rate are found in turns.
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
        guard share > Self.leastFinalShare, abs(best.rate - 1) < Self.mostDrift else { return nil }
        // A data bit may pass for the start bit, but for the one or other known bit that is then wrong.
        let isWrong = (0..<count).contains { index in
            !isData(index) && sign * bit(index) * (index == startBit ? -1 : 1) <= 0
        }
        let level = best.sum / Float(count)
        guard !isWrong, Double(level) > Double(Self.leastLevel) * worthOfOne else { return nil }
        // Upside down and half a bit beside, all but the changes of bits fit too.
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

    /// Takes what is better than the best so far, by the points alone, up to sixteen of them at once.
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

    /// Takes what is better than the best so far, between the points.
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
        // Catmull and Rom's cubic: a straight line would favour the points.
        let bend = 2 * before - 5 * here + 4 * next - after + part * (3 * (here - next) + after - before)
        return here + part / 2 * (next - before + part * bend)
    }
}
