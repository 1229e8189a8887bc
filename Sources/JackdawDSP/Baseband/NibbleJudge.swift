/// Decides the bits of a burst, once it is over, by what all of its sound tells together.
///
/// What the line does to an edge is estimated from the burst itself, over what was decided at first; then each bit is compared
/// with its opposite over all samples in which it is heard. That is a matched filter for every bit, whatever its place
/// between the samples, without what its neighbours leave in it. Hum and offset are taken off as the line through what is
/// left around each sample.
struct NibbleJudge: Sendable, Wipeable {
    /// Amplitude of the chips, full scale 1.
    private(set) var level: Float = 0
    /// Variance of the noise of a sample, full scale 1.
    private(set) var variance: Float = 0

    /// Nibbles on either side that the level is taken from.
    private static let levelReach = 8
    /// Chips on either side that hum is taken from.
    private static let humReach = 8.0
    /// Bits may be turned over so many times.
    private static let rounds = 3
    /// One bit in so many, turned over, does not change what the line is taken to do.
    private static let fewTurned = 100
    /// Presence that a last byte needs.
    private static let leastPresence: Float = 0.55
    /// Log-likelihood ratio (nats) from which on start and stop chip are taken for wrong: what is sent is known, but for a
    /// nibble that lies elsewhere.
    private static let leastDoubt: Float = 6

    private var response: LineResponse
    /// What was sent, +1 and -1.
    private var chips: [Float] = []
    /// The line as it was sent.
    private var line: [Float] = []
    /// The sound over its level, and what the estimate leaves of it.
    private var sound: [Float] = []
    private var rest: [Float] = []
    private var levels: [Float] = []
    /// Log-likelihood ratios, four for a nibble, positive for a 1.
    private var ratios: [Float] = []
    private var framed: [Bool] = []

    /// Bytes of the burst, without what its end may have picked up of the noise behind it.
    private(set) var bytes = 0

    /// - Parameter samplesPerChip: samples of the bursts' sound.
    init(samplesPerChip: Double) { response = LineResponse(samplesPerChip: samplesPerChip) }

    /// Samples that a burst's sound needs before its first nibble and behind its last one.
    var margin: Int { response.margin }

    /// Log-likelihood ratio (nats) of a data bit: positive for a 1.
    func ratio(_ nibble: Int, _ place: Int) -> Float { ratios[4 * nibble + place] }

    /// Nibbles whose stop chip is no lower than their start chip: about half of what is no nibble at all.
    private(set) var upsideDown = 0

    /// Whether start and stop chip are right.
    func isFramed(_ nibble: Int) -> Bool { framed[nibble] }

    /// Decides a burst.
    mutating func decide(_ burst: borrowing NibbleBurst) {
        wipe()
        guard burst.nibbles > 0 else { return }
        decideEach(burst)
        var turned = ratios.count
        for _ in 0..<Self.rounds where turned > 0 {
            subtract(burst, isNew: turned > ratios.count / Self.fewTurned)
            turned = compare(burst)
        }
        frame(burst)
        bytes = burst.nibbles / 2
        while bytes > 0, presence(ofByte: bytes - 1, burst) < Self.leastPresence { bytes -= 1 }
        let mean = levels.reduce(0, +) / Float(levels.count)
        variance *= mean * mean
        // Edges that the band has rounded take from each chip: what the line would settle at is more.
        level = mean * response.gain
    }

    /// Overwrites all.
    mutating func wipe() {
        chips.wipe()
        line.wipe()
        sound.wipe()
        rest.wipe()
        levels.wipe()
        ratios.wipe()
        framed.wipe()
        upsideDown = 0
        bytes = 0
    }

