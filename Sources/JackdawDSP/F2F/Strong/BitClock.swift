import JackdawBytes

/// The positions of a swipe's bit cells, and their apparent bits.
struct BitClock {
    /// Cell boundaries in samples, ascending.
    var boundaries: [Float]
    /// One bit per cell.
    @Wiped var bits: [UInt8]
    /// Polarity of the transition at the first boundary: 0 positive, 1 negative.
    var startSign: Int

    /// The rate at which the card's speed may change.
    enum Pace {
        /// Hardly, or uniformly over the whole card.
        case even
        /// Within a large part of the card.
        case steady
        /// Within a few characters, as in a hesitation.
        case hasty

        /// Cells to either side over which the median of the speed is taken.
        func medianReach(cells: Int) -> Int {
            switch self {
            case .even: max(12, cells / 3)
            case .steady: max(12, cells / 16)
            case .hasty: 8
            }
        }
    }

    /// How far the length of a cell may be from the length that the smoothed speed gives.
    enum Scope {
        /// The speed is from a first pass.
        case wide
        /// The speed was refined before.
        case close
        /// Transitions overlap, so that four cells may look like five shorter ones.
        case tight

        fileprivate var search: SegmentalViterbi {
            switch self {
            case .wide: BitClock.wideSearch
            case .close: BitClock.closeSearch
            case .tight: BitClock.tightSearch
            }
        }
    }

    /// Samples per nominal cell in the refining search, and the cell lengths that it allows.
    private static let searchSamplesPerCell = 48
    private static let wideSearch = SegmentalViterbi(lengths: Array(30..<78))
    private static let closeSearch = SegmentalViterbi(lengths: Array(36..<68))
    private static let tightSearch = SegmentalViterbi(lengths: Array(44..<53))
    private static let clockCost: Float = 2500
    /// The integer to which that search scales a score of 1, at most.
    private static let finestUnit: Float = 128

    /// Estimates the clock again after removing the speed: on a grid that follows the smoothed speed of this clock,
    /// with an equaliser trained on its bits, and with a much stiffer clock than in the first pass.
    func refined(on sound: WorkingSound, pace: Pace, scope: Scope) -> (clock: BitClock, explained: Float)? {
        let grid = speedGrid(limit: Float(sound.samples.count), pace: pace)
        guard grid.count > 40 else { return nil }
        let signal = CellPhaseSignal(sound, boundaries: grid)
        var levels = CellEqualiser.levels(bits: bits, startSign: startSign)
        let equaliser = CellEqualiser(signal, lessons(on: grid, signal), levels: levels)
        var fine = Self.interpolated(equaliser.output)
        defer {
            levels.wipe()
            fine.wipe()
        }
        let certainty = equaliser.certainty
        let ratio = Self.searchSamplesPerCell / CellPhaseSignal.samplesPerCell
        let search = scope.search
        let limit = search.scoreLimit
        let unit = min(Float(limit) / (certainty.max() ?? 1), Self.finestUnit)
        func pulseScores(sign: Float) -> [Int16] {
            var scores = fine.indices.map { (sign * fine[$0] - 0.5) * certainty[$0 / ratio] }
            defer { scores.wipe() }
            return scores.wholeNumbers(unit: unit, limit: limit)
        }
        var (positive, negative) = (pulseScores(sign: 1), pulseScores(sign: -1))
        defer {
            positive.wipe()
            negative.wipe()
        }
        var scores = SegmentalViterbi.PulseScores(count: fine.count, unit: unit, rows: 1)
        scores.setRow(0, positive: positive, negative: negative)
        if !signal.lost.isEmpty { scores.forgive { signal.lost[$0 / ratio] } }
        guard let path = search.bestPath(scores, rateCost: Self.clockCost), path.bits.count > 20 else {
            return nil
        }
        let first = Float(signal.offset(ofBoundary: 0))
        let times = path.boundaries.map {
            CellPhaseSignal.time(
                ofPhase: ($0 / Float(ratio) - first) / Float(CellPhaseSignal.samplesPerCell), boundaries: grid)
        }
        return (
            BitClock(boundaries: times, bits: path.bits, startSign: path.startSign), equaliser.explained
        )
    }

    /// The boundaries after local quadratic smoothing (Savitzky-Golay), with a shorter reach towards the ends.
    func smoothedBoundaries(reach: Int) -> [Float] {
        let times = boundaries
        var smoothed = times
        for index in times.indices {
            let near = min(reach, index, times.count - 1 - index)
            guard near > 1 else { continue }
            var sum: Float = 0
            let scale = 3 / Float((2 * near - 1) * (2 * near + 1) * (2 * near + 3))
            let centre = 3 * near * near + 3 * near - 1
            for offset in -near...near {
                sum += scale * Float(centre - 5 * offset * offset) * times[index + offset]
            }
            smoothed[index] = sum
        }
        for index in smoothed.indices.dropFirst() {
            smoothed[index] = max(smoothed[index], smoothed[index - 1] + 1e-3)
        }
        return smoothed
    }

