/// A segment, or a window of it, at the sample rate of a search.
struct WorkingSound {
    @Wiped private(set) var samples: [Float]
    /// Sample rate as a power of two of the original one.
    let step: Int
    /// Samples of the segment before this window, at the window's rate.
    private let start: Int
    /// For each sample at the original rate, the sign of the rail at which it was lost, or 0; empty if nothing was
    /// lost.
    @Wiped private var lost: [Int8]
    /// Times of the cell boundaries in samples of the segment, if each cell has been brought to
    /// `evenSamplesPerCell` samples; otherwise empty.
    private var evenGrid: [Float] = []

    /// Samples of a cell in sound whose speed was evened out.
    private static let evenSamplesPerCell = 32

    init(samples: [Float], step: Int, start: Int = 0, lost: [Int8]) {
        self.samples = samples
        self.step = step
        self.start = start
        self.lost = lost
    }

    /// Converts a time in samples of this window to samples of the segment.
    func segmentTime(_ time: Float) -> Float {
        if !evenGrid.isEmpty {
            return CellPhaseSignal.time(ofPhase: time / Float(Self.evenSamplesPerCell), boundaries: evenGrid)
        }
        return (time + Float(start)) * Float(sign: .plus, exponent: -step, significand: 1)
    }

    /// Converts a time in samples of the segment to samples of this window.
    func place(ofSegmentTime time: Float) -> Float {
        guard !evenGrid.isEmpty else { return time * Float(sign: .plus, exponent: step, significand: 1) - Float(start) }
        let cell = min(max(evenGrid.partitioningIndex(of: time), 1), evenGrid.count - 1) - 1
        let phase = Float(cell) + (time - evenGrid[cell]) / (evenGrid[cell + 1] - evenGrid[cell])
        return phase * Float(Self.evenSamplesPerCell)
    }

    /// The indices of the samples between two times of the segment; default: of all.
    func places(in extent: ClosedRange<Float>? = nil) -> Range<Int> {
        guard let extent else { return samples.indices }
        let unit = evenGrid.isEmpty ? 1 : Self.evenSamplesPerCell
        func index(_ time: Float) -> Int {
            Int(min(max(place(ofSegmentTime: time), 0), Float(samples.count))) / unit * unit
        }
        let first = index(extent.lowerBound)
        return first..<max(first, index(extent.upperBound))
    }

    /// The samples between two times of the segment, and the number of samples before them; nil if the sound has none.
    func part(_ extent: ClosedRange<Float>) -> (sound: WorkingSound, start: Int)? {
        let places = places(in: extent)
        let (first, end) = (places.lowerBound, places.upperBound)
        guard first < end else { return nil }
        var part = WorkingSound(samples: Array(samples[first..<end]), step: step, start: start + first, lost: lost)
        if !evenGrid.isEmpty {
            part.evenGrid = Array(evenGrid[first / Self.evenSamplesPerCell...end / Self.evenSamplesPerCell])
        }
        return (part, first)
    }

    /// Sign of the rail at which the sound around a sample was lost, or 0. The loss can hide a pulse of that sign.
    func lostSign(at time: Float) -> Int8 {
        let index = Int(segmentTime(time).rounded())
        return lost.indices.contains(index) ? lost[index] : 0
    }

    var hasLosses: Bool { !lost.isEmpty }

    /// The same sound with every cell of a clock at the same length.
    /// - Parameter grid: cell boundaries in samples of this sound, ascending, from its start to its end.
    /// - Returns: the sound; nil if it would be too long for a search.
    func evened(by grid: [Float]) -> WorkingSound? {
        let count = (grid.count - 1) * Self.evenSamplesPerCell
        guard grid.count > 1, count <= SegmentalViterbi.longestSegment else { return nil }
        let source = samples
        let evened = (0..<count).map { index in
            let phase = Float(index) / Float(Self.evenSamplesPerCell)
            return CellPhaseSignal.interpolate(source, at: CellPhaseSignal.time(ofPhase: phase, boundaries: grid))
        }
        var sound = WorkingSound(samples: evened, step: step, lost: lost)
        sound.evenGrid = grid.map(segmentTime)
        return sound
    }

    /// Windows that are short enough for a search, each overlapping half of the one before, so that a swipe is whole in
    /// one of them. Each is copied only when it is used: together they are twice the segment.
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

/// Amplitude of a pulse train per block: the largest magnitude in each block, then the median over five blocks, so that
/// neither a click nor a gap changes it.
enum Envelope {
    /// A noisy maximum overstates a pulse; this scales a clean one to about 1.
    private static let gain: Float = 1.15

