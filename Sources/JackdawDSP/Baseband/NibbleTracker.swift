/// Follows the nibbles of a burst from its sync to its end.
///
/// The start of each nibble is the best path through positions an eighth of a chip apart. A position's score is the sum
/// of its chips' levels for any data. A clock is steadier than such a path, so chips are then read at the position
/// given by a straight line through twenty-five nibbles of the path. Against a known clock this costs next to nothing.
struct NibbleTracker: Sendable {
    private static let states = 13
    private static let middle = 6
    /// Positions per chip.
    private static let grid = 8.0
    /// Nibbles on either side from which a nibble's position is fitted.
    private static let reach = 12
    /// Nibbles that are kept in memory.
    private static let ring = 64
    /// The share of the level below which a nibble's bits count as no signal. Noise alone reaches some 0.2 to 0.4.
    private static let quietShare: Float = 0.5
    /// Nibbles after which a burst must be confirmed.
    private static let trial = 10
    /// A burst is confirmed if start less stop is at least this share of the bits' level, and if the level has not
    /// risen by more than this factor since the sync. Otherwise the sync was only noise, and the path does not lie on
    /// the nibbles.
    private static let leastFrame: Float = 0.6
    private static let maxRise: Float = 2.2
    /// Consecutive nibbles this far above the level that end a burst: the burst was only noise, and another one begins.
    private static let loudNibbles = 2
    /// The largest relative change of the clock since the sync.
    private static let drift = 0.03

    /// Chips of sound that must be kept.
    static let chipsInReach = (ring + 2) * NibbleChips.count

    /// Nibbles without a signal after which a burst ends.
    private let quietNibbles: Int

    private var sync = NibbleSync(position: 0, period: 1, polarity: 1, level: 0)
    private var period = 1.0
    private var step = 0.125
    private var level: Float = 0
    /// Nibbles scored so far, counted from the template's start.
    private var scored = 0
    /// Nibbles read so far.
    private var read = 0
    private var quiet = 0
    private var loud = 0
    private var frames: Float = 0
    private var bits: Float = 0
    /// The first nibble after the sync.
    private var first = 0
    private var centre = 0.0
    private var metrics = [Float](repeating: 0, count: states)
    private var scratch = [Float](repeating: 0, count: states)
    private var predecessors = [Int8](repeating: 0, count: ring * states)
    private var bestStates = [Int8](repeating: 0, count: ring)
    private var centres = [Double](repeating: 0, count: ring)
    private var places = [Double](repeating: 0, count: ring)

    init(quietNibbles: Int) { self.quietNibbles = quietNibbles }

    /// Begins after a sync.
    /// - Parameters:
    ///   - sync: the sync with its position.
    ///   - nibbles: the number of nibbles before it, whose positions follow from it.
    mutating func begin(_ sync: NibbleSync, nibbles: Int) {
        first = nibbles
        self.sync = sync
        period = sync.period
        step = sync.period / (Double(NibbleChips.count) * Self.grid)
        level = sync.level
        quiet = 0
        loud = 0
        frames = 0
        bits = 0
        scored = nibbles
        read = scored
        centre = sync.position
        for nibble in 0..<scored {
            places[nibble] = sync.position - Double(scored - nibble) * sync.period
            centres[nibble] = places[nibble]
            bestStates[nibble] = Int8(Self.middle)
            for state in 0..<Self.states { predecessors[nibble * Self.states + state] = Int8(Self.middle) }
        }
        for state in 0..<Self.states { metrics[state] = -level * Float(abs(state - Self.middle)) }
    }

    /// The first step that is still needed.
    var neededFrom: Int { Int(centre - Double(scored - read + 2) * 1.1 * period) }

    /// The result of following a burst.
    enum Outcome {
        /// The burst continues beyond the sound that has arrived.
        case goesOn
        /// The burst has ended at a position.
        case ended(Double)
        /// There was no burst.
        case lost
    }

    /// Whether the burst has passed its trial.
    var isConfirmed: Bool { scored >= first + Self.trial }

    /// Follows the line through the sound that has arrived.
    mutating func advance(_ sums: Span<Double>, base: Int, into burst: inout NibbleBurst) -> Outcome {
        while centre + period + Double(Self.middle + 2) * step < Double(base + sums.count - 1) {
            scoreNibble(sums, base: base)
            if scored == first + Self.trial, isNone { return .lost }
            if loud == Self.loudNibbles { quiet = loud }
            if quiet == quietNibbles || loud == Self.loudNibbles {
                return !isConfirmed && isNone ? .lost : .ended(end(sums, base: base, into: &burst))
            }
            guard quiet == 0, loud == 0 else { continue }
            trace(from: scored - 1)
            while read < scored - Self.reach { readNibble(sums, base: base, last: scored - 1, into: &burst) }
            if burst.isFull { return .goesOn }
        }
        return .goesOn
    }