    /// Boundaries with more cells at both ends, whose length continues to change as it did over the last ones.
    static func extended(_ boundaries: ArraySlice<Float>, before: Int, after: Int) -> [Float] {
        let earlier = continuation(boundaries.reversed().map { -$0 }, count: before)
        return earlier.reversed().map { -$0 } + boundaries + continuation(Array(boundaries), count: after)
    }

    /// Cells in each of the two stretches from which the change of speed at an end is estimated.
    private static let trendReach = 6
    /// The largest relative change of cell length, from one cell to the next, that is extrapolated.
    private static let steepestTrend: Float = 0.02

    private static func continuation(_ boundaries: [Float], count: Int) -> [Float] {
        let last = boundaries.count - 1
        let reach = min(trendReach, last / 2)
        guard reach > 0 else { return [] }
        let late = (boundaries[last] - boundaries[last - reach]) / Float(reach)
        let early = (boundaries[last - reach] - boundaries[last - 2 * reach]) / Float(reach)
        // Rounding may give cells a length of 0; then there is no trend either.
        let change = late > 0 ? late / early - 1 : 0
        let trend = min(max(change / Float(reach), -steepestTrend), steepestTrend)
        var time = boundaries[last]
        var length = late * (1 + trend * Float(reach) / 2)
        return (0..<count).map { _ in
            length *= 1 + trend
            time += length
            return time
        }
    }

    /// Boundaries at the smoothed speed of this clock, ignoring its phase.
    /// - Parameters:
    ///   - limit: samples of the sound.
    ///   - pace: how fast the speed may change.
    ///   - margin: cells beyond both ends; default: a dozen.
    /// - Returns: the boundaries in samples, ascending.
    func speedGrid(limit: Float, pace: Pace, margin: Int = 12) -> [Float] {
        let lengths = smoothedLengths(pace: pace)
        var grid: [Float] = []
        var time = boundaries[0]
        var ahead: [Float] = []
        for _ in 0..<margin {
            time -= lengths[0]
            if time < 0 { break }
            ahead.append(time)
        }
        grid = ahead.reversed()
        time = boundaries[0]
        var cell = 0
        let end = min(limit - 1, boundaries[boundaries.count - 1] + Float(margin) * lengths[lengths.count - 1])
        while time < end {
            grid.append(time)
            while cell + 1 < lengths.count, boundaries[cell + 1] <= time { cell += 1 }
            time += lengths[cell]
        }
        return grid
    }

    /// Lengths of the cells in samples.
    var cellLengths: [Float] { zip(boundaries.dropFirst(), boundaries).map { $0 - $1 } }

    /// Cell lengths after a median, which ignores slips, and a mean over 9 cells.
    private func smoothedLengths(pace: Pace) -> [Float] {
        let lengths = cellLengths
        let medians = lengths.slidingMedians { index in
            min(pace.medianReach(cells: lengths.count), max(8, min(index, lengths.count - 1 - index)))
        }
        return medians.indices.map { index in
            let near = medians[max(0, index - 4)..<min(medians.count, index + 5)]
            return near.reduce(0, +) / Float(near.count)
        }
    }

    /// The positions of this clock's boundaries and middles on a grid.
    private func lessons(on grid: [Float], _ signal: CellPhaseSignal) -> CellEqualiser.Lessons {
        let first = signal.offset(ofBoundary: 0)
        var cell = 0
        let offsets = (0...2 * bits.count).map { index in
            let boundary = index / 2
            let time =
                index.isMultiple(of: 2) ? boundaries[boundary] : (boundaries[boundary] + boundaries[boundary + 1]) / 2
            while cell + 2 < grid.count, grid[cell + 1] <= time { cell += 1 }
            let phase = Float(cell) + (time - grid[cell]) / (grid[cell + 1] - grid[cell])
            return first + Int((phase * Float(CellPhaseSignal.samplesPerCell)).rounded())
        }
        return CellEqualiser.Lessons(signal, at: offsets)
    }

    /// Three samples for each one, by cubic interpolation; zero near the ends, where the interpolation lacks
    /// neighbours.
    private static func interpolated(_ input: [Float]) -> [Float] {
        let factor = searchSamplesPerCell / CellPhaseSignal.samplesPerCell
        var output = [Float](repeating: 0, count: input.count * factor)
        for index in 1..<max(input.count - 2, 1) {
            for part in 0..<factor {
                output[index * factor + part] = CellPhaseSignal.interpolate(
                    input, after: index, share: Float(part) / Float(factor))
            }
        }
        return output
    }
}

/// The first pass over a swipe: matched filters for each cell length, a levelled amplitude, and the segmental search
/// over a wide range of speeds.
struct TimingSearch {
    /// The search's assumptions about a swipe.
    struct Tuning {
        /// Width of a head pulse at half maximum, as a share of the bit cell.
        var pulseShare: Double
        /// The largest distance of a transition from its position on the clock, as a share of the bit cell.
        var jitterReach = 0.1
        /// Cost of such a displacement: per squared bit cell, in units of a pulse's score.
        var jitterCost = 4.0
        /// Cost of a change of cell length, per squared relative change.
        var rateCost: Double
        /// If the envelope is below this share of its 90th percentile, only noise is left: the gain does not rise
        /// further.
        var leastEnvelope: Float = 0.3
    }

