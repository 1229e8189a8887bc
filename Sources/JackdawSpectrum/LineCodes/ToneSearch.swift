import Glibc
import JackdawDSP

/// Searches a window for frequency shift keying. For each mode and some clock errors, the transitions between the
/// envelopes of the two tones must keep to a baud near that of the mode. The tones are then measured by themselves.
struct ToneSearch {
    /// Clock errors that are tried: the envelopes of each also cover tones that are 2 % off.
    private static let clocks = [0.955, 0.985, 1.015, 1.045]
    /// How far from the nominal baud the search goes, as a share of it.
    private static let baudReach = 0.1
    /// Fewest transitions from which a baud is estimated.
    private static let leastTransitions = 12
    /// Strength of the line of the baud times the root of the number of transitions: white noise reached 3.1 at most; a
    /// signal that decodes with one error in a hundred bits has 6 or more from fifty characters on.
    private static let leastSignificance = 3.8
    private static let leastRegularity = 0.42
    /// If transitions keep to their baud this well, the baud is certain.
    private static let clearRegularity = 0.85
    /// Share of the power by which one tone surpasses the other: noise has about 0.5.
    private static let leastContrast = 0.58
    private static let leastFit = 0.4
    /// The power of a band with a signal that can be decoded is at least this factor over the noise.
    private static let leastHeight = 2.0
    /// The power beside the tones is at most this share of theirs.
    private static let maxBeside = 0.3

    /// Limits for a keying whose tones belong to no mode: speech, music and swipes do not keep to a clock so well.
    private static let leastUnnamedRegularity = 0.65
    private static let leastUnnamedSignificance = 8.0
    private static let leastUnnamedBaud = 45.0
    private static let leastUnnamedTone = 150.0
    /// Distance of its tones, in bauds.
    private static let leastBaudsApart = 0.45
    private static let maxBaudsApart = 8.0
    /// Longest run of space bits: a start bit, nine bits of data and parity.
    private static let longestSpace = 11.5

    private let window: SoundWindow

    init(_ window: SoundWindow) { self.window = window }

    /// A keying that is tried, with its measurements.
    private struct Trial {
        var low: Double
        var high: Double
        var baud: Double
        var regularity = 0.0
        var contrast = 0.0
        var slicer: Slicer
        let rate: Double

        var significance: Double { regularity * Double(slicer.times.count).squareRoot() }
        var rank: Double { significance * contrast }
    }

