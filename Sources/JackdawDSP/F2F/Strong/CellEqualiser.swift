import JackdawBytes

/// A least-squares equaliser over two bit cells, trained on the bits decided so far. It turns head pulses of any width
/// and skew into +1, -1 and 0 at the positions of the transitions.
struct CellEqualiser {
    private static let reach = CellPhaseSignal.samplesPerCell
    /// Coefficients that are estimated.
    static let taps = 2 * reach + 1
    private static let ridge = 0.02
    /// Power assumed for a lost sample, relative to the mean: it was lost because it was large. Its neighbours were
    /// lost with it, so their errors add up in phase.
    private static let lostPower: Float = 1

    /// Output at every phase: +1 at a positive transition, -1 at a negative one, 0 between transitions.
    @Wiped private(set) var output: [Float]
    /// Reciprocal of the expected squared error at every phase: small if the sound is faint.
    let certainty: [Float]
    /// Share of the target levels that the output explains: about 0.7 for noise decoded as bits, 0.9 and more for a
    /// swipe.
    let explained: Float

    /// The factor from `errorGrowth(_:)`.
    private(set) var errorGrowth: Float = 1
    /// Standard deviation of the errors, relative to `certainty`, estimated from their median, which drop-outs do not
    /// raise.
    var usualError: Float {
        let sorted = errors.map(abs).sorted()
        return sorted.isEmpty ? 1 : 1.5 * sorted[sorted.count / 2]
    }
    /// Errors of the lessons, relative to `certainty`.
    private var errors: [Float] = []

    /// - Parameters:
    ///   - signal: the sound by phase.
    ///   - lessons: the positions of training.
    ///   - levels: the target at each of them: +1, -1, or 0 for no pulse.
    init(_ signal: CellPhaseSignal, _ lessons: Lessons, levels: [Float]) {
        let weights = lessons.taps(for: levels, signal)
        let output = FilterSystem.apply(weights, to: signal.samples)
        self.output = output
        var missed: Float = 0
        var wanted: Float = 1e-9
        // Error = distortion + noise, which grows with the gain: fit a straight line to the squared errors.
        var line = SymmetricSystem(unknowns: 2)
        for index in lessons.taught {
            let (offset, level) = (lessons.offsets[index], levels[index])
            let miss = output[offset] - level
            let gain = max(signal.gains[offset], 1)
            missed += miss * miss / (gain * gain)
            wanted += level * level / (gain * gain)
            let power = Double(signal.gains[offset]) * Double(signal.gains[offset])
            line.accumulate([1, power], target: Double(miss) * Double(miss), weight: 1 / max(1, power * power))
        }
        explained = 1 - missed / wanted
        let fit = line.solve(ridge: 1e-6)
        let slope = Float(max(fit[1], 0))
        let distortion = max(Float(fit[0]), 2e-3)
        let missing = Self.missing(signal, weights: weights)
        certainty = signal.gains.indices.map { index in
            let gain = signal.gains[index]
            return 1 / (distortion + slope * gain * gain + (missing.isEmpty ? 0 : missing[index]))
        }
    }

    /// Expected squared error from lost samples under the filter; their level is about 1.
    private static func missing(_ signal: CellPhaseSignal, weights: [Float]) -> [Float] {
        guard !signal.lost.isEmpty else { return [] }
        let lost = signal.lost.map { $0 == 0 ? 0 : lostPower }
        return FilterSystem.apply(weights.map { $0 * $0 }, to: lost)
    }

    /// The target levels at every boundary and middle in turn: `2 * bits.count + 1` values. The caller must overwrite
    /// the array.
    static func levels(bits: [UInt8], startSign: Int) -> [Float] {
        var levels = [Float](repeating: 0, count: 2 * bits.count + 1)
        var level: Float = startSign == 0 ? 1 : -1
        levels[0] = level
        for (cell, bit) in bits.enumerated() {
            if bit == 1 {
                levels[2 * cell + 1] = -level
            } else {
                level = -level
            }
            levels[2 * cell + 2] = level
        }
        return levels
    }

