/// Finds the alternating extrema of a swipe by prominence: an excursion counts once the signal has come back by a share of
/// the mean swing. Needs no zero line, so neither an offset nor hum moves it.
struct PeakFinder {
    /// Times of the extrema in samples, between samples by a parabola.
    private(set) var times: [Float] = []

    /// Share of the mean swing that a reversal must exceed.
    private static let prominence: Float = 0.35
    /// Share of the largest magnitude that a reversal must exceed, however small the swings are.
    private static let floorShare: Float = 0.03
    /// Weight of a new swing in the running mean.
    private static let swingWeight: Float = 0.25
    /// After a pause of this many samples the mean swing counts for less and less.
    private static let pause: Float = 4096

    /// Finds the extrema of a segment; `times` holds them afterwards.
    mutating func find(in samples: Span<Float>) {
        times.removeAll(keepingCapacity: true)
        guard samples.count > 8 else { return }
        unsafe samples.withUnsafeBufferPointer { unsafe find(in: $0) }
    }

    private mutating func find(in samples: UnsafeBufferPointer<Float>) {
        let base = unsafe UnsafeRawPointer(samples.baseAddress!)
        var top = SIMD8<Float>.zero
        var bottom = SIMD8<Float>.zero
        for start in stride(from: 0, through: samples.count - 8, by: 8) {
            let block = unsafe base.loadUnaligned(fromByteOffset: 4 * start, as: SIMD8<Float>.self)
            top = top.replacing(with: block, where: block .> top)
            bottom = bottom.replacing(with: block, where: block .< bottom)
        }
        let floor = max(top.max(), -bottom.min()) * Self.floorShare
        guard floor > 0 else { return }

        var rising = true
        var isFirst = true
        var extreme = unsafe samples[0]
        var place = 0
        var lastValue: Float = 0
        var swing: Float = 0
        var threshold = floor
        var index = 1
        while index < samples.count {
            // Eight samples that can neither move the extreme nor end the excursion are passed over at once.
            while index + 8 <= samples.count {
                let block = unsafe base.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
                let moves =
                    rising
                    ? (block .> extreme) .| (block .< extreme - threshold)
                    : (block .< extreme) .| (block .> extreme + threshold)
                if any(moves) { break }
                index += 8
            }
            let end = min(index + 8, samples.count)
            while index < end {
                let value = unsafe samples[index]
                if rising ? value > extreme : value < extreme {
                    extreme = value
                    place = index
                } else if rising ? extreme - value > threshold : value - extreme > threshold {
                    if !isFirst {
                        times.append(unsafe Self.refine(samples, place))
                        if times.count > 1 {
                            let size = abs(extreme - lastValue)
                            swing = swing == 0 ? size : swing + Self.swingWeight * (size - swing)
                            threshold = max(Self.prominence * swing, floor)
                        }
                        lastValue = extreme
                    }
                    isFirst = false
                    rising.toggle()
                    extreme = value
                    place = index
                }
                index += 1
            }
            if let last = times.last, Float(index) - last > Self.pause { threshold = max(threshold * 0.99, floor) }
        }
    }

    /// Place of an extremum between samples: the vertex of a parabola through it and its neighbours.
    private static func refine(_ samples: UnsafeBufferPointer<Float>, _ place: Int) -> Float {
        guard place > 0, place + 1 < samples.count else { return Float(place) }
        let before = unsafe samples[place - 1]
        let here = unsafe samples[place]
        let after = unsafe samples[place + 1]
        let curvature = before - 2 * here + after
        guard curvature != 0 else { return Float(place) }
        return Float(place) + min(max(0.5 * (before - after) / curvature, -0.5), 0.5)
    }
}
