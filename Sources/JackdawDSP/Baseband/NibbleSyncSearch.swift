import JackdawBytes

/// Searches for the end of preamble and sync: a correlation over several nibbles for thirteen clock rates and both
/// polarities, normalised by the energy present. A standing offset and hum do not matter: the mean over a nibble, which
/// is zero in preamble and sync, is subtracted.
struct NibbleSyncSearch: Sendable, Wipeable {
    /// The result of a search: it needs more sound, or has found a sync.
    enum Result {
        case needsMore
        case found(NibbleSync)
    }

    /// The pattern to search for: nibbles of the preamble, followed by nibbles of the sync.
    struct Template: Sendable {
        /// The chips of a nibble of the preamble.
        var preamble: [Float]
        /// Preamble nibbles in the template.
        var preambles: Int
        /// The chips of a nibble of the sync.
        var sync: [Float]
        /// Sync nibbles in the template.
        var syncs: Int
        /// The least correlation of template and sound, 0 to 1.
        var leastCorrelation: Double

        /// Nibbles of preamble and sync.
        var nibbles: Int { preambles + syncs }
    }

    /// Grid points per chip.
    private static let grid = 4
    private static let pointsPerNibble = NibbleChips.count * grid
    /// Clock rates, relative to the nominal one: eighty chips blur if the clock is more than half a per cent off.
    private static let rates = (-6...6).map { 1 + 0.009 * Double($0) }
    /// Grid points that the template at the slowest clock and the window of the mean extend back, and ahead.
    private static let lookBack = 368
    private static let lookAhead = 72
    private static let block = 1_024
    private static let points = lookBack + block + lookAhead
    /// The least amplitude, full scale 1: half a step of 16-bit sound.
    private static let leastLevel = 0.5 / 32_768

    /// Position of the next anchor (end of the template) to examine, in steps.
    private(set) var position: Double
    private let stepsPerChip: Double
    private let pointSteps: Double
    private let template: Template
    private let chips: Int
    /// For each rate in turn: points from the start of each nibble to the anchor, the last nibble first.
    private let offsets: [Int]

    /// The running integral on the grid.
    private var integral = [Float](repeating: 0, count: points)
    /// The mean level of the chip that starts at each point, less the mean around it.
    private var levels = [Float](repeating: 0, count: points)
    private var energy = [Double](repeating: 0, count: points)
    private var preambleScores = [Float](repeating: 0, count: points)
    private var syncScores = [Float](repeating: 0, count: points)
    private var best = [Float](repeating: 0, count: points)

    init(template: Template, stepsPerChip: Double) {
        self.template = template
        chips = template.nibbles * NibbleChips.count
        self.stepsPerChip = stepsPerChip
        pointSteps = stepsPerChip / Double(Self.grid)
        offsets = Self.rates.flatMap { rate in
            (1...template.nibbles).map { Int((Double($0 * Self.pointsPerNibble) / rate).rounded()) }
        }
        position = Double(Self.lookBack) * pointSteps
    }

    /// The first step that is still needed.
    var neededFrom: Int { Int(position - Double(Self.lookBack) * pointSteps) }

    /// Chips of sound that must be kept.
    static let chipsInReach = points / grid + 2

    /// Steps that the search extends back from its position.
    var reach: Int { Int(Double(Self.lookBack) * pointSteps) + 1 }

    /// Starts again at the beginning.
    mutating func start() { position = Double(Self.lookBack) * pointSteps }

    /// Continues after a burst, with the first template that does not overlap it even at the fastest clock.
    mutating func start(after end: Double) {
        position = max(position, end + 0.93 * Double(chips) * stepsPerChip)
    }

    /// Overwrites all sound.
    mutating func wipe() {
        integral.zero(first: integral.count)
        levels.zero(first: levels.count)
        energy.zero(first: energy.count)
        preambleScores.zero(first: preambleScores.count)
        syncScores.zero(first: syncScores.count)
        best.zero(first: best.count)
    }

    /// Searches the sound that has arrived.
    mutating func advance(_ sums: Span<Double>, base: Int) -> Result {
        while position + Double(Self.block + Self.lookAhead) * pointSteps < Double(base + sums.count - 1) {
            if let sync = scanBlock(sums, base: base) { return .found(sync) }
        }
        return .needsMore
    }

