/// Finds the alternating extrema of a swipe by prominence: an excursion counts once the signal has come back by a share of
/// the mean swing. Needs no zero line, so neither an offset nor hum moves it.
struct PeakFinder {
    /// Times of the extrema in samples, between samples by a parabola.
    private(set) var times: [Float] = []

    /// Share of the mean swing that a reversal must exceed.
    private static let prominence: Float = 0.35
    /// Weight of a new swing in the running mean.
    private static let swingWeight: Float = 0.25
    /// After a pause of this many samples the mean swing counts for less and less.
    private static let pause: Float = 4096

    /// Finds the extrema of a segment; `times` holds them afterwards.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - leastReversal: share of the largest magnitude that a reversal must exceed, however small the swings are.
    mutating func find(in samples: Span<Float>, leastReversal: Float) {
        wipe()
        guard samples.count > 8 else { return }
        unsafe samples.withUnsafeBufferPointer { unsafe find(in: $0, leastReversal: leastReversal) }
    }

    /// Overwrites the extrema that were last found.
    mutating func wipe() { times.wipe() }

    private mutating func find(in samples: UnsafeBufferPointer<Float>, leastReversal: Float) {
        let floor = unsafe Self.largestMagnitude(samples) * leastReversal
        guard floor > 0 else { return }
        let base = unsafe UnsafeRawPointer(samples.baseAddress!)
        // Upside down where it falls, the signal always rises to the extreme sought: one path for both directions.
        var sign: Float = 1
        var isFirst = true
        var extreme = unsafe samples[0]
        /// Where the extreme lies, or up to seven samples before it.
        var place = 0
        var lastValue: Float = 0
        var swing: Float = 0
        var threshold = floor
        var index = 1
        while index < samples.count {
            // Eight samples that neither raise the extreme nor end the excursion are passed over at once,
            var block = SIMD8<Float>.zero
            while index &+ 8 <= samples.count {
                block = unsafe sign * base.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
                guard !any((block .> extreme) .| (extreme - block .> threshold)) else { break }
                index &+= 8
            }
            let end = min(index + 8, samples.count)
            if end - index == 8 {
                // and so are those that only raise it.
                let highest = max(extreme, block.highest)
                if !any(highest - block .> threshold) {
                    extreme = highest
                    place = index
                    index = end
                }
            }
            while index < end {
                let value = unsafe sign * samples[index]
                if value > extreme {
                    extreme = value
                    place = index
                } else if extreme - value > threshold {
                    if !isFirst {
                        while unsafe sign * samples[place] != extreme { place += 1 }
                        times.append(unsafe Self.refine(samples, place))
                        if times.count > 1 {
                            let size = extreme + lastValue
                            swing = swing == 0 ? size : swing + Self.swingWeight * (size - swing)
                            threshold = max(Self.prominence * swing, floor)
                        }
                        lastValue = extreme
                    }
                    isFirst = false
                    sign = -sign
                    extreme = -value
                    place = index
                    index += 1
                    break
                }
                index += 1
            }
            if let last = times.last, Float(index) - last > Self.pause { threshold = max(threshold * 0.99, floor) }
        }
    }

    /// The largest magnitude of any sample, but for the last few.
    private static func largestMagnitude(_ samples: UnsafeBufferPointer<Float>) -> Float {
        let base = unsafe UnsafeRawPointer(samples.baseAddress!)
        var top = SIMD8<Float>.zero
        var bottom = SIMD8<Float>.zero
        var index = 0
        while index &+ 8 <= samples.count {
            let block = unsafe base.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
            top = top.replacing(with: block, where: block .> top)
            bottom = bottom.replacing(with: block, where: block .< bottom)
            index &+= 8
        }
        return max(top.highest, (-bottom).highest)
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

extension SIMD8<Float> {
    /// The largest lane, found by halves: a comparison a lane would take longer than the block saves.
    fileprivate var highest: Float {
        let four = lowHalf.replacing(with: highHalf, where: highHalf .> lowHalf)
        let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .> four.lowHalf)
        return Swift.max(two.x, two.y)
    }
}
