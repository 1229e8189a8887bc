import Glibc

/// Searches a window for a Manchester UART. Each bit is one period of a sine: the ones between characters are a steady
/// tone with as many Hz as there are bits per second, and a zero is the same tone inverted from one bit edge to
/// another.
struct PhaseSearch {
    private static let rateReach = 0.07
    private static let leastTransitions = 12
    /// Share of the power that belongs to the tone, upright or inverted. With two tones half of the power is the other
    /// tone, and the rate of a swipe drifts.
    private static let leastCoherence = 0.6
    /// A swipe of steady speed has transitions at any half bit, which gives 0.5 and less.
    private static let leastRegularity = 0.75
    /// The least share of the time in the more frequent level: the line idles with ones, for
    /// longer than characters take.
    private static let leastOnes = 0.7
    private static let leastFit = 0.2
    /// The power of a band with a signal that can be decoded is at least this factor over the noise.
    private static let leastHeight = 2.0

    private let window: SoundWindow

    init(_ window: SoundWindow) { self.window = window }

    /// The most likely line code and its place, in seconds from the start of the window.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func guess() throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        var best: (guess: LineGuess, place: Range<Double>)?
        for signature in LineSignature.phases {
            guard let found = try guess(signature), found.guess.fit > best?.guess.fit ?? 0 else { continue }
            best = found
        }
        return best
    }

    private func guess(
        _ signature: LineSignature.Phases
    ) throws(SpectrumError) -> (guess: LineGuess, place: Range<Double>)? {
        let baud = signature.baud
        let range = baud * (1 - PhaseSearch.rateReach)...baud * (1 + PhaseSearch.rateReach)
        guard 1.5 * baud < window.sampleRate / 2, window.height(in: range) > PhaseSearch.leastHeight else { return nil }
        let band = try window.band(around: baud, reach: baud, leastRate: 6 * baud)
        guard let tone = try tone(of: band, in: range), tone.coherence > PhaseSearch.leastCoherence else { return nil }
        let fit = LineSignature.fit([tone.frequency], to: [baud])
        guard fit > PhaseSearch.leastFit else { return nil }
        // Multiplied by the conjugate tone, the bits are levels.
        let step = 2 * .pi * (tone.frequency - band.centre) / band.rate
        let levels = band.values.enumerated().map { index, value in
            let angle = step * Double(index) + tone.phase
            return value.x * Float(cos(angle)) + value.y * Float(sin(angle))
        }
        let slicer = Slicer(
            levels, powers: band.values.map { Double(($0 * $0).sum()) }, rate: band.rate,
            stretch: Int(6 * band.rate / baud))
        let sides = [1, -1].map { side in slicer.sides.count { $0 == side } }
        let rate = tone.frequency
        guard slicer.times.count >= PhaseSearch.leastTransitions,
            Double(max(sides[0], sides[1])) > PhaseSearch.leastOnes * Double(sides[0] + sides[1]),
            let line = try TimingLine(slicer.times, in: rate * 0.999...rate * 1.001, window.shelf),
            line.strength > PhaseSearch.leastRegularity, let place = slicer.heard(rate: band.rate)
        else { return nil }
        let guess = LineGuess(
            modeName: signature.name, carrier: .levels, baud: tone.frequency, fit: fit,
            regularity: min(1, line.strength), transitions: slicer.times.count, samples: 0..<0)
        return (guess, place)
    }

    /// A tone that may be inverted at any time.
    private struct Tone {
        let frequency: Double
        /// Radians at the band's first value; ambiguous by half a turn.
        let phase: Double
        /// Share of the band's power that belongs to the tone, 0 to 1.
        let coherence: Double
    }

    /// The strongest tone of a band, found in the squared signal, in which an inverted tone looks the same.
    private func tone(of band: SoundWindow.Band, in range: ClosedRange<Double>) throws(SpectrumError) -> Tone? {
        let squares = band.values.map { SIMD2($0.x * $0.x - $0.y * $0.y, 2 * $0.x * $0.y) }
        let total = squares.reduce(0.0) { $0 + Double(($1 * $1).sum()).squareRoot() }
        guard total > 0 else { return nil }
        var count = 64
        while count < 4 * squares.count { count *= 2 }
        let spectrum = try window.shelf.transform(count, .forward).transform(first: count) { bins in
            for (index, square) in squares.enumerated() { bins[index] = square }
        }
        let step = band.rate / Double(count) / 2
        let first = Int(((range.lowerBound - band.centre) / step).rounded(.up))
        let last = Int((range.upperBound - band.centre) / step)
        func value(_ bin: Int) -> SIMD2<Float> { spectrum[bin < 0 ? bin + count : bin] }
        func power(_ bin: Int) -> Double { Double((value(bin) * value(bin)).sum()) }
        guard first <= last, let peak = (first...last).max(by: { power($0) < power($1) }) else { return nil }
        // Direct sums interpolate between the bins: the phase must hold from the first value to the last.
        var best = (frequency: 0.0, sum: SIMD2<Double>.zero)
        for part in stride(from: -0.5, through: 0.5, by: 0.125) {
            let frequency = (Double(peak) + part) * step
            let turn = -4 * Double.pi * frequency / band.rate
            var sum = SIMD2<Double>.zero
            for (index, square) in squares.enumerated() {
                let (cosine, sine) = (cos(turn * Double(index)), sin(turn * Double(index)))
                let (x, y) = (Double(square.x), Double(square.y))
                sum += SIMD2(x * cosine - y * sine, x * sine + y * cosine)
            }
            if (sum * sum).sum() > (best.sum * best.sum).sum() { best = (frequency, sum) }
        }
        return Tone(
            frequency: band.centre + best.frequency, phase: atan2(best.sum.y, best.sum.x) / 2,
            coherence: (best.sum * best.sum).sum().squareRoot() / total)
    }
}