    /// Creates an equaliser trained on bits.
    /// - Parameters:
    ///   - signal: the sound by phase.
    ///   - lessons: the positions of training, made from the signal's cells.
    ///   - bits: one bit for each cell of the signal.
    ///   - startSign: polarity of the first boundary.
    init(_ signal: CellPhaseSignal, _ lessons: Lessons, bits: [UInt8], startSign: Int) {
        var levels = Self.levels(bits: bits, startSign: startSign)
        levels.removeSubrange(..<lessons.firstPlace)
        levels.removeLast(levels.count - lessons.offsets.count)
        defer { levels.wipe() }
        self.init(signal, lessons, levels: levels)
        let output = output
        errors = levels.indices.map { index in
            let offset = lessons.offsets[index]
            return (levels[index] - output[offset]) * certainty[offset].squareRoot()
        }
        errorGrowth = Self.errorGrowth(errors)
    }

    /// The factor by which the variance that separates two messages exceeds the one that `certainty` implies.
    ///
    /// The closest two messages differ by (1, -2, 1) at neighbouring positions (01 for 10, 00 for 11), at which errors
    /// of opposite signs, such as those of a sharpening filter, add up. Moreover, an equaliser fits its training data
    /// better than anything else: over `n` lessons, `p` taps make errors too small by (n - p) / (n + p).
    private static func errorGrowth(_ errors: [Float]) -> Float {
        func correlation(_ lag: Int) -> Float {
            zip(errors.dropFirst(lag), errors).reduce(0) { $0 + $1.0 * $1.1 } / Float(max(errors.count - lag, 1))
        }
        let overfit = Float(errors.count + taps) / Float(max(errors.count - taps, 1))
        return overfit * max(correlation(0) - correlation(1) * 4 / 3 + correlation(2) / 3, 0.1)
    }

    /// The largest log-likelihood (nats) of a single position: beyond it, a click or a scratch is more likely.
    private static let maxLikelihood: Float = 8

    /// Mean square of the output over a cell, before the amplitude was levelled: the power that passes the filter.
    func power(ofCell cell: Int, _ signal: CellPhaseSignal) -> Float {
        let output = output
        let opens = signal.offset(ofBoundary: cell)
        let sum = (opens..<opens + CellPhaseSignal.samplesPerCell).reduce(Float(0)) { sum, place in
            let value = output[place] / max(signal.gains[place], 1e-6)
            return sum + value * value
        }
        return sum / Float(CellPhaseSignal.samplesPerCell)
    }

    private static func bounded(_ likelihood: Float) -> Float { min(max(likelihood, -maxLikelihood), maxLikelihood) }

    /// The likelihood of a pulse at each boundary and in the middle of each cell.
    /// - Parameters:
    ///   - signal: the signal from which the equaliser was made.
    ///   - pulseLevels: the level of pulses at each boundary; default: 1.
    /// - Returns: the evidence for all of the signal's cells.
    func evidence(for signal: CellPhaseSignal, pulseLevels: [Float]? = nil) -> CellEvidence {
        let first = signal.offset(ofBoundary: 0)
        let half = CellPhaseSignal.samplesPerCell / 2
        let output = output
        // Filled in place: growing would leave unwiped copies.
        var boundaries = [Float](repeating: 0, count: 2 * signal.count + 2)
        var middles = [Float](repeating: 0, count: 2 * signal.count)
        for place in 0...2 * signal.count {
            let centre = first + place * half
            let level = pulseLevels.map { min($0[place / 2], $0[(place + 1) / 2]) } ?? 1
            let certainty = certainty[centre] * level / errorGrowth
            func likelihood(_ sign: Float) -> Float {
                let likelihood = Self.bounded((output[centre] * sign - 0.5 * level) * certainty)
                let hides = !signal.lost.isEmpty && Float(signal.lost[centre]) == sign
                return hides ? max(likelihood, 0) : likelihood
            }
            let pair = place & ~1
            if place == pair {
                (boundaries[pair], boundaries[pair + 1]) = (likelihood(1), likelihood(-1))
            } else {
                (middles[pair], middles[pair + 1]) = (likelihood(1), likelihood(-1))
            }
        }
        return CellEvidence(count: signal.count, boundaries: boundaries, middles: middles)
    }
}

