/// Decides the bits of a burst, once it is over, by what all its chips tell together.
///
/// What a chip sounds like, its neighbours' tails with it, is estimated from the burst itself (least squares over what was
/// decided at first); then each bit is compared with its opposite over all that it touches. So a band-limited line, a droop
/// and few samples a chip cost little. Hum and offset are taken off as the slope of what is left around each bit.
struct NibbleJudge: Sendable, Wipeable {
    /// Amplitude of the chips, full scale 1.
    private(set) var level: Float = 0
    /// Variance of the noise of a half chip, full scale 1.
    private(set) var variance: Float = 0

    /// Nibbles on either side that the level is taken from.
    private static let levelReach = 8
    /// Chips on either side that the slope is taken from.
    private static let slopeReach = 8
    /// Chips on either side that a chip is heard in.
    private static let tail = 2
    private static let taps = 2 * tail + 1
    /// Chips whose weight the square wave that was sent has against the estimate.
    private static let trust: Float = 60
    private static let rounds = 2
    /// Presence that a last byte needs.
    private static let leastPresence: Float = 0.55

    /// What was sent, +1 and -1.
    private var chips: [Float] = []
    /// The line over its level; later what the estimate leaves of it.
    private var rest: [Float] = []
    private var levels: [Float] = []
    /// Log-likelihood ratios, four for a nibble, positive for a 1.
    private var ratios: [Float] = []
    private var framed: [Bool] = []
    /// How each of the two halves of a chip sounds for the chips around.
    private var response = [[Float]](repeating: [], count: 2)

    /// Bytes of the burst, without what its end may have picked up of the noise behind it.
    private(set) var bytes = 0

    /// Log-likelihood ratio (nats) of a data bit: positive for a 1.
    func ratio(_ nibble: Int, _ place: Int) -> Float { ratios[4 * nibble + place] }

    /// Nibbles whose start and stop chips are right.
    var framedNibbles: Int { framed.reduce(0) { $0 + ($1 ? 1 : 0) } }

    /// Whether start and stop chip are right.
    func isFramed(_ nibble: Int) -> Bool { framed[nibble] }

    /// Decides a burst.
    mutating func decide(_ burst: borrowing NibbleBurst) {
        wipe()
        let count = burst.nibbles
        guard count > 0 else { return }
        decideEach(burst.line.span, count)
        for _ in 0..<Self.rounds {
            subtract(burst.line.span)
            if !compare(count) { break }
        }
        frame(count)
        bytes = count / 2
        while bytes > 0, presence(ofByte: bytes - 1) < Self.leastPresence { bytes -= 1 }
        let mean = levels.reduce(0, +) / Float(count)
        variance *= mean * mean
        // Edges that the band has rounded take from each chip: what the line would settle at is more.
        level = mean * response.joined().reduce(0, +) / 2
    }

    /// Overwrites all.
    mutating func wipe() {
        chips.wipe()
        rest.wipe()
        levels.wipe()
        ratios.wipe()
        framed.wipe()
        bytes = 0
    }

    /// Decides each bit by its own two chips.
    private mutating func decideEach(_ line: Span<Float>, _ count: Int) {
        var sums: [Float] = []
        sums.reserveCapacity(count)
        for nibble in 0..<count {
            let first = nibble * NibbleBurst.halves
            func chip(_ index: Int) -> Float { (line[first + 2 * index] + line[first + 2 * index + 1]) / 2 }
            let ends = chip(0) - chip(NibbleChips.count - 1)
            var sum = abs(ends)
            chips.append(1)
            for place in 0..<4 {
                let difference = chip(2 * place + 1) - chip(2 * place + 2)
                sum += abs(difference)
                chips.append(difference > 0 ? 1 : -1)
                chips.append(difference > 0 ? -1 : 1)
                ratios.append(0)
            }
            chips.append(-1)
            sums.append(sum / Float(NibbleChips.count))
        }
        for nibble in 0..<count {
            let reach = max(0, nibble - Self.levelReach)...min(count - 1, nibble + Self.levelReach)
            levels.append(max(1e-9, sums[reach].reduce(0, +) / Float(reach.count)))
        }
        sums.zero(first: count)
    }

    /// Estimates how a chip sounds and takes what was decided off the line.
    private mutating func subtract(_ line: Span<Float>) {
        rest.removeAll(keepingCapacity: true)
        for index in line.indices { rest.append(line[index] / levels[index / NibbleBurst.halves]) }
        removeBaseline()
        response = (0...1).map { estimate(half: $0) }
        for chip in chips.indices {
            for half in 0...1 {
                var sum: Float = 0
                for tap in 0..<Self.taps { sum += response[half][tap] * sent(chip + Self.tail - tap) }
                rest[2 * chip + half] -= sum
            }
        }
    }

    /// Takes off the mean, over some chips to either side, of what the square wave leaves: an offset and most of a hum.
    private mutating func removeBaseline() {
        let reach = 2 * Self.slopeReach
        var baseline: [Float] = []
        baseline.reserveCapacity(rest.count)
        var sum: Double = 0
        var taken = 0
        var dropped = 0
        for index in rest.indices {
            while taken < min(rest.count, index + reach + 1) {
                sum += Double(rest[taken] - chips[taken / 2])
                taken += 1
            }
            while dropped < index - reach {
                sum -= Double(rest[dropped] - chips[dropped / 2])
                dropped += 1
            }
            baseline.append(Float(sum / Double(taken - dropped)))
        }
        for index in rest.indices { rest[index] -= baseline[index] }
        baseline.zero(first: baseline.count)
    }