/// The line that events at whole multiples of a period leave in the spectrum of their times. Its frequency is the rate
/// of the clock of the events, even if many ticks of the clock pass without an event.
struct TimingLine {
    /// The rate of the clock, in Hz.
    let frequency: Double
    /// 1 for events exactly on the ticks, about 1 / √count for events at random times.
    let strength: Double

    /// The strongest line in a range of frequencies; nil if the events have no duration.
    /// - Parameters:
    ///   - times: in seconds, in order.
    ///   - signs: a weight for each time; all 1 if nil.
    ///   - range: in Hz.
    ///   - shelf: provides transforms.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    init?(
        _ times: [Double], signs: [Double]? = nil, in range: ClosedRange<Double>, _ shelf: TransformShelf
    ) throws(SpectrumError) {
        guard let first = times.first, let last = times.last, last > first else { return nil }
        let centre = (range.lowerBound + range.upperBound) / 2
        let duration = last - first
        let width = max(range.upperBound - range.lowerBound, 4 / duration)
        // The centre is shifted to 0 Hz, so that the bins need to resolve only the width of the range.
        let binRate = 8 * width
        var count = 64
        while Double(count) < 4 * (duration * binRate + 2) { count *= 2 }
        let spectrum = try shelf.transform(count, .forward).transform(first: count) { bins in
            for (index, time) in times.enumerated() {
                let turns = -centre * (time - first)
                let angle = 2 * Double.pi * (turns - turns.rounded(.down))
                let event = SIMD2(Float(cos(angle)), Float(sin(angle))) * Float(signs?[index] ?? 1)
                let place = (time - first) * binRate
                let share = Float(place - place.rounded(.down))
                bins[Int(place)] += event * (1 - share)
                bins[Int(place) + 1] += event * share
            }
        }
        let step = binRate / Double(count)
        let reach = Int((range.upperBound - centre) / step)
        func power(_ offset: Int) -> Double {
            let value = spectrum[offset < 0 ? offset + count : offset]
            return Double((value * value).sum())
        }
        guard let peak = (-reach...reach).max(by: { power($0) < power($1) }) else { return nil }
        let (left, middle, right) = (power(peak - 1), power(peak), power(peak + 1))
        let curvature = left - 2 * middle + right
        let shift = curvature < 0 ? min(max((left - right) / curvature / 2, -0.5), 0.5) : 0
        frequency = centre + (Double(peak) + shift) * step
        strength = middle.squareRoot() / Double(times.count)
    }
}
