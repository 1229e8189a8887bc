/// Follows the clocking zeros beside a message for as long as they are regular, so that neither noise nor another swipe
/// counts as part of its pass.
///
/// Transitions alternate in sign, and in zeros they lie a cell apart: a loop locked to the message's clock predicts each,
/// and the mean pulse of the message, with the sign that is due, tells how much of one is there.
struct ClockingZeros {
    /// Cells of zeros before and after the message, in time.
    private(set) var before = 0
    private(set) var after = 0
    /// What the pass takes of the segment, in samples.
    private(set) var extent: Range<Int>

    /// Places at which a cell around a transition is compared with the mean pulse.
    private static let places = 16
    /// Cells at either end of the message that tell its clock and its level there.
    private static let clockCells = 8
    private static let levelCells = 24
    /// Weights of a transition's displacement in the clock's phase and period.
    private static let phaseWeight: Float = 0.5
    private static let periodWeight: Float = 0.1
    /// How far from its prediction a transition is sought, in cells.
    private static let reach: Float = 0.15
    /// The level follows the transitions by this share a cell: as fast as a hand slows down, too slow for noise.
    private static let levelStep: Float = 0.01
    /// A place with less than this share of a pulse speaks against the zeros going on.
    private static let leastShare: Float = 0.5
    /// The zeros have ended where the shares have fallen short by so much since; more than a fade makes.
    private static let mostLack: Float = 8

    /// The mean pulse, without its mean, over the sum of its squares.
    private var pulse: [Float] = []

    /// - Parameters:
    ///   - reading: a message.
    ///   - samples: the segment that it was read from.
    ///   - mostCells: cells that a card has room for.
    init(beside reading: SegmentReading, in samples: Span<Float>, mostCells: Int) {
        let boundaries = reading.boundaries
        let last = boundaries.count - 1
        extent = Int(boundaries[0])..<Int(boundaries[last]) + 1
        guard last >= Self.levelCells else { return }
        var signs = Self.signs(of: reading)
        defer { signs.wipe() }
        let levels = learnPulse(samples, boundaries, signs)
        let most = max(0, mostCells - last)
        let clock = (boundaries[Self.clockCells] - boundaries[0]) / Float(Self.clockCells)
        let lateClock = (boundaries[last] - boundaries[last - Self.clockCells]) / Float(Self.clockCells)
        let level = levels.prefix(Self.levelCells).reduce(0, +) / Float(Self.levelCells)
        let lateLevel = levels.suffix(Self.levelCells).reduce(0, +) / Float(Self.levelCells)
        let start: Float
        let end: Float
        (before, start) = follow(
            samples, from: boundaries[0], step: -clock, sign: signs[0], level: level, most: most)
        (after, end) = follow(
            samples, from: boundaries[last], step: lateClock, sign: signs[last], level: lateLevel, most: most)
        extent = max(0, Int(start))..<min(samples.count, Int(end) + 1)
    }

    /// Signs of the transitions at a message's boundaries: a zero turns the sign, the two transitions of a one turn it twice.
    private static func signs(of reading: SegmentReading) -> [Float] {
        var bits = reading.code.bits(of: reading.values)
        defer { bits.wipe() }
        if reading.isReversed { bits.reverse() }
        var sign: Float = 1
        var signs: [Float] = []
        signs.reserveCapacity(bits.count + 1)  // growing would leave unwiped copies behind
        signs.append(sign)
        for bit in bits {
            if bit == 0 { sign = -sign }
            signs.append(sign)
        }
        return signs
    }

    /// Learns the mean pulse of the message; returns how much of it each boundary has.
    private mutating func learnPulse(_ samples: Span<Float>, _ boundaries: [Float], _ signs: [Float]) -> [Float] {
        let last = boundaries.count - 1
        func cell(_ index: Int) -> Float {
            let (first, final) = (max(0, index - 2), min(last, index + 2))
            return (boundaries[final] - boundaries[first]) / Float(final - first)
        }
        pulse = .init(repeating: 0, count: Self.places)
        for index in boundaries.indices {
            let step = cell(index) / Float(Self.places)
            let start = boundaries[index] - Float(Self.places - 1) / 2 * step
            for place in 0..<Self.places {
                pulse[place] += signs[index] * Self.value(samples, at: start + Float(place) * step)
            }
        }
        let mean = pulse.reduce(0, +) / Float(Self.places)
        let squares = pulse.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        guard squares > 0 else { return .init(repeating: 0, count: boundaries.count) }
        for place in pulse.indices { pulse[place] = (pulse[place] - mean) * Float(boundaries.count) / squares }
        return boundaries.indices.map {
            signs[$0] * share(samples, at: boundaries[$0], cell: cell($0))
        }
    }

    /// Follows zeros from a transition of a sign, `step` being the signed length of a cell; returns how many there are and
    /// where they end.
    private func follow(
        _ samples: Span<Float>, from start: Float, step: Float, sign: Float, level: Float, most: Int
    ) -> (count: Int, end: Float) {
        guard level > 0 else { return (0, start) }
        var (time, step, sign, level) = (start, step, sign, level)
        var sum: Float = 0
        var best: (sum: Float, count: Int, end: Float) = (0, 0, start)
        for count in 1...max(1, most) where most > 0 {
            let predicted = time + step
            guard predicted >= 0, predicted < Float(samples.count) else { break }
            sign = -sign
            let offset = Self.reach * step
            let early = sign * share(samples, at: predicted - offset, cell: abs(step))
            let here = sign * share(samples, at: predicted, cell: abs(step))
            let late = sign * share(samples, at: predicted + offset, cell: abs(step))
            var displacement: Float = early > max(here, late) ? -1 : late > here ? 1 : 0
            let curvature = early - 2 * here + late
            guard curvature.isFinite else { break }
            if curvature < 0 { displacement = min(max(0.5 * (early - late) / curvature, -1), 1) }
            time = predicted + Self.phaseWeight * displacement * offset
            step += Self.periodWeight * displacement * offset
            // Not the largest of the three, which noise alone would make large.
            sum += min(here / level, 1) - Self.leastShare
            level *= here > level ? 1 + Self.levelStep : 1 - Self.levelStep
            if sum > best.sum { best = (sum, count, time) }
            if sum < best.sum - Self.mostLack { break }
        }
        return (best.count, best.end)
    }

    /// How much of the mean pulse there is around a time.
    private func share(_ samples: Span<Float>, at time: Float, cell: Float) -> Float {
        let step = cell / Float(Self.places)
        let start = time - Float(Self.places - 1) / 2 * step
        var sum: Float = 0
        for place in 0..<Self.places { sum += pulse[place] * Self.value(samples, at: start + Float(place) * step) }
        return sum
    }

    /// The sound between samples.
    private static func value(_ samples: Span<Float>, at time: Float) -> Float {
        let inside = min(max(time, 0), Float(samples.count - 1))
        let index = min(Int(inside), samples.count - 2)
        let rest = inside - Float(index)
        return samples[index] + rest * (samples[index + 1] - samples[index])
    }
}
