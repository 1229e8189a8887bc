import JackdawBytes

/// Finds the alternating extrema of a swipe by prominence: an excursion counts once the signal has come back by a share
/// of the mean swing. It needs no zero line, so neither an offset nor hum affects it.
struct PeakFinder {
    /// Times of the extrema in samples, interpolated by a parabola.
    private(set) var times: [Float] = []

    /// Share of the mean swing that a reversal must exceed.
    private static let prominence: Float = 0.35
    /// Weight of a new swing in the running mean.
    private static let swingWeight: Float = 0.25
    /// Samples without an extremum after which the threshold decays.
    private static let pause: Float = 4096

    /// Finds the extrema of a segment and stores them in `times`.
    /// - Parameters:
    ///   - samples: the segment.
    ///   - leastReversal: share of the largest magnitude that a reversal must exceed, regardless of the swings.
    mutating func find(in samples: Span<Float>, leastReversal: Float) {
        wipe()
        guard samples.count > 8 else { return }
        unsafe samples.withUnsafeBufferPointer { unsafe find(in: $0, leastReversal: leastReversal) }
    }

    /// Overwrites the extrema of the last segment.
    mutating func wipe() { times.wipe() }

    private mutating func find(in samples: UnsafeBufferPointer<Float>, leastReversal: Float) {
        let floor = unsafe Self.largestMagnitude(samples) * leastReversal
        guard floor > 0 else { return }
        let base = unsafe UnsafeRawPointer(samples.baseAddress!)
        // A falling signal is inverted, so that it always rises to the next extreme: one code path for both directions.
        var sign: Float = 1
        var isFirst = true
        var extreme = unsafe samples[0]
        /// The position of the extreme, or up to seven samples before it.
        var place = 0
        var lastValue: Float = 0
        var swing: Float = 0
        var threshold = floor
        var index = 1
        while index < samples.count {
            // Eight samples that neither raise the extreme nor end the excursion are skipped at once,
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

    /// The largest magnitude of any sample, except the last few.
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

    /// Position of an extremum between samples: the vertex of a parabola through it and its neighbours.
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
    /// The largest lane, by halves: one comparison per lane would take longer than the block saves.
    fileprivate var highest: Float {
        let four = lowHalf.replacing(with: highHalf, where: highHalf .> lowHalf)
        let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .> four.lowHalf)
        return Swift.max(two.x, two.y)
    }
}

/// Decodes bits from the intervals between transitions: a Viterbi search over two states (on a cell boundary, or in the
/// middle of a one). Each survivor has its own clock, so that one odd interval cannot spoil the rest.
struct IntervalDecoder {
    /// Bits in the order of the intervals.
    private(set) var bits: [UInt8] = []
    /// Index of the transition that opens each bit's cell; one more element than `bits`.
    private(set) var openings: [Int32] = []
    /// The deviation of each bit's intervals from their ideal, as a share of the cell: for a one, the larger of its
    /// two.
    private(set) var misfits: [Float] = []

    /// Weight of a new interval in the clock.
    private static let clockWeight: Float = 0.25
    /// Reciprocal of twice the variance expected of an interval, in squared cells.
    private static let sharpness: Float = 34.7
    /// Extra cost of an interval over two cells: a transition must have been missed.
    private static let missedCost: Float = 20
    /// Cells in an interval that restarts the clock.
    private static let gap: Float = 3.2
    /// An interval this many times longer than the next is a pause, not a cell: the next one sets the clock.
    private static let longPause: Float = 16
    /// The largest cost by which a survivor trails the best, so that it can recover.
    private static let maxCost: Float = 60

    /// The path by which a survivor reached an interval's end: whether as a whole cell, and the deviation of each
    /// interpretation.
    private struct Step: BitwiseCopyable {
        var isWhole = false
        var whole: Float = 0
        var first: Float = 0
        var second: Float = 0
    }

    /// The steps of the last decoding come first.
    private var steps: [Step] = []
    /// Steps written since the last wipe.
    private var usedSteps = 0

    /// Decodes the intervals between transition times.
    /// - Parameters:
    ///   - times: times of transitions in ascending order.
    ///   - backwards: whether to read from the last to the first.
    mutating func decode(_ times: [Float], backwards: Bool) {
        wipeBits()
        let count = times.count - 1
        guard count >= 20 else { return }
        func time(_ index: Int) -> Float { backwards ? times[count - index] : times[index] }
        if steps.count < count { steps = .init(repeating: Step(), count: count) }
        usedSteps = max(usedSteps, count)
        // Set in place: appending would cost more than the arithmetic.
        var steps = steps.mutableSpan
        var boundaryCost: Float = 0
        var middleCost: Float = 3
        var last = time(0)
        var boundaryClock = abs(time(1) - last)
        var middleClock = 2 * boundaryClock
        /// Length of the last interval if it gives no information about the clock; otherwise 0.
        var pause: Float = 0
        for index in 0..<count {
            let next = time(index + 1)
            let length = abs(next - last)
            last = next
            if pause > Self.longPause * length {
                boundaryClock = length
                middleClock = 2 * length
                boundaryCost = 0
                middleCost = 3
            }
            pause = index == 0 ? length : 0
            if index > 0, length > Self.gap * boundaryClock, length > Self.gap * middleClock {
                pause = length
                boundaryClock = length
                middleClock = length
            }
            let perBoundary = 1 / boundaryClock
            let perMiddle = 1 / middleClock
            let asWhole = length * perBoundary - 1
            let asFirst = 2 * length * perBoundary - 1
            let asSecond = 2 * length * perMiddle - 1
            let wholeCost = boundaryCost + asWhole * asWhole * Self.sharpness + (asWhole > 1 ? Self.missedCost : 0)
            let firstCost = boundaryCost + asFirst * asFirst * Self.sharpness * 0.6
            let secondCost = middleCost + asSecond * asSecond * Self.sharpness * 0.6
            let takesWhole = wholeCost <= secondCost
            steps[index] = Step(
                isWhole: takesWhole, whole: abs(asWhole), first: abs(asFirst) / 2, second: abs(asSecond) / 2)
            let nextBoundary =
                takesWhole
                ? boundaryClock + Self.clockWeight * (length - boundaryClock)
                : middleClock + Self.clockWeight / 2 * (2 * length - middleClock)
            middleClock = boundaryClock + Self.clockWeight / 2 * (2 * length - boundaryClock)
            boundaryClock = nextBoundary
            let best = min(wholeCost, secondCost)
            let least = min(best, firstCost)
            boundaryCost = min(best - least, Self.maxCost)
            middleCost = min(firstCost - least, Self.maxCost)
        }
        trace(count: count, endsOnBoundary: boundaryCost <= middleCost)
    }

    /// Overwrites the bits and steps of the last decoding.
    mutating func wipe() {
        wipeBits()
        steps.zero(first: usedSteps)
        usedSteps = 0
    }

    private mutating func wipeBits() {
        bits.wipe()
        openings.wipe()
        misfits.wipe()
    }

    private mutating func trace(count: Int, endsOnBoundary: Bool) {
        var index = endsOnBoundary ? count - 1 : count - 2
        openings.append(Int32(index + 1))
        while index >= 0 {
            if steps[index].isWhole {
                bits.append(0)
                misfits.append(steps[index].whole)
                index -= 1
            } else {
                guard index > 0 else { break }
                bits.append(1)
                misfits.append(max(steps[index - 1].first, steps[index].second))
                index -= 2
            }
            openings.append(Int32(index + 1))
        }
        bits.reverse()
        misfits.reverse()
        openings.reverse()
    }
}
