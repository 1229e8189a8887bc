/// A segment, or a window of it, at the sample rate that a search works at.
struct WorkingSound {
    @Wiped private(set) var samples: [Float]
    /// Sample rate as a power of two of the original one.
    let step: Int
    /// Working samples of the segment before this window.
    private let start: Int
    /// At the original rate: where samples were lost at the rail, its sign there and 0 elsewhere; empty where none were.
    @Wiped private var lost: [Int8]

    init(samples: [Float], step: Int, start: Int = 0, lost: [Int8]) {
        self.samples = samples
        self.step = step
        self.start = start
        self.lost = lost
    }

    /// Time in samples of the segment for a time in samples of this window.
    func segmentTime(_ time: Float) -> Float {
        (time + Float(start)) * Float(sign: .plus, exponent: -step, significand: 1)
    }

    /// Sign of the rail at which the sound around a sample was lost, or 0. A pulse of that sign may hide there.
    func lostSign(at time: Float) -> Int8 {
        let index = Int(segmentTime(time).rounded())
        return lost.indices.contains(index) ? lost[index] : 0
    }

    var hasLosses: Bool { !lost.isEmpty }

    /// Windows that are short enough for a search, each lapping half of the one before, so that a swipe is whole in one.
    /// Each is cut when it is its turn: all of them are twice the segment.
    var windows: some Sequence<WorkingSound> {
        stride(
            from: 0, to: max(1, samples.count - SegmentalViterbi.longestSegment / 2),
            by: SegmentalViterbi.longestSegment / 2
        ).lazy.map(window)
    }

    private func window(from first: Int) -> WorkingSound {
        guard samples.count > SegmentalViterbi.longestSegment else { return self }
        return WorkingSound(
            samples: Array(samples[first..<min(first + SegmentalViterbi.longestSegment, samples.count)]), step: step,
            start: start + first, lost: lost)
    }
}