    /// The most likely keying and its place, in seconds from the start of the window.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func guess() throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        var best: Trial?
        for signature in LineSignature.tones {
            for clock in ToneSearch.clocks {
                let (low, high, baud) = (signature.low * clock, signature.high * clock, signature.shift.baud * clock)
                guard high + 0.4 * baud < window.sampleRate / 2, isHeard(low, high, baud),
                    let trial = try trial(low, high, baud, reach: ToneSearch.baudReach)
                else { continue }
                if trial.rank > best?.rank ?? 0 { best = trial }
            }
        }
        guard let best, best.significance > ToneSearch.leastSignificance, let trial = try refined(best) else {
            return nil
        }
        return verdict(trial)
    }

    /// A trial with the tones measured by themselves, and the baud that its transitions keep to.
    private func refined(_ trial: Trial) throws(SpectrumError) -> Trial? {
        var trial = trial
        trial.baud = try slowerBaud(trial) ?? trial.baud
        for _ in 0..<3 {
            let low = try frequency(near: trial.low, side: -1, trial)
            let high = try frequency(near: trial.high, side: 1, trial)
            guard let next = try self.trial(low, high, trial.baud, reach: 0.03) else { return nil }
            trial = next
        }
        return trial
    }

    /// A keying whose tones belong to no mode, and its place, in seconds from the start of the window.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func unnamedGuess() throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        guard let (low, high) = try twoFrequencies() else { return nil }
        var best: Trial?
        var baud = max(ToneSearch.leastUnnamedBaud, (high - low) / ToneSearch.maxBaudsApart)
        while baud < min((high - low) / ToneSearch.leastBaudsApart, 2 * low) {
            if high + 0.4 * baud < window.sampleRate / 2, isHeard(low, high, baud),
                let trial = try trial(low, high, baud, reach: ToneSearch.baudReach), trial.rank > best?.rank ?? 0
            {
                best = trial
            }
            baud *= (1 + ToneSearch.baudReach) / (1 - ToneSearch.baudReach)
        }
        guard let best, let trial = try refined(best) else { return nil }
        // The idle line is mark: no character has so many bits of space.
        let longest = [Int8(-1), 1].map { side in trial.slicer.runs(of: side).map(\.count).max() ?? 0 }
        let isMarkHigh =
            longest[1] > longest[0] && Double(longest[1]) > ToneSearch.longestSpace * trial.rate / trial.baud
        return unnamedVerdict(trial, isMarkHigh: isMarkHigh)
    }

    private func unnamedVerdict(_ trial: Trial, isMarkHigh: Bool) -> (guess: LineGuess, place: Range<Double>)? {
        guard trial.contrast > ToneSearch.leastContrast, trial.regularity > ToneSearch.leastUnnamedRegularity,
            trial.significance > ToneSearch.leastUnnamedSignificance, isHeard(trial.low, trial.high, trial.baud),
            (ToneSearch.leastBaudsApart...ToneSearch.maxBaudsApart).contains((trial.high - trial.low) / trial.baud),
            let place = trial.slicer.heard(rate: trial.rate)
        else { return nil }
        let tones = LineBurst.Tones(
            mark: isMarkHigh ? trial.high : trial.low, space: isMarkHigh ? trial.low : trial.high)
        let guess = LineGuess(
            modeName: LineGuess.unnamed, carrier: .tones(tones), baud: trial.baud, fit: 0,
            regularity: min(1, trial.regularity), transitions: trial.slicer.times.count, samples: 0..<0)
        return (guess, place)
    }

    /// The two frequencies between which the sound alternates; nil if there are no two.
    private func twoFrequencies() throws(SpectrumError) -> (low: Double, high: Double)? {
        guard let range = window.occupied(from: ToneSearch.leastUnnamedTone) else { return nil }
        let centre = (range.lowerBound + range.upperBound) / 2
        let width = range.upperBound - range.lowerBound
        let band = try window.band(around: centre, reach: width, leastRate: 4 * width)
        var values: [(frequency: Double, power: Double)] = []
        for (first, second) in zip(band.values, band.values.dropFirst()) {
            let product = SIMD2(
                Double(first.x * second.x + first.y * second.y), Double(first.x * second.y - first.y * second.x))
            let turns = atan2(product.y, product.x) / (2 * .pi)
            values.append((band.centre + turns * band.rate, (product * product).sum().squareRoot()))
        }
        let total = values.reduce(0) { $0 + $1.power }
        guard total > 0 else { return nil }
        let mean = values.reduce(0) { $0 + $1.frequency * $1.power } / total
        let variance = values.reduce(0) { $0 + ($1.frequency - mean) * ($1.frequency - mean) * $1.power } / total
        // Two-means clustering: each value belongs to the nearer mean.
        var (low, high) = (mean - variance.squareRoot(), mean + variance.squareRoot())
        for _ in 0..<10 {
            var sums = (low: SIMD2<Double>.zero, high: SIMD2<Double>.zero)
            for (frequency, power) in values {
                let part = SIMD2(frequency * power, power)
                if frequency < (low + high) / 2 { sums.low += part } else { sums.high += part }
            }
            guard sums.low.y > 0, sums.high.y > 0 else { return nil }
            (low, high) = (sums.low.x / sums.low.y, sums.high.x / sums.high.y)
        }
        return low > ToneSearch.leastUnnamedTone ? (low, high) : nil
    }

    /// A guess with the parameters of the last one, without a search; nil if it would not be certain.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func guess(like last: LineGuess) throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        guard case .tones(let tones) = last.carrier else { return nil }
        let (low, high) = (min(tones.mark, tones.space), max(tones.mark, tones.space))
        guard isHeard(low, high, last.baud), let trial = try trial(low, high, last.baud, reach: 0.03),
            trial.regularity > ToneSearch.clearRegularity, try slowerBaud(trial) == nil
        else { return nil }
        guard last.modeName == LineGuess.unnamed else { return verdict(trial) }
        return unnamedVerdict(trial, isMarkHigh: tones.mark > tones.space)
    }

    /// Transitions that keep to a baud also keep to its multiples. Returns the slower baud of which this one is a
    /// multiple, if any.
    private func slowerBaud(_ trial: Trial) throws(SpectrumError) -> Double? {
        for divisor in [4.0, 3, 2] {
            let slower = trial.baud / divisor
            if let line = try TimingLine(trial.slicer.times, in: slower * 0.99...slower * 1.01, window.shelf),
                line.strength > 0.75 * trial.regularity
            {
                return line.frequency
            }
        }
        return nil
    }

    private func verdict(_ trial: Trial) -> (guess: LineGuess, place: Range<Double>)? {
        let fits = LineSignature.tones.map { signature in
            LineSignature.fit(
                [trial.low, trial.high, trial.baud], to: [signature.low, signature.high, signature.shift.baud])
        }
        guard let nearest = fits.indices.max(by: { fits[$0] < fits[$1] }), fits[nearest] > ToneSearch.leastFit,
            trial.significance > ToneSearch.leastSignificance, trial.regularity > ToneSearch.leastRegularity,
            trial.contrast > ToneSearch.leastContrast, let place = trial.slicer.heard(rate: trial.rate)
        else { return nil }
        let signature = LineSignature.tones[nearest]
        let isMarkLow = signature.shift.mark < signature.shift.space
        let tones = LineBurst.Tones(
            mark: isMarkLow ? trial.low : trial.high, space: isMarkLow ? trial.high : trial.low)
        let guess = LineGuess(
            modeName: signature.name, carrier: .tones(tones), baud: trial.baud, fit: fits[nearest],
            regularity: min(1, trial.regularity), transitions: trial.slicer.times.count, samples: 0..<0)
        return (guess, place)
    }

    /// Whether both tones stand out of the noise, and over the power beside them: the sound of a swipe is as loud
    /// there.
    private func isHeard(_ low: Double, _ high: Double, _ baud: Double) -> Bool {
        let reach = max(50, 0.5 * baud)
        let heights = [low, high].map { window.height(in: $0 - reach...$0 + reach) }
        let mean = (heights[0] + heights[1]) / 2
        guard heights.allSatisfy({ $0 > 1.2 }), mean > ToneSearch.leastHeight else { return false }
        let beside = [(low / 3, low - baud), (high + baud, min(1.7 * high, 0.45 * window.sampleRate))]
        return beside.allSatisfy { from, to in
            to - from < 100 || window.height(in: from...to) - 1 < ToneSearch.maxBeside * (mean - 1)
        }
    }

    private func trial(_ low: Double, _ high: Double, _ baud: Double, reach: Double) throws(SpectrumError) -> Trial? {
        let bands = try [low, high].map { (tone) throws(SpectrumError) in
            try window.band(around: tone, reach: baud, leastRate: 6 * baud)
        }
        let powers = bands.map { $0.values.map { Double(($0 * $0).sum()) } }
        let differences = powers[0].indices.map { Float(powers[1][$0].squareRoot() - powers[0][$0].squareRoot()) }
        let sums = powers[0].indices.map { powers[0][$0] + powers[1][$0] }
        let rate = bands[0].rate
        let slicer = Slicer(differences, powers: sums, rate: rate, stretch: Int(6 * rate / baud))
        guard slicer.times.count >= ToneSearch.leastTransitions,
            let line = try TimingLine(slicer.times, in: baud * (1 - reach)...baud * (1 + reach), window.shelf)
        else { return nil }
        var (difference, total) = (0.0, 0.0)
        for index in sums.indices where slicer.sides[index] != 0 {
            difference += abs(powers[1][index] - powers[0][index])
            total += sums[index]
        }
        return Trial(
            low: low, high: high, baud: line.frequency, regularity: line.strength,
            contrast: total > 0 ? difference / total : 0, slicer: slicer, rate: rate)
    }

    /// The frequency of one tone while it is on, away from the transitions: the frequency of the most power, summed run
    /// by run, since phases differ from run to run. The other tone does not shift it as it would shift the peak of a
    /// spectrum.
    private func frequency(
        near nominal: Double, side: Int8, _ trial: Trial
    ) throws(SpectrumError) -> Double {
        let centre = (trial.low + trial.high) / 2
        let reach = (trial.high - trial.low) / 2 + 1.5 * trial.baud
        let band = try window.band(around: centre, reach: 1.3 * reach, leastRate: 0)
        let steps = -12...12
        var power = [Double](repeating: 0, count: steps.count)
        for run in trial.slicer.runs(of: side) {
            var start = Double(run.lowerBound) / trial.rate + 0.2 / trial.baud
            let end = Double(run.upperBound) / trial.rate - 0.2 / trial.baud
            while end - start > 0.4 / trial.baud {
                let pieceEnd = min(end, start + 3 / trial.baud)
                let first = Int((start * band.rate).rounded(.up))
                let last = min(band.values.count, Int(pieceEnd * band.rate) + 1)
                if last - first > 1 {
                    let piece = band.values[first..<last]
                    for step in steps {
                        let tone = nominal * (1 + 0.005 * Double(step)) - band.centre
                        power[step - steps.lowerBound] += Self.power(of: piece, at: tone / band.rate)
                    }
                }
                start = pieceEnd
            }
        }
        guard let peak = power.indices.max(by: { power[$0] < power[$1] }), power[peak] > 0 else { return nominal }
        var shift = 0.0
        if peak > 0, peak < power.count - 1 {
            let curvature = power[peak - 1] - 2 * power[peak] + power[peak + 1]
            if curvature < 0 { shift = (power[peak - 1] - power[peak + 1]) / curvature / 2 }
        }
        return nominal * (1 + 0.005 * (Double(peak + steps.lowerBound) + shift))
    }

    /// The power of a tone in a few values; `turns` is its frequency in periods per value.
    private static func power(of values: ArraySlice<SIMD2<Float>>, at turns: Double) -> Double {
        let step = SIMD2(cos(2 * .pi * turns), -sin(2 * .pi * turns))
        var (turn, sum) = (SIMD2(1.0, 0), SIMD2<Double>.zero)
        for value in values {
            let (real, imaginary) = (Double(value.x), Double(value.y))
            sum += SIMD2(real * turn.x - imaginary * turn.y, real * turn.y + imaginary * turn.x)
            turn = SIMD2(turn.x * step.x - turn.y * step.y, turn.x * step.y + turn.y * step.x)
        }
        return (sum * sum).sum()
    }
}