extension CellEqualiser {
    /// The positions at which an equaliser is trained. The normal equations depend on the bits only in their right
    /// sides, so equalisers that are trained on other bits at the same positions share the rest.
    struct Lessons {
        /// Index of each sample in the phase signal.
        let offsets: [Int]
        /// Place of the first one among the boundaries and middles of the signal.
        fileprivate let firstPlace: Int
        /// Those that are used: not too close to an end, and not lost.
        fileprivate let taught: [Int]
        private let factors: SymmetricSystem.Factors

        /// - Parameters:
        ///   - signal: the sound by phase.
        ///   - offsets: index of each sample in it.
        ///   - firstPlace: place of the first one among the boundaries and middles of the signal.
        init(_ signal: CellPhaseSignal, at offsets: [Int], firstPlace: Int = 0) {
            self.offsets = offsets
            self.firstPlace = firstPlace
            let samples = signal.samples
            let inside = CellEqualiser.reach..<(samples.count - CellEqualiser.reach - FilterSystem.margin)
            taught = offsets.indices.filter {
                inside.contains(offsets[$0]) && Self.isHeard(signal, at: offsets[$0])
            }
            var system = FilterSystem(taps: CellEqualiser.taps)
            for index in taught {
                let offset = offsets[index]
                system.accumulate(samples, from: offset - CellEqualiser.reach, weight: Self.weight(signal, at: offset))
            }
            factors = system.factorised(ridge: CellEqualiser.ridge)
        }

        /// The positions of the boundaries and middles of a signal's cells.
        /// - Parameters:
        ///   - signal: the sound by phase.
        ///   - cells: the cells used for training; default: all.
        init(_ signal: CellPhaseSignal, cells: Range<Int>? = nil) {
            let cells = cells ?? 0..<signal.count
            let first = signal.offset(ofBoundary: 0)
            let places = 2 * cells.lowerBound..<2 * cells.upperBound + 1
            self.init(
                signal, at: places.map { first + $0 * CellPhaseSignal.samplesPerCell / 2 },
                firstPlace: places.lowerBound)
        }

        /// The least-squares taps for a target at each position.
        fileprivate func taps(for levels: [Float], _ signal: CellPhaseSignal) -> [Float] {
            var moments = FilterSystem.Moments(taps: CellEqualiser.taps)
            for index in taught where levels[index] != 0 {
                let offset = offsets[index]
                moments.accumulate(
                    signal.samples, from: offset - CellEqualiser.reach,
                    target: Self.weight(signal, at: offset) * levels[index])
            }
            return factors.solve(moments.values).map { Float($0) }
        }

        private static func weight(_ signal: CellPhaseSignal, at offset: Int) -> Float {
            let gain = max(signal.gains[offset], 1)
            return 1 / (gain * gain)
        }

        private static func isHeard(_ signal: CellPhaseSignal, at offset: Int) -> Bool {
            signal.lost.isEmpty || signal.lost[offset - 2..<offset + 3].allSatisfy { $0 == 0 }
        }
    }
}

/// Normal equations for the taps of a filter, accumulated eight per vector from the samples under it.
struct FilterSystem {
    private let taps: Int
    /// Vectors per row.
    private let width: Int
    /// Rows of the Gram matrix up to its diagonal, `width` vectors each.
    private var gram: [SIMD8<Float>]
    private var moments: Moments

    init(taps: Int) {
        self.taps = taps
        width = (taps + 7) / 8
        gram = .init(repeating: .zero, count: taps * width)
        moments = Moments(taps: taps)
    }

    /// Samples that must follow the last one under the filter: they are loaded, but have no effect.
    static let margin = 8

