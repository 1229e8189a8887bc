/// Searches a window for Manchester, and for NRZ that carries it. Its zero crossings must keep to a rate near that of a
/// mode, be as far apart as the code allows, and recur frame by frame, which the crossings of a swiped card do not.
struct LevelSearch {
    private static let rateReach = 0.07
    private static let leastTransitions = 60
    private static let leastRegularity = 0.5
    private static let leastFrameSignificance = 4.5
    private static let leastFit = 0.2
    /// The power of a band with a signal that can be decoded is at least this factor over the noise.
    private static let leastHeight = 1.5
    /// A quarter of the sound is under this share of its root mean square: chips have 0.46 to 0.5, swipes 0.4 at most.
    private static let leastFlatness = 0.43
    /// If transitions keep to their rate this well, noise does not affect them.
    private static let quietRegularity = 0.93

    private let window: SoundWindow

    init(_ window: SoundWindow) { self.window = window }

    /// The most likely code and its place, in seconds from the start of the window.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func guess() throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        var best: (guess: LineGuess, place: Range<Double>)?
        for signature in LineSignature.levels {
            guard let found = try guess(signature), found.guess.significance > best?.guess.significance ?? 0 else {
                continue
            }
            best = found
        }
        return best
    }

    private func guess(
        _ signature: LineSignature.Levels
    ) throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        let baud = signature.baud
        guard baud * 1.05 < window.sampleRate / 2,
            window.height(in: 0.1 * baud...0.6 * baud) > LevelSearch.leastHeight
        else { return nil }
        let band = try window.lowBand(0.02 * baud..<baud, leastRate: 6 * baud)
        let values = band.values.map { $0.x }
        let slicer = Slicer(
            values, powers: values.map { Double($0 * $0) }, rate: band.rate, stretch: Int(12 * band.rate / baud))
        let range = baud * (1 - LevelSearch.rateReach)...baud * (1 + LevelSearch.rateReach)
        guard slicer.times.count >= LevelSearch.leastTransitions,
            let line = try TimingLine(slicer.times, in: range, window.shelf),
            line.strength > LevelSearch.leastRegularity,
            hasRuns(slicer, baud: line.frequency), try hasFrames(of: signature, slicer, baud: line.frequency),
            let place = slicer.heard(rate: band.rate)
        else { return nil }
        let fit = LineSignature.fit([line.frequency], to: [baud])
        guard fit > LevelSearch.leastFit else { return nil }
        guard line.strength < LevelSearch.quietRegularity || isFlat(values, slicer) else { return nil }
        let guess = LineGuess(
            modeName: signature.name, carrier: .levels,
            baud: line.frequency, fit: fit, regularity: min(1, line.strength), transitions: slicer.times.count,
            samples: 0..<0)
        return (guess, place)
    }

    /// Whether the levels last as long as the code allows: one chip or two, except for a share that noise may cause.
    private func hasRuns(_ slicer: Slicer, baud: Double) -> Bool {
        let lengths = zip(slicer.times, slicer.times.dropFirst()).map { ($1 - $0) * baud }
        func share(_ isCounted: (Double) -> Bool) -> Double {
            Double(lengths.count(where: isCounted)) / Double(lengths.count)
        }
        let (short, long) = (share { $0 < 1.5 }, share { $0 > 2.5 })
        // The sound of a swipe, whose characters form frames too, also crosses zero between its pulses, half a chip
        // apart.
        guard share({ (1.3..<1.7).contains($0) }) < 0.15 else { return false }
        // The half waves of a keyed tone are alike for a whole bit; those of chips are alike only by chance.
        let groups = lengths.split { $0 < 1.5 }
        let brief = groups.count { $0.count <= 3 }
        guard 2 * brief > groups.count, 40 * groups.count > lengths.count, long < 0.08 else { return false }
        return short > 0.15 && short < 0.95
    }

    /// Whether the sound stays on its levels, which cannot be measured in noise: the sound of a swipe consists of
    /// pulses.
    private func isFlat(_ values: [Float], _ slicer: Slicer) -> Bool {
        let magnitudes = values.indices.filter { slicer.sides[$0] != 0 }.map { Double(abs(values[$0])) }
        let meanSquare = magnitudes.reduce(0) { $0 + $1 * $1 } / Double(max(1, magnitudes.count))
        return magnitudes.quantile(0.25) > LevelSearch.leastFlatness * meanSquare.squareRoot()
    }

    /// Whether frames are contiguous: between the last symbol of one and the first of the next there is always the same
    /// transition, next to it half as often the opposite one, and elsewhere both are equally frequent. That leaves a
    /// line at each multiple of the frame rate. A frame has ten symbols, and the fourth line is one of the strongest.
    private func hasFrames(
        of signature: LineSignature.Levels, _ slicer: Slicer, baud: Double
    ) throws(SpectrumError) -> Bool {
        let rate = 4 * baud / signature.frame
        guard
            let line = try TimingLine(slicer.times, signs: slicer.signs, in: rate * 0.999...rate * 1.001, window.shelf)
        else { return false }
        return line.strength * Double(slicer.times.count).squareRoot() > LevelSearch.leastFrameSignificance
    }
}