    @inline(__always)
    private func sent(_ chip: Int) -> Float { chips.indices.contains(chip) ? chips[chip] : 0 }

    /// The least squares of what one half of the chips sounds like, pulled towards the square wave where chips are few.
    private func estimate(half: Int) -> [Float] {
        var system = [[Float]](repeating: [Float](repeating: 0, count: Self.taps + 1), count: Self.taps)
        for chip in Self.tail..<max(Self.tail, chips.count - Self.tail) {
            for row in 0..<Self.taps {
                let value = chips[chip + Self.tail - row]
                for column in row..<Self.taps { system[row][column] += value * chips[chip + Self.tail - column] }
                system[row][Self.taps] += value * rest[2 * chip + half]
            }
        }
        for row in 0..<Self.taps {
            for column in 0..<row { system[row][column] = system[column][row] }
            system[row][row] += Self.trust
        }
        system[Self.tail][Self.taps] += Self.trust
        return Self.solve(system)
    }

    /// Gauss and Jordan; the matrix is positive definite, so that no pivot is looked for.
    private static func solve(_ system: [[Float]]) -> [Float] {
        var rows = system
        for pivot in rows.indices {
            let scale = 1 / rows[pivot][pivot]
            for column in pivot...rows.count { rows[pivot][column] *= scale }
            for row in rows.indices where row != pivot {
                let factor = rows[row][pivot]
                for column in pivot...rows.count { rows[row][column] -= factor * rows[pivot][column] }
            }
        }
        return rows.map { $0[rows.count] }
    }

    /// Compares each bit with its opposite.
    /// - Returns: whether any was turned over.
    private mutating func compare(_ count: Int) -> Bool {
        let change = opposite()
        let energy = change.reduce(0) { $0 + $1 * $1 }
        // How much a slope along the line looks like the change, in half chips.
        let lever = change.indices.reduce(Float(0)) { $0 + change[$1] * (Float($1) - Float(change.count - 1) / 2) }
        var square: Float = 0
        for bit in ratios.indices {
            let first = Self.firstChip(bit)
            let slope = slope(around: first + 1)
            var product = -slope * lever
            for index in change.indices { product += change[index] * left(2 * (first - Self.tail) + index) }
            // Half of the energy of the difference, by the sign of what was decided.
            ratios[bit] = (energy - 2 * chips[first] * product) / 2
            var own = SIMD4<Float>(
                left(2 * first), left(2 * first + 1), left(2 * first + 2), left(2 * first + 3))
            own -= slope * SIMD4(-1.5, -0.5, 0.5, 1.5)
            own -= own.sum() / 4
            square += (own * own).sum() / 3
        }
        variance = max(1e-7, square / Float(ratios.count))
        var turned = false
        for bit in ratios.indices {
            let first = Self.firstChip(bit)
            ratios[bit] /= variance
            guard ratios[bit] < 0 else {
                ratios[bit] *= chips[first]
                continue
            }
            ratios[bit] *= chips[first]
            chips[first] = -chips[first]
            chips[first + 1] = -chips[first + 1]
            turned = true
        }
        return turned
    }

    /// How much of what was decided is heard in a byte: 1, or some 0.2 where there is but noise.
    private func presence(ofByte byte: Int) -> Float {
        var sum: Float = 0
        for half in (2 * byte * NibbleBurst.halves)..<(2 * (byte + 1) * NibbleBurst.halves) {
            sum += rest[half] * chips[half / 2]
        }
        // The noise has lowered the level that it is measured by.
        let share = levels[2 * byte + 1] / levels[max(0, 2 * byte - Self.levelReach)]
        return min(1, share) * (1 + sum / Float(2 * NibbleBurst.halves))
    }

    /// Looks at start and stop chips, without offset and hum.
    private mutating func frame(_ count: Int) {
        for nibble in 0..<count {
            let start = nibble * NibbleBurst.halves
            let stop = start + NibbleBurst.halves - 2
            let ends = (rest[start] + rest[start + 1] - rest[stop] - rest[stop + 1]) / 2 + 2
            framed.append(ends > 0)
        }
    }

    private static func firstChip(_ bit: Int) -> Int { bit / 4 * NibbleChips.count + 1 + 2 * (bit % 4) }

    @inline(__always)
    private func left(_ half: Int) -> Float { rest.indices.contains(half) ? rest[half] : 0 }

    /// What a 1 adds to the line when it is turned to a 0, in halves from `tail` chips before it on.
    private func opposite() -> [Float] {
        var change = [Float](repeating: 0, count: 2 * (Self.taps + 1))
        for half in 0...1 {
            for tap in 0..<Self.taps {
                change[2 * tap + half] -= 2 * response[half][tap]
                change[2 * (tap + 1) + half] += 2 * response[half][tap]
            }
        }
        return change
    }

    /// The slope of what is left, for a half chip.
    private func slope(around chip: Int) -> Float {
        let reach = 2 * min(Self.slopeReach, chip, chips.count - chip)
        var product: Float = 0
        var square: Float = 0
        for offset in 0..<reach {
            let time = Float(offset) + 0.5
            product += time * (rest[2 * chip + offset] - rest[2 * chip - 1 - offset])
            square += 2 * time * time
        }
        return square > 0 ? product / square : 0
    }
}
