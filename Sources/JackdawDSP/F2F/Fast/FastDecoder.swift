/// The fast tier: peaks, intervals, bits and checks. It answers only where every interval of a message is clear; the rest
/// is for the strong tier.
struct FastDecoder {
    private var peaks = PeakFinder()
    private var intervals = IntervalDecoder()
    private var filtered: [Float] = []

    /// Farthest an interval of a proven message may lie from its ideal, as a share of the cell; half a cell apart, the two
    /// readings of an interval meet at a quarter.
    private static let mostMisfit: Float = 0.18
    /// Cells around a message that must be as clear.
    private static let margin = 3
    /// Checks that a message must pass, in bits.
    private static let leastEvidence = 36
    /// A cell this far off is no clocking zero.
    private static let mostZeroMisfit: Float = 0.35
    /// Odd bits in a row among clocking zeros.
    private static let mostOddZeros = 4

    /// Filters tried in turn: reach of a running mean that smooths and of one that is taken away, in seconds, 0 for none;
    /// and the least reversal as a share of the largest magnitude. The first is for clean sound, where a higher one keeps
    /// most of the noise beside the swipe out of the intervals; deep fades are for the others.
    private static let filters: [(smooth: Double, remove: Double, leastReversal: Float)] = [
        (0, 0, 0.05), (0, 0, 0.03), (2.3e-5, 2.3e-3, 0.03), (5.6e-5, 2.3e-3, 0.03), (1.1e-4, 2.3e-3, 0.03),
    ]

    /// Messages proven in a segment, in the order of time; those of the first filter that yields any.
    mutating func decode(_ samples: Span<Float>, sampleRate: Double) -> [SegmentReading] {
        var last: (Int, Int, Float) = (-1, -1, 0)
        for filter in Self.filters {
            let reaches = (Int((filter.smooth * sampleRate).rounded()), Int((filter.remove * sampleRate).rounded()))
            guard (reaches.0, reaches.1, filter.leastReversal) != last else { continue }
            last = (reaches.0, reaches.1, filter.leastReversal)
            if reaches == (0, 0) {
                peaks.find(in: samples, leastReversal: filter.leastReversal)
            } else {
                BandFilter.apply(samples, smooth: reaches.0, remove: reaches.1, into: &filtered)
                let sound = filtered
                peaks.find(in: sound.span, leastReversal: filter.leastReversal)
            }
            for backwards in [false, true] {
                intervals.decode(peaks.times, backwards: backwards)
                let readings = proven(backwards: backwards, sampleRate: sampleRate)
                if !readings.isEmpty { return readings }
            }
        }
        return []
    }

    /// Overwrites what is left of the last segment.
    mutating func wipe() {
        filtered.wipe()
    }

    private func proven(backwards: Bool, sampleRate: Double) -> [SegmentReading] {
        guard intervals.bits.count >= 20 else { return [] }
        var readings: [SegmentReading] = []
        for flipped in [false, true] {
            let bits = flipped ? intervals.bits.reversed() : intervals.bits
            for message in MessageParser.messages(in: bits) where message.evidence >= Self.leastEvidence {
                let count = bits.count
                let range =
                    flipped ? count - message.range.upperBound..<count - message.range.lowerBound : message.range
                if let reading = reading(message, range: range, isReversed: backwards != flipped, backwards: backwards)
                {
                    readings.append(reading)
                }
            }
        }
        return readings.sorted { $0.boundaries[0] < $1.boundaries[0] }
    }

    /// The reading of a message whose bits have a range in the order of `intervals`, or nil where an interval is not clear.
    private func reading(
        _ message: MessageParser.Message, range: Range<Int>, isReversed: Bool, backwards: Bool
    ) -> SegmentReading? {
        let bits = intervals.bits
        let misfits = intervals.misfits
        let clear = max(0, range.lowerBound - Self.margin)..<min(bits.count, range.upperBound + Self.margin)
        let worst = misfits[clear].reduce(0, max)
        guard worst <= Self.mostMisfit else { return nil }
        let pass = zeros(before: range.lowerBound)..<zeros(after: range.upperBound)
        func time(_ opening: Int) -> Float {
            let index = Int(intervals.openings[opening])
            return peaks.times[backwards ? peaks.times.count - 1 - index : index]
        }
        var boundaries = (range.lowerBound...range.upperBound).map(time)
        if backwards { boundaries.reverse() }
        let ends = [time(pass.lowerBound), time(pass.upperBound)].sorted()
        return SegmentReading(
            code: message.code, values: message.values, isReversed: isReversed, boundaries: boundaries,
            extent: Int(ends[0])..<Int(ends[1]) + 1, passCells: pass.count, tier: .fast,
            confidence: 1 - 0.02 * Double(worst / Self.mostMisfit), repaired: [], passesParity: true, passesLRC: true)
    }

    private func isZero(_ bit: Int) -> Bool {
        intervals.bits[bit] == 0 && intervals.misfits[bit] < Self.mostZeroMisfit
    }

    /// First bit of the clocking zeros before a message, and one past the last after it; a few odd bits among them, as a
    /// fade makes, do not end them.
    private func zeros(before start: Int) -> Int {
        var end = start
        for bit in stride(from: start - 1, through: 0, by: -1) {
            if isZero(bit) { end = bit }
            if end - bit > Self.mostOddZeros { break }
        }
        return end
    }

    private func zeros(after start: Int) -> Int {
        var end = start
        for bit in start..<max(start, intervals.bits.count) {
            if isZero(bit) { end = bit + 1 }
            if bit - end > Self.mostOddZeros { break }
        }
        return end
    }
}