    /// Cell lengths searched, in samples: finer for short ones. Eight lengths (one vector) share a filter.
    static let cellLengths: [Int] =
        Array(13..<31) + Array(stride(from: 31, to: 61, by: 2)) + Array(stride(from: 61, to: 89, by: 4))

    private let viterbi = SegmentalViterbi(lengths: Self.cellLengths)

    init() {}

    /// Searches for a clock.
    /// - Parameters:
    ///   - sound: the sound.
    ///   - tuning: the assumptions about a swipe.
    ///   - extent: the times of the segment between which cells may be; default: all.
    /// - Returns: the best path; nil if no part of the sound has a score.
    func run(
        _ sound: WorkingSound, tuning: Tuning, within extent: ClosedRange<Float>? = nil
    ) -> SegmentalViterbi.Path? {
        guard let extent else { return run(all: sound, tuning: tuning) }
        guard let (part, start) = sound.part(extent), var path = run(all: part, tuning: tuning) else { return nil }
        for index in path.boundaries.indices { path.boundaries[index] += Float(start) }
        return path
    }

    private func run(all sound: WorkingSound, tuning: Tuning) -> SegmentalViterbi.Path? {
        let count = sound.samples.count
        guard count > 4 * Self.cellLengths[0], count <= SegmentalViterbi.longestSegment else {
            return nil
        }
        return viterbi.bestPath(scores(sound, tuning: tuning), rateCost: Float(tuning.rateCost))
    }

    /// The integer to which a pulse's score of 1 is scaled.
    private static let unit: Float = 128

    /// Scores of a pulse at or near each sample, less a half, for each vector of cell lengths.
    private func scores(_ sound: WorkingSound, tuning: Tuning) -> SegmentalViterbi.PulseScores {
        let rows = Self.cellLengths.count / 8
        var scores = SegmentalViterbi.PulseScores(count: sound.samples.count, unit: Self.unit, rows: rows)
        for vector in 0..<rows {
            let lengths = Self.cellLengths[8 * vector..<8 * vector + 8]
            let middle = Double(lengths.reduce(0, +)) / 8
            var filtered = PulseFilter.apply(to: sound.samples, width: max(tuning.pulseShare * middle, 1.4))
            Envelope.normalise(
                &filtered, blockLength: max(24, Self.cellLengths[8 * vector + 7] * 3 / 2), least: tuning.leastEnvelope)
            let reach = Int((tuning.jitterReach * middle).rounded())
            let cost = Self.unit * Float(tuning.jitterCost / (middle * middle))
            var levels = filtered.wholeNumbers(unit: Self.unit, limit: viterbi.scoreLimit - Int16(Self.unit) / 2)
            var positive = Self.dilate(levels, reach: reach, cost: cost, sign: 1)
            var negative = Self.dilate(levels, reach: reach, cost: cost, sign: -1)
            defer {
                filtered.wipe()
                levels.wipe()
                positive.wipe()
                negative.wipe()
            }
            scores.setRow(vector, positive: positive, negative: negative)
        }
        if sound.hasLosses {
            scores.forgive { sound.lostSign(at: Float($0)) }
        }
        return scores
    }

    /// For each sample the greatest value of `sign * input` within `reach` samples, after `cost` times the square of
    /// the distance in samples and half a unit are subtracted.
    private static func dilate(_ input: [Int16], reach: Int, cost: Float, sign: Int16) -> [Int16] {
        let half = Int16(unit) / 2
        let penalties = (0...reach).map { SIMD8(repeating: half + Int16((cost * Float($0 * $0)).rounded())) }
        var padded = [Int16](repeating: -16 * half, count: input.count + 2 * reach + 8)
        defer { padded.wipe() }
        for index in input.indices { padded[reach + index] = sign * input[index] }
        var output = [Int16](repeating: 0, count: input.count + 8)
        unsafe padded.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                for start in stride(from: 0, to: input.count, by: 8) {
                    let centre = unsafe source.baseAddress! + 2 * (start + reach)
                    var best = unsafe centre.loadUnaligned(as: SIMD8<Int16>.self) &- penalties[0]
                    for distance in 1..<max(reach + 1, 1) {
                        let before = unsafe (centre - 2 &* distance).loadUnaligned(as: SIMD8<Int16>.self)
                        let after = unsafe (centre + 2 &* distance).loadUnaligned(as: SIMD8<Int16>.self)
                        best = .larger(best, .larger(before, after) &- penalties[distance])
                    }
                    unsafe target.storeBytes(of: best, toByteOffset: 2 * start, as: SIMD8<Int16>.self)
                }
            }
        }
        output.removeLast(8)
        return output
    }
}
