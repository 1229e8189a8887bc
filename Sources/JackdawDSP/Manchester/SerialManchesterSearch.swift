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
    /// For each rate, where each bit begins, in points from the start bit.
    private let offsets: [[Int]]
    /// Position of the next start bit to be looked at, in steps.
    private(set) var position: Double

    private var integral: [Float]
    private var worth: [Float]

    init(line: SerialManchesterLine, stepsPerBit: Double) {
        ones = (min(line.onesBefore, Self.mostOnes), min(line.onesAfter, Self.mostOnes + 4))
        characterReach = Double(min(30, Self.dataBits - 2 + line.onesAfter) * Self.grid)
        pointSteps = stepsPerBit / Double(Self.grid)
        let slowest = 1.06 * Double(Self.grid)
        lookBack = Int(slowest * Double(ones.before + 1)) + Self.meanReach + 2
        let lookAhead = Int(slowest * Double(ones.after + Self.dataBits + 3)) + Self.meanReach + 2 * Self.grid
        points = (lookBack + Self.block + lookAhead + 7) / 8 * 8
        // What one turn of a sine has in each eighth of it.
        weights = (0..<Self.pieces).map { piece in
            let turns = Double(piece) / Double(Self.pieces)
            let end = turns + 1 / Double(Self.pieces)
            return Float(
                Numerics.sineAndCosine(turns: turns).cosine - Numerics.sineAndCosine(turns: end).cosine)
        }
        let range = -ones.before...(Self.dataBits + 1 + ones.after)
        offsets = Self.rates.map { rate in range.map { Int((Double($0 * Self.grid) / rate).rounded()) } }
        integral = [Float](repeating: 0, count: points)
        worth = [Float](repeating: 0, count: points)
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
        worth.zero(first: worth.count)
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
            if let best, Double(point) > best.position + characterReach { break }
            guard let (sign, rate) = candidate(point) else {
                point += 1
                continue
            }
            guard let find = refine(around: point, sign, rate) else {
                // What is no character here is none a quarter of a bit on.
                point += Self.grid / 4
                continue
            }
            if best.map({ find.isBetter(than: $0) }) ?? true { best = find }
            if find.isBeyondDoubt { break }
            point += Self.grid / 4
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
        let first = sums.interpolated(at: place)
        let steps = pointSteps
        let mean = (sums.interpolated(at: place + Double(points) * steps) - first) / Double(points)
        for point in integral.indices {
            let time = Double(point)
            integral[point] = Float(sums.interpolated(at: place + time * steps) - first - time * mean)
        }
        let piece = Self.grid / Self.pieces
        let scale = Float(piece) / Float(2 * Self.meanReach)
        var most: Float = 0
        var differences = move(&worth)
        for point in Self.meanReach..<(points - Self.meanReach - piece) {
            let middle = point + piece / 2
            differences[point] =
                integral[point + piece] - integral[point]
                - scale * (integral[middle + Self.meanReach] - integral[middle - Self.meanReach])
            most = max(most, abs(differences[point]))
        }
        let last = points - Self.meanReach - piece - Self.grid
        for point in Self.meanReach..<last {
            var sum: Float = 0
            for index in 0..<Self.pieces { sum += weights[index] * differences[point + index * piece] }
            differences[point] = sum
        }
        worth = differences
        return most > Self.leastLevel * Float(pointSteps) * Float(piece)
    }

    /// Least amplitude, full scale 1: half a step of 16-bit sound.
    private static let leastLevel: Float = 0.5 / 32_768

    /// Index of the start bit among the bits that are looked at.
    private var startBit: Int { ones.before }

    /// Whether, at any rate, a start bit may lie here: what fails most often is asked first.
    /// - Returns: the sign that turns the line the right way up, and the rate; nil where there can be none.
    private func candidate(_ point: Int) -> (sign: Float, rate: Double)? {
        let sign: Float = worth[point] < 0 ? 1 : -1
        var best: (share: Float, rate: Double)?
        for (index, offset) in offsets.enumerated() {
            guard sign * worth[point + offset[startBit - 1]] > 0,
                sign * worth[point + offset[startBit + Self.dataBits + 1]] > 0,
                sign * worth[point + offset[startBit - 2]] > 0,
                sign * worth[point + offset[startBit + Self.dataBits + 2]] > 0,
                sign * worth[point + offset[startBit - 3]] > 0
            else { continue }
            let share = share(sign) { worth[point + offset[$0]] }
            if share > best?.share ?? Self.leastShare { best = (share, Self.rates[index]) }
        }
        return best.map { (sign, $0.rate) }
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

    /// The best time and rate around a point; nil where it is no character.
    private func refine(around point: Int, _ sign: Float, _ rate: Double) -> SerialManchesterFind? {
        var best = Fit(sum: 0, place: Double(point), rate: rate)
        for rateStep in -2...2 {
            for step in -4...4 { fitCoarsely(Double(point + step), rate + 0.008 * Double(rateStep), sign, &best) }
        }
        let coarse = best
        for rateStep in -3...3 {
            for step in -3...3 {
                fit(coarse.place + Double(step) / 4, coarse.rate + 0.002 * Double(rateStep), sign, &best)
            }
        }
        // Upside down and half a bit beside, all but the changes of bits fit too.
        var other = best
        for rateStep in -2...2 {
            for step in -10...10 where abs(step) >= 6 {
                fitCoarsely(best.place + Double(step), best.rate + 0.008 * Double(rateStep), -sign, &other)
            }
        }
        guard other.sum == best.sum else { return nil }
        let count = ones.before + Self.dataBits + 2 + ones.after
        let period = Double(Self.grid) / best.rate
        func bit(_ index: Int) -> Float { worth(at: best.place + Double(index - startBit) * period) }
        let share = share(sign, bit)
        guard share > Self.leastFinalShare else { return nil }
        // A data bit may pass for the start bit, but for the one or other known bit that is then wrong.
        let isWrong = (0..<count).contains { index in
            !isData(index) && sign * bit(index) * (index == startBit ? -1 : 1) <= 0
        }
        guard !isWrong, abs(best.rate - 1) < Self.mostDrift else { return nil }
        let level = best.sum / Float(count)
        guard Double(level) > Double(Self.leastLevel) * worthOfOne else { return nil }
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

    /// Takes what is better than the best so far, by the points alone.
    private func fitCoarsely(_ place: Double, _ rate: Double, _ sign: Float, _ best: inout Fit) {
        let period = Double(Self.grid) / rate
        fit(place, rate, sign, &best) { worth[Int(place + Double($0) * period + 0.5)] }
    }

    /// Takes what is better than the best so far, between the points.
    private func fit(_ place: Double, _ rate: Double, _ sign: Float, _ best: inout Fit) {
        let period = Double(Self.grid) / rate
        fit(place, rate, sign, &best) { worth(at: place + Double($0) * period) }
    }

    @inline(__always)
    private func fit(_ place: Double, _ rate: Double, _ sign: Float, _ best: inout Fit, _ bit: (Int) -> Float) {
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