extension LineGuess {
    /// How far the line of its rate exceeds the line that transitions at random times would give.
    fileprivate var significance: Double { regularity * Double(transitions).squareRoot() }
}

/// Converts a signal that alternates between two sides to the times of its changes.
struct Slicer {
    /// Zero crossings in seconds, in order.
    private(set) var times: [Double] = []
    /// For each crossing, 1 for a rising one, -1 for a falling one.
    private(set) var signs: [Double] = []
    /// The side of each value, 1 or -1; 0 if the signal is too weak there.
    private(set) var sides: [Int8]

    /// The signal must go this far to the other side, as a share of its usual magnitude, so that noise alone does not
    /// change sides.
    private static let hysteresis: Float = 0.3
    /// A stretch with less than this share of the loudest stretch's power is not of the same sender.
    private static let quiet = 0.2

    /// - Parameters:
    ///   - values: the signal.
    ///   - powers: the power at each value.
    ///   - rate: values per second.
    ///   - stretch: values over which the power is averaged.
    init(_ values: [Float], powers: [Double], rate: Double, stretch: Int) {
        sides = [Int8](repeating: 0, count: values.count)
        let smooth = powers.smoothed(reach: max(1, stretch / 2))
        let least = Slicer.quiet * (smooth.max() ?? 0)
        guard least > 0 else { return }
        let heard = smooth.indices.filter { smooth[$0] > least }
        let usual = heard.reduce(0) { $0 + powers[$1] } / Double(max(1, heard.count))
        let limit = Slicer.hysteresis * Float(usual.squareRoot())
        var (side, crossing) = (Int8(0), 0.0)
        for index in values.indices {
            guard smooth[index] > least else {
                side = 0
                continue
            }
            let value = values[index]
            if index > 0, (value > 0) != (values[index - 1] > 0) {
                let before = values[index - 1]
                crossing = Double(index - 1) + Double(before / (before - value))
            }
            let now: Int8 = value > limit ? 1 : value < -limit ? -1 : side
            if now != side {
                if side != 0 {
                    times.append(crossing / rate)
                    signs.append(Double(now))
                }
                side = now
            }
            sides[index] = side
        }
    }

    /// Runs of one side, as indices into ``sides``.
    func runs(of side: Int8) -> [Range<Int>] {
        var (runs, start) = ([Range<Int>](), 0)
        for index in 1...sides.count where index == sides.count || sides[index] != sides[start] {
            if sides[start] == side { runs.append(start..<index) }
            start = index
        }
        return runs
    }

    /// The time from the first value with a side to the last, in seconds.
    func heard(rate: Double) -> Range<Double>? {
        guard let first = sides.firstIndex(where: { $0 != 0 }), let last = sides.lastIndex(where: { $0 != 0 }) else {
            return nil
        }
        return Double(first) / rate..<Double(last + 1) / rate
    }
}