    private mutating func scanBlock(_ sums: Span<Double>, base: Int) -> NibbleSync? {
        let origin = position - Double(Self.lookBack) * pointSteps
        let next = position + Double(Self.block) * pointSteps
        fillIntegral(sums, from: origin - Double(base))
        guard fillEnergy() else {
            position = next
            return nil
        }
        fillScores()
        fillBest()
        var found: (anchor: Int, correlation: Double)?
        let leastScore = Self.leastLevel * stepsPerChip * Double(chips)
        let least = leastScore * leastScore
        for anchor in Self.lookBack..<(Self.lookBack + Self.block) {
            if let found, anchor > found.anchor + Self.pointsPerNibble { break }
            let available = energy[anchor] - energy[anchor - template.nibbles * Self.pointsPerNibble]
            let score = Double(best[anchor])
            let most = available * Double(chips) / Double(Self.grid)
            guard score * score > template.leastCorrelation * template.leastCorrelation * most, most > least,
                score > (found?.correlation ?? 0), isSync(anchor)
            else { continue }
            found = (anchor, score)
        }
        guard let found else {
            position = next
            return nil
        }
        if found.anchor + Self.pointsPerNibble >= Self.lookBack + Self.block {
            // A better one may follow in the next block.
            position = origin + Double(found.anchor - Self.grid) * pointSteps
            return nil
        }
        position = origin + Double(found.anchor + 1) * pointSteps
        return refine(
            sums, base: base, anchor: origin + Double(found.anchor) * pointSteps, rate: rate(at: found.anchor))
    }

    private mutating func fillIntegral(_ sums: Span<Double>, from place: Double) {
        let first = sums.interpolated(at: place)
        let steps = pointSteps
        // Subtracts the block's mean; otherwise a standing offset would cost the signal on it precision.
        let mean = (sums.interpolated(at: place + Double(Self.points) * steps) - first) / Double(Self.points)
        var target = integral.mutableSpan
        for point in 0..<Self.points {
            let time = Double(point)
            target[point] = Float(sums.interpolated(at: place + time * steps) - first - time * mean)
        }
    }

    /// Fills the chip levels on the grid, less their mean, and their running energy.
    /// - Returns: whether the energy is above the threshold.
    private mutating func fillEnergy() -> Bool {
        var levels = move(&levels)
        var energy = move(&energy)
        let sum = Self.fill(&levels, &energy, from: integral.span)
        self.levels = levels
        self.energy = energy
        let least = Self.leastLevel * stepsPerChip
        return sum > least * least * Double(chips)
    }

    private static func fill(_ levels: inout [Float], _ energy: inout [Double], from integral: Span<Float>) -> Double {
        var target = levels.mutableSpan
        let last = points - grid
        for point in 0..<last { target[point] = integral[point + grid] - integral[point] }
        let half = pointsPerNibble / 2
        let scale = 1 / Float(pointsPerNibble)
        var sum = 0.0
        var running = energy.mutableSpan
        for point in half..<(last - half) {
            var mean: Float = 0
            for offset in 0..<grid { mean += integral[point + half + offset] - integral[point - half + offset] }
            target[point] -= mean * scale
            running[point] = sum
            sum += Double(target[point]) * Double(target[point])
        }
        for point in 0..<half { target[point] = 0 }
        for point in (last - half)..<points {
            target[point] = 0
            running[point] = sum
        }
        return sum
    }

    /// The scores of a preamble nibble and of a sync nibble that start at each point.
    private mutating func fillScores() {
        var preambleScores = move(&preambleScores)
        var syncScores = move(&syncScores)
        Self.fill(&preambleScores, levels.span, template.preamble)
        Self.fill(&syncScores, levels.span, template.sync)
        self.preambleScores = preambleScores
        self.syncScores = syncScores
    }

    private static func fill(_ scores: inout [Float], _ levels: Span<Float>, _ template: [Float]) {
        let source = unsafe levels.bytes
        var target = scores.mutableSpan
        for point in stride(from: 0, to: points - pointsPerNibble - grid - 7, by: 8) {
            var score = SIMD8<Float>.zero
            for chip in 0..<NibbleChips.count {
                score += template[chip] * FloatKernels.load(source, point + chip * grid)
            }
            store(score, &target, point)
        }
    }