    /// Adds a target for the filter's output over the samples that start at `first`.
    mutating func accumulate(_ samples: [Float], from first: Int, target: Float, weight: Float) {
        moments.accumulate(samples, from: first, target: weight * target)
        accumulate(samples, from: first, weight: weight)
    }

    /// Adds the samples that start at `first`, without a target.
    mutating func accumulate(_ samples: [Float], from first: Int, weight: Float) {
        precondition(first >= 0 && first + 8 * width <= samples.count)
        let (taps, width) = (taps, width)
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe gram.withUnsafeMutableBufferPointer { gram in
                let window = unsafe samples.baseAddress! + first
                let vectors = unsafe UnsafeRawPointer(window)
                for tap in 0..<taps {
                    let value = unsafe window[tap] * weight
                    let row = unsafe gram.baseAddress! + tap &* width
                    for vector in 0...tap / 8 {
                        unsafe row[vector] +=
                            value
                            * vectors.loadUnaligned(fromByteOffset: 32 &* vector, as: SIMD8<Float>.self)
                    }
                }
            }
        }
    }

    /// Solves for the least-squares taps.
    /// - Parameter ridge: added to the diagonal, as a share of its mean.
    /// - Returns: the number of taps for which the system was made.
    func solve(ridge: Double) -> [Float] { factorised(ridge: ridge).solve(moments.values).map { Float($0) } }

    /// Factorises the equations.
    /// - Parameter ridge: added to the diagonal, as a share of its mean.
    /// - Returns: the factors.
    func factorised(ridge: Double) -> SymmetricSystem.Factors {
        let rows = (0..<taps).flatMap { row in
            (0..<taps).map { column in Double(gram[row * width + column / 8][column % 8]) }
        }
        return SymmetricSystem(gram: rows, moments: .init(repeating: 0, count: taps)).factorised(ridge: ridge)
    }

    /// The right sides of the equations, accumulated likewise.
    struct Moments {
        private let taps: Int
        private var sums: [SIMD8<Float>]

        init(taps: Int) {
            self.taps = taps
            sums = .init(repeating: .zero, count: (taps + 7) / 8)
        }

        /// One value for each tap.
        var values: [Double] { (0..<taps).map { Double(sums[$0 / 8][$0 % 8]) } }

        /// Adds a target for the filter's output over the samples that start at `first`.
        mutating func accumulate(_ samples: [Float], from first: Int, target: Float) {
            precondition(first >= 0 && first + 8 * sums.count <= samples.count)
            unsafe samples.withUnsafeBytes { samples in
                for index in sums.indices {
                    sums[index] +=
                        target
                        * (unsafe samples.loadUnaligned(
                            fromByteOffset: 4 &* first &+ 32 &* index, as: SIMD8<Float>.self))
                }
            }
        }
    }

    /// Applies the filter: one output per sample, 0 if the filter would extend beyond an end, and 0 everywhere if there
    /// are too few samples for eight outputs.
    static func apply(_ taps: [Float], to samples: [Float]) -> [Float] {
        let reach = taps.count / 2
        var output = [Float](repeating: 0, count: samples.count)
        guard samples.count >= taps.count + 7 else { return output }
        let centres = reach..<samples.count - reach
        unsafe samples.withUnsafeBytes { samples in
            unsafe output.withUnsafeMutableBytes { output in
                for centre in stride(from: centres.lowerBound, to: centres.upperBound, by: 8) {
                    // The last eight overlap those before.
                    let place = 4 * min(centre, centres.upperBound - 8)
                    var sum = SIMD8<Float>.zero
                    for tap in taps.indices {
                        sum +=
                            unsafe taps[tap]
                            * samples.loadUnaligned(fromByteOffset: place + 4 * (tap - reach), as: SIMD8<Float>.self)
                    }
                    unsafe output.storeBytes(of: sum, toByteOffset: place, as: SIMD8<Float>.self)
                }
            }
        }
        return output
    }
}