    /// Scales samples so that a pulse has a level near 1.
    /// - Parameters:
    ///   - samples: replaced in place.
    ///   - blockLength: samples of a block.
    ///   - least: the least envelope, as a share of its 90th percentile.
    static func normalise(_ samples: inout [Float], blockLength: Int, least: Float) {
        let peaks = blockPeaks(samples, blockLength: blockLength)
        let medians = peaks.slidingMedians { _ in 2 }
        let sorted = medians.sorted()
        let floor = max(sorted[sorted.count * 9 / 10] * least, 1e-12)
        let gains = medians.map { Self.gain / max($0, floor) }
        // Linear from the middle of a block to the middle of the next, and constant beyond the outer ones.
        var start = 0
        for block in 0...gains.count {
            let end = block < gains.count ? min(blockLength * block + blockLength / 2, samples.count) : samples.count
            let (before, after) = (gains[max(block - 1, 0)], gains[min(block, gains.count - 1)])
            let slope = (after - before) / Float(blockLength)
            let middle = Float(blockLength) * (Float(block) - 0.5) - 0.5
            for index in start..<max(end, start) {
                samples[index] *= before + slope * (Float(index) - middle)
            }
            start = max(end, start)
        }
    }

    private static func blockPeaks(_ samples: [Float], blockLength: Int) -> [Float] {
        stride(from: 0, to: samples.count, by: blockLength).map { start in
            var peak: Float = 0
            for index in start..<min(start + blockLength, samples.count) {
                let magnitude = abs(samples[index])
                peak = magnitude > peak ? magnitude : peak
            }
            return peak
        }
    }
}

extension [Float] {
    /// The median around each element, of those at most `reach(index)` away, fewer at the ends; of an even number, the
    /// upper one. The window is kept sorted as it slides.
    /// - Parameter reach: elements to either side of an index; changes by at most one from an index to the next.
    /// - Returns: one median per element.
    func slidingMedians(reach: (Int) -> Int) -> [Float] {
        var window: [Float] = []
        var held = 0..<0
        return indices.map { index in
            let reach = reach(index)
            let wanted = Swift.max(0, index - reach)..<Swift.min(count, index + reach + 1)
            for added in held.upperBound..<Swift.max(wanted.upperBound, held.upperBound) {
                window.insert(self[added], at: window.partitioningIndex(of: self[added]))
            }
            for removed in held.lowerBound..<Swift.max(wanted.lowerBound, held.lowerBound) {
                window.remove(at: window.partitioningIndex(of: self[removed]))
            }
            for removed in wanted.upperBound..<Swift.max(held.upperBound, wanted.upperBound) {
                window.remove(at: window.partitioningIndex(of: self[removed]))
            }
            for added in wanted.lowerBound..<Swift.max(held.lowerBound, wanted.lowerBound) {
                window.insert(self[added], at: window.partitioningIndex(of: self[added]))
            }
            held = wanted
            return window[window.count / 2]
        }
    }

    /// Index of the first element that is not smaller, in a sorted array.
    func partitioningIndex(of value: Float) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Compensates the sound's roll-off: linear prediction of low order (autocorrelation method, Levinson-Durbin), whose
/// error has a flat spectrum. The order is low enough not to notch out the clocking zeros.
enum Whitener {
    /// - Parameters:
    ///   - samples: the segment.
    ///   - order: coefficients of the predictor.
    /// - Returns: the prediction error, aligned with the input.
    static func whiten(_ samples: [Float], order: Int) -> [Float] {
        var correlation = [Double](repeating: 0, count: order + 1)
        for lag in 0...order {
            var sum = 0.0
            for index in lag..<max(samples.count, lag) { sum += Double(samples[index]) * Double(samples[index - lag]) }
            correlation[lag] = sum
        }
        correlation[0] = correlation[0] * (1 + 1e-6) + 1e-20
        var predictor = [1.0] + [Double](repeating: 0, count: order)
        var error = correlation[0]
        for step in 1...order {
            var sum = 0.0
            for lag in 0..<step { sum += predictor[lag] * correlation[step - lag] }
            let reflection = -sum / error
            let previous = predictor
            for lag in 1...step { predictor[lag] = previous[lag] + reflection * previous[step - lag] }
            error *= 1 - reflection * reflection
        }
        return samples.indices.map { index in
            var sum = 0.0
            for lag in 0...min(order, index) { sum += predictor[lag] * Double(samples[index - lag]) }
            return Float(sum)
        }
    }
}
