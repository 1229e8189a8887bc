import Glibc

/// The line that events at whole multiples of a period leave in the spectrum of their times: its frequency is the rate of
/// the clock behind them, although many of the clock's ticks go by without an event.
struct TimingLine {
    /// In Hz.
    let frequency: Double
    /// 1 for events exactly on the ticks, about 1 / √count for events at any time.
    let strength: Double

    /// The strongest line in a range of frequencies.
    /// - Parameters:
    ///   - times: in seconds, in order.
    ///   - signs: a weight for each; all 1 if nil.
    ///   - range: in Hz.
    ///   - shelf: transforms.
    /// - Throws: ``SpectrumError``: there is no memory for a transform.
    init?(
        _ times: [Double], signs: [Double]? = nil, in range: ClosedRange<Double>, _ shelf: TransformShelf
    ) throws(SpectrumError) {
        guard let first = times.first, let last = times.last, last > first else { return nil }
        let centre = (range.lowerBound + range.upperBound) / 2
        let duration = last - first
        let width = max(range.upperBound - range.lowerBound, 4 / duration)
        // Turned back by the centre, the events need only be told apart as far as the range is wide.
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