    /// The best score of all rates and polarities for each anchor.
    private mutating func fillBest() {
        var best = move(&best)
        Self.fill(
            &best, preambleScores.span, syncScores.span, offsets.span, syncs: template.syncs,
            nibbles: template.nibbles)
        self.best = best
    }

    private static func fill(
        _ best: inout [Float], _ preambleScores: Span<Float>, _ syncScores: Span<Float>, _ offsets: Span<Int>,
        syncs: Int, nibbles: Int
    ) {
        var target = best.mutableSpan
        let first = unsafe preambleScores.bytes
        let second = unsafe syncScores.bytes
        for anchor in stride(from: lookBack, to: lookBack + block, by: 16) {
            var most = SIMD16<Float>.zero
            for rate in stride(from: 0, to: offsets.count, by: nibbles) {
                var sum = SIMD16<Float>.zero
                for nibble in rate..<rate + syncs {
                    sum += FloatKernels.loadSixteen(second, anchor &- offsets[nibble])
                }
                for nibble in rate + syncs..<rate + nibbles {
                    sum += FloatKernels.loadSixteen(first, anchor &- offsets[nibble])
                }
                sum.replace(with: -sum, where: sum .< 0)
                most.replace(with: sum, where: sum .> most)
            }
            for lane in 0..<16 { target[anchor + lane] = most[lane] }
        }
    }

    @inline(__always)
    private static func store(_ lanes: SIMD8<Float>, _ target: inout MutableSpan<Float>, _ index: Int) {
        for lane in 0..<8 { target[index + lane] = lanes[lane] }
    }

    private func score(at anchor: Int, rate: Int) -> Float {
        (0..<template.nibbles).reduce(0) { sum, nibble in
            sum + (nibble < template.syncs ? syncScores : preambleScores)[anchor - offset(nibble, rate: rate)]
        }
    }

    /// Points from the start of a nibble to the anchor.
    private func offset(_ nibble: Int, rate: Int) -> Int { offsets[rate * template.nibbles + nibble] }

    private func rate(at anchor: Int) -> Int {
        var most = 0
        for rate in 1..<Self.rates.count
        where abs(score(at: anchor, rate: rate)) > abs(score(at: anchor, rate: most)) { most = rate }
        return most
    }

    /// Whether the last nibbles are the sync: neither more of the preamble, which scores nearly as much, nor nibbles
    /// that score little while the others carry the sum.
    private func isSync(_ anchor: Int) -> Bool {
        let rate = rate(at: anchor)
        let score = score(at: anchor, rate: rate)
        let sign: Float = score < 0 ? -1 : 1
        let least = abs(score) / Float(2 * template.nibbles)
        return (0..<template.syncs).allSatisfy { nibble in
            let point = anchor - offset(nibble, rate: rate)
            let own = sign * syncScores[point]
            return own > least && own > sign * preambleScores[point]
        }
    }

    /// The best position and rate around a hit, in steps of a sixteenth of a chip and a sixth of a per cent; nil if the
    /// hit is only a rounding error of a much louder sound nearby.
    private func refine(_ sums: Span<Double>, base: Int, anchor: Double, rate: Int) -> NibbleSync? {
        var best = NibbleSync(position: anchor, period: 0, polarity: 1, level: 0)
        for rateStep in -4...4 {
            let chip = stepsPerChip / (Self.rates[rate] * (1 + 0.0015 * Double(rateStep)))
            for step in -6...6 {
                let end = anchor + Double(step) * stepsPerChip / 16
                var place = end - Double(base) - chip * Double(chips)
                var previous = sums.interpolated(at: place)
                var sum = 0.0
                for nibble in 0..<template.nibbles {
                    for sign in nibble < template.preambles ? template.preamble : template.sync {
                        place += chip
                        let here = sums.interpolated(at: place)
                        sum += Double(sign) * (here - previous)
                        previous = here
                    }
                }
                let level = Float(abs(sum) / (chip * Double(chips)))
                guard level > best.level else { continue }
                best = NibbleSync(
                    position: end, period: chip * Double(NibbleChips.count), polarity: sum < 0 ? -1 : 1, level: level)
            }
        }
        return Double(best.level) > Self.leastLevel ? best : nil
    }
}