    private var isNone: Bool { frames < Self.leastFrame * bits || level > Self.maxRise * sync.level }

    /// Ends the burst here: reads the scored nibbles that are signal.
    /// - Returns: the position of the burst's end.
    mutating func end(_ sums: Span<Double>, base: Int, into burst: inout NibbleBurst) -> Double {
        let last = scored - 1 - quiet
        trace(from: last)
        while read <= last { readNibble(sums, base: base, last: last, into: &burst) }
        return places[last % Self.ring] + period
    }

    private mutating func scoreNibble(_ sums: Span<Double>, base: Int) {
        let slot = scored % Self.ring
        let chip = period / Double(NibbleChips.count)
        let scale = sync.polarity / Float(chip)
        let penalty = 0.2 * level
        // If the path has left the middle, the window follows it.
        let before = Int(bestStates[(scored - 1) % Self.ring])
        let shift = abs(before - Self.middle) >= 3 ? (before - Self.middle).signum() : 0
        centre += Double(shift) * step
        centres[slot] = centre
        var best = 0
        var worthOfBest: (frame: Float, bits: Float) = (0, 0)
        for state in 0..<Self.states {
            let place = centre + Double(state - Self.middle) * step - Double(base)
            let worth = Self.worth(sums, place: place, chip: chip)
            let score = scale * worth.ends + abs(scale) * worth.bits
            var most = -Float.infinity
            var from = state
            for previous in (state + shift - 1)...(state + shift + 1) where 0..<Self.states ~= previous {
                let metric = metrics[previous] - (previous == state + shift ? 0 : penalty)
                if metric > most {
                    most = metric
                    from = previous
                }
            }
            scratch[state] = most + score
            predecessors[slot * Self.states + state] = Int8(from)
            if state == 0 || scratch[state] > scratch[best] {
                best = state
                worthOfBest = (scale * worth.ends / 2, abs(scale) * worth.bits / 8)
            }
        }
        let top = scratch[best]
        for state in 0..<Self.states { metrics[state] = scratch[state] - top }
        bestStates[slot] = Int8(best)
        scored += 1
        centre += period
        // Hum affects the difference of start and stop, but hardly that of a bit's two chips.
        let share = worthOfBest.bits
        loud = share > Self.maxRise * level ? loud + 1 : 0
        if share < Self.quietShare * level {
            quiet += 1
        } else if loud > 0 {
            quiet = 0
        } else {
            quiet = 0
            frames += worthOfBest.frame
            bits += worthOfBest.bits
            level += 0.06 * (share - level)
        }
    }

    /// The value of ten chips: start less stop, and the bits regardless of their data.
    @inline(__always)
    private static func worth(_ sums: Span<Double>, place: Double, chip: Double) -> (ends: Float, bits: Float) {
        var boundary = place + chip
        var previous = sums.interpolated(at: boundary)
        let start = previous - sums.interpolated(at: place)
        var bits = 0.0
        for _ in 0..<4 {
            let middle = sums.interpolated(at: boundary + chip)
            boundary += 2 * chip
            let next = sums.interpolated(at: boundary)
            bits += abs(middle - previous - (next - middle))
            previous = next
        }
        let stop = sums.interpolated(at: boundary + chip) - previous
        return (Float(start - stop), Float(bits))
    }

    /// Stores the positions of the best path that ends with a nibble.
    private mutating func trace(from last: Int) {
        var state = Int(bestStates[last % Self.ring])
        var nibble = last
        let first = max(first, last - 2 * Self.reach, read - Self.reach)
        while nibble >= first {
            let slot = nibble % Self.ring
            places[slot] = centres[slot] + Double(state - Self.middle) * step
            state = Int(predecessors[slot * Self.states + state])
            nibble -= 1
        }
    }

    /// Reads the next nibble at its position on a straight line through its neighbours.
    private mutating func readNibble(
        _ sums: Span<Double>, base: Int, last: Int, into burst: inout NibbleBurst
    ) {
        let first = max(0, read - Self.reach)
        let end = min(last, read + Self.reach)
        let origin = places[read % Self.ring]
        let mean = Double(first + end) / 2 - Double(read)
        var sum = 0.0
        var product = 0.0
        var square = 0.0
        for nibble in first...end {
            let time = Double(nibble - read) - mean
            let place = places[nibble % Self.ring] - origin - Double(nibble - read) * period
            sum += place
            product += time * place
            square += time * time
        }
        let slope = square > 0 ? product / square : 0
        let fitted = period + slope
        let place = origin + sum / Double(end - first + 1) - slope * mean
        burst.append(start: place, period: fitted, of: sums, base: base, polarity: sync.polarity)
        if end - first == 2 * Self.reach, abs(fitted / sync.period - 1) < Self.drift { period = fitted }
        read += 1
    }
}