    /// Decides each bit by its own two chips.
    private mutating func decideEach(_ burst: borrowing NibbleBurst) {
        let count = burst.nibbles
        let heard = burst.chips.span
        chips.growWiping(toHold: heard.count)
        ratios.growWiping(toHold: 4 * count)
        var sums: [Float] = []
        sums.reserveCapacity(count)
        for nibble in 0..<count {
            let first = nibble * NibbleChips.count
            var sum = abs(heard[first] - heard[first + NibbleChips.count - 1])
            chips.append(1)
            for place in 0..<4 {
                let difference = heard[first + 2 * place + 1] - heard[first + 2 * place + 2]
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
        scaleSound(burst)
    }

    /// The samples of the burst's nibbles.
    private static func samples(of burst: borrowing NibbleBurst) -> Range<Int> {
        sample(at: burst.time(0))..<sample(at: burst.time(burst.nibbles))
    }

    /// The first sample that is no earlier than a time.
    private static func sample(at time: Double) -> Int { Int(time.rounded(.up)) }

    /// Takes the sound over its level; beside the burst there is none.
    private mutating func scaleSound(_ burst: borrowing NibbleBurst) {
        let count = burst.sound.count
        sound.becomeZeros(count)
        rest.becomeZeros(count)
        line.becomeZeros(count)
        var start = Self.sample(at: burst.time(0))
        for nibble in 0..<burst.nibbles {
            let scale = 1 / levels[nibble]
            let end = Self.sample(at: burst.time(nibble + 1))
            for index in start..<end { sound[index] = burst.sound[index] * scale }
            start = end
        }
    }

    /// Takes what the line makes of what was decided off the sound.
    /// - Parameters:
    ///   - burst: the sound.
    ///   - isNew: whether what the line does is to be estimated anew.
    private mutating func subtract(_ burst: borrowing NibbleBurst, isNew: Bool) {
        draw(burst)
        let range = Self.samples(of: burst)
        let reach = Int(Self.humReach * burst.samplesPerChip)
        for index in range { rest[index] = sound[index] - line[index] }
        Self.flatten(&rest, range, reach: reach)
        for index in range { rest[index] += line[index] }
        if isNew {
            var response = response
            response.estimate(from: line.span, to: rest.span, chip: burst.samplesPerChip)
            self.response = response
        }
        var left = move(&rest)
        var target = left.mutableSpan
        response.subtract(line.span, from: &target)
        rest = left
        for index in 0..<range.lowerBound { rest[index] = 0 }
        for index in range.upperBound..<rest.count { rest[index] = 0 }
        Self.flatten(&rest, range, reach: reach)
        variance = Float(
            max(1e-7, FloatKernels.dot(rest.span, 0, rest.span, 0, count: rest.count) / Double(range.count)))
    }

    /// Draws the line as it was sent.
    private mutating func draw(_ burst: borrowing NibbleBurst) {
        line.zero(first: line.count)
        var line = move(&self.line)
        // A stop chip is before the first nibble, and nothing behind the last one.
        var level: Float = -1
        var target = line.mutableSpan
        target[0] = level
        for nibble in 0..<burst.nibbles {
            let start = burst.time(nibble)
            let chip = (burst.time(nibble + 1) - start) / Double(NibbleChips.count)
            for index in 0..<NibbleChips.count {
                let next = chips[nibble * NibbleChips.count + index]
                if next != level { BandLimitedEdge.add(next - level, at: start + Double(index) * chip, to: &target) }
                level = next
            }
        }
        BandLimitedEdge.add(-level, at: burst.time(burst.nibbles), to: &target)
        var sum: Float = 0
        for index in target.indices {
            sum += target[index]
            target[index] = sum
        }
        self.line = line
    }

    /// Takes off each sample the line through those around it: an offset and most of a hum.
    private static func flatten(_ samples: inout [Float], _ range: Range<Int>, reach: Int) {
        var baseline = [Float](repeating: 0, count: range.count)
        var target = baseline.mutableSpan
        var source = samples.mutableSpan
        let start = range.lowerBound + reach
        let inner = start..<max(start, range.upperBound - reach)
        // In the middle of what is looked at, the line is at its mean.
        if !inner.isEmpty {
            var sum = 0.0
            for index in inner.lowerBound - reach..<inner.lowerBound + reach { sum += Double(source[index]) }
            let scale = 1 / Double(2 * reach + 1)
            for index in inner {
                sum += Double(source[index + reach])
                target[index - range.lowerBound] = Float(sum * scale)
                sum -= Double(source[index - reach])
            }
        }
        for index in range where !inner.contains(index) {
            let around = max(range.lowerBound, index - reach)..<min(range.upperBound, index + reach + 1)
            target[index - range.lowerBound] = line(through: source.span, around, at: index)
        }
        for index in range { source[index] -= target[index - range.lowerBound] }
        baseline.zero(first: baseline.count)
    }

    /// The line of least squares through some samples, at one of them.
    private static func line(through samples: Span<Float>, _ range: Range<Int>, at place: Int) -> Float {
        let count = Double(range.count)
        let middle = Double(range.lowerBound + range.upperBound - 1) / 2
        var sum = 0.0
        var moment = 0.0
        for index in range {
            sum += Double(samples[index])
            moment += (Double(index) - middle) * Double(samples[index])
        }
        let slope = 12 * moment / max(1, count * (count * count - 1))
        return Float(sum / count + slope * (Double(place) - middle))
    }

    /// Compares each bit with its opposite.
    /// - Returns: how many were turned over.
    private mutating func compare(_ burst: borrowing NibbleBurst) -> Int {
        var turned = 0
        for nibble in 0..<burst.nibbles {
            let start = burst.time(nibble)
            let chip = (burst.time(nibble + 1) - start) / Double(NibbleChips.count)
            for place in 0..<4 {
                let first = nibble * NibbleChips.count + 1 + 2 * place
                let change = response.change(in: rest.span, at: start + Double(1 + 2 * place) * chip)
                // Half of the energy of the difference, by the sign of what was decided.
                let ratio = (change.energy / 2 - chips[first] * change.product) / variance
                ratios[4 * nibble + place] = ratio * chips[first]
                guard ratio < 0 else { continue }
                chips[first] = -chips[first]
                chips[first + 1] = -chips[first + 1]
                turned += 1
            }
        }
        return turned
    }

    /// How much of what was decided is heard in a byte: 1, or some 0.2 where there is but noise.
    private func presence(ofByte byte: Int, _ burst: borrowing NibbleBurst) -> Float {
        let start = Self.sample(at: burst.time(2 * byte))
        let count = Self.sample(at: burst.time(2 * byte + 2)) - start
        let heard = FloatKernels.dot(rest.span, start, line.span, start, count: count)
        let sent = FloatKernels.dot(line.span, start, line.span, start, count: count)
        // The noise has lowered the level that it is measured by.
        let share = levels[2 * byte + 1] / levels[max(0, 2 * byte - Self.levelReach)]
        return min(1, share) * Float(1 + heard / sent)
    }

    /// Looks at start and stop chips, without offset and hum: wrong is what is not likely to be noise.
    private mutating func frame(_ burst: borrowing NibbleBurst) {
        framed.growWiping(toHold: burst.nibbles)
        // Of the difference of two means.
        let noise = 2 * variance / Float(burst.samplesPerChip)
        for nibble in 0..<burst.nibbles {
            let start = burst.time(nibble)
            let end = burst.time(nibble + 1)
            let chip = (end - start) / Double(NibbleChips.count)
            let ends = mean(from: start, to: start + chip) - mean(from: end - chip, to: end) + 2
            if ends <= 0 { upsideDown += 1 }
            // Half of the energy of the difference between 2 and -2.
            framed.append(4 * ends > -Self.leastDoubt * noise)
        }
    }

    /// Mean of what is left from a time to another.
    private func mean(from start: Double, to end: Double) -> Float {
        let samples = rest[Self.sample(at: start)..<Self.sample(at: end)]
        return samples.reduce(0, +) / Float(max(1, samples.count))
    }
}
