import JackdawBytes

/// Decides the bits of a burst after its end, from all of its sound together.
///
/// The line's response to an edge is estimated from the burst itself, with the first decisions. Then each bit is
/// compared with its opposite over all samples that it affects. That is a matched filter for every bit, at any position
/// between the samples and free of interference from its neighbours. Hum and offset are removed by subtracting a
/// straight line through the residual around each sample.
struct NibbleScorer: Sendable, Wipeable {
    /// Amplitude of the chips, full scale 1.
    private(set) var level: Float = 0
    /// Variance of the noise per sample, full scale 1.
    private(set) var variance: Float = 0

    /// The number of nibbles on either side from which the level is estimated.
    private static let levelReach = 8
    /// The number of chips on either side from which hum is estimated.
    private static let humReach = 8.0
    /// Rounds in which bits may be turned over.
    private static let rounds = 3
    /// If fewer than one bit in so many is turned over, the line's response is not estimated again.
    private static let fewTurned = 100
    /// The least presence of a last byte.
    private static let leastPresence: Float = 0.55
    /// The log-likelihood ratio (nats) from which start and stop chip count as wrong. Their values are known, so a
    /// wrong one means that the nibble lies elsewhere.
    private static let leastDoubt: Float = 6

    private var response: LineResponse
    /// The chips as decided, +1 and -1.
    private var chips: [Float] = []
    /// The line as sent, from the decided chips.
    private var line: [Float] = []
    /// The sound divided by its level, and the residual of the estimate.
    private var sound: [Float] = []
    private var rest: [Float] = []
    private var levels: [Float] = []
    /// Log-likelihood ratios, four for a nibble, positive for a 1.
    private var ratios: [Float] = []
    private var framed: [Bool] = []

    /// Bytes of the burst, without trailing ones decoded from the noise after it.
    private(set) var bytes = 0

    /// - Parameter samplesPerChip: samples per chip in the bursts' sound.
    init(samplesPerChip: Double) { response = LineResponse(samplesPerChip: samplesPerChip) }

    /// Samples of sound that a burst needs before its first nibble and after its last one.
    var margin: Int { response.margin }

    /// Log-likelihood ratio (nats) of a data bit: positive for a 1.
    func ratio(_ nibble: Int, _ place: Int) -> Float { ratios[4 * nibble + place] }

    /// Nibbles whose start chip is not above their stop chip: about half, if the sound is no nibble line.
    private(set) var upsideDown = 0

    /// Whether start and stop chip are right.
    func isFramed(_ nibble: Int) -> Bool { framed[nibble] }

    /// Decides all bits of a burst.
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
        // The band limit rounds the edges, which lowers each chip: the line would settle at a higher level.
        level = mean * response.gain
    }

    /// Overwrites all sound and bits.
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

    /// Decides each bit from its own two chips.
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

    /// Divides the sound by its level; outside the burst it is zero.
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

    /// Subtracts the filtered line, as decided, from the sound.
    /// - Parameters:
    ///   - burst: the burst with its sound.
    ///   - isNew: whether to estimate the line's response again.
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

    /// Computes the line as sent.
    private mutating func draw(_ burst: borrowing NibbleBurst) {
        line.zero(first: line.count)
        var line = move(&self.line)
        // The line begins at the level of a stop chip, and nothing follows the last nibble.
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

    /// Subtracts from each sample a straight line through those around it: removes an offset and most of a hum.
    private static func flatten(_ samples: inout [Float], _ range: Range<Int>, reach: Int) {
        var baseline = [Float](repeating: 0, count: range.count)
        var target = baseline.mutableSpan
        var source = samples.mutableSpan
        let start = range.lowerBound + reach
        let inner = start..<max(start, range.upperBound - reach)
        // In the middle of the window, the straight line is at its mean.
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

    /// The least-squares line through a range of samples, evaluated at one of them.
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

    /// Compares each bit with its opposite and turns it over if that is likelier.
    /// - Returns: the number of bits turned over.
    private mutating func compare(_ burst: borrowing NibbleBurst) -> Int {
        var turned = 0
        for nibble in 0..<burst.nibbles {
            let start = burst.time(nibble)
            let chip = (burst.time(nibble + 1) - start) / Double(NibbleChips.count)
            for place in 0..<4 {
                let first = nibble * NibbleChips.count + 1 + 2 * place
                let change = response.change(in: rest.span, at: start + Double(1 + 2 * place) * chip)
                // Half of the energy of the difference, with the sign of the decided bit.
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

    /// The share of the decided signal that a byte's sound contains: 1, or some 0.2 if there is only noise.
    private func presence(ofByte byte: Int, _ burst: borrowing NibbleBurst) -> Float {
        let start = Self.sample(at: burst.time(2 * byte))
        let count = Self.sample(at: burst.time(2 * byte + 2)) - start
        let heard = FloatKernels.dot(rest.span, start, line.span, start, count: count)
        let sent = FloatKernels.dot(line.span, start, line.span, start, count: count)
        // The noise has lowered the level against which it is measured.
        let share = levels[2 * byte + 1] / levels[max(0, 2 * byte - Self.levelReach)]
        return min(1, share) * Float(1 + heard / sent)
    }

    /// Checks start and stop chips, without offset and hum: a chip is wrong if noise is an unlikely cause.
    private mutating func frame(_ burst: borrowing NibbleBurst) {
        framed.growWiping(toHold: burst.nibbles)
        // The variance of the difference of two means.
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

    /// Mean of the residual between two times.
    private func mean(from start: Double, to end: Double) -> Float {
        let samples = rest[Self.sample(at: start)..<Self.sample(at: end)]
        return samples.reduce(0, +) / Float(max(1, samples.count))
    }
}
