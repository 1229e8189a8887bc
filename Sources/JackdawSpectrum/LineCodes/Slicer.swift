/// Turns a signal that goes to and fro between two sides into the times at which it changed.
struct Slicer {
    /// Crossings in seconds, in order.
    private(set) var times: [Double] = []
    /// For each crossing, 1 if it went up, -1 if down.
    private(set) var signs: [Double] = []
    /// For each value the side it is taken to be on, 1 or -1; 0 where nothing is heard.
    private(set) var sides: [Int8]

    /// The signal must go this far to the other side, as a share of its usual magnitude: noise alone shall not.
    private static let hysteresis: Float = 0.3
    /// What is this far under the loudest stretch, in power, is not of the same sender.
    private static let quiet = 0.2

    /// - Parameters:
    ///   - values: the signal.
    ///   - powers: how loud it is at each value.
    ///   - rate: values a second.
    ///   - stretch: values over which loudness is taken together.
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

    /// Stretches of one side, as indices into ``sides``.
    func runs(of side: Int8) -> [Range<Int>] {
        var (runs, start) = ([Range<Int>](), 0)
        for index in 1...sides.count where index == sides.count || sides[index] != sides[start] {
            if sides[start] == side { runs.append(start..<index) }
            start = index
        }
        return runs
    }

    /// From the first value that is heard to the last, in seconds.
    func heard(rate: Double) -> Range<Double>? {
        guard let first = sides.firstIndex(where: { $0 != 0 }), let last = sides.lastIndex(where: { $0 != 0 }) else {
            return nil
        }
        return Double(first) / rate..<Double(last + 1) / rate
    }
}
