import Glibc

/// The spectrum of a recording, separated by the level of its segments, so that loud and quiet parts can be compared in
/// bounded memory.
struct LevelledSpectrum: ~Copyable, Sendable {
    private static let decibelsPerClass = 3.0
    /// Classes that count as loud, from the loudest one down.
    private static let loudClasses = 4

    private struct LevelClass: Sendable {
        var segments = 0
        var sum: [Double] = []
    }

    /// A mean spectrum, and the number and class of its segments.
    struct Mean {
        var segments = 0
        var power: [Double]
        /// Highest class of its segments.
        var highestClass = 0
    }

    private let binCount: Int
    private var analyser: SegmentAnalyser
    private var classes: [LevelClass]

    init(segmentCount: Int) throws(SpectrumError) {
        analyser = try SegmentAnalyser(count: segmentCount, window: .blackmanHarris)
        binCount = segmentCount / 2 + 1
        let highest = 150.0
        classes = Array(
            repeating: LevelClass(), count: Int((highest - Decibels.silence) / LevelledSpectrum.decibelsPerClass))
    }

    mutating func receive(_ samples: Span<Float>) {
        var start = 0
        while analyser.take(samples, from: &start) { add(analyser.power) }
    }

    mutating func finish() {
        if analyser.finish() { add(analyser.power) }
    }

    private mutating func add(_ power: [Float]) {
        // DC does not count in the loudness of a segment.
        let total = power.dropFirst(SpectrumSearch.firstBin).reduce(0) { $0 + Double($1) }
        let place = (Decibels.level(ofPower: total) - Decibels.silence) / LevelledSpectrum.decibelsPerClass
        let index = min(max(0, Int(place)), classes.count - 1)
        var sum: [Double] = []
        swap(&sum, &classes[index].sum)
        if sum.isEmpty { sum = [Double](repeating: 0, count: binCount) }
        for bin in power.indices { sum[bin] += Double(power[bin]) }
        swap(&sum, &classes[index].sum)
        classes[index].segments += 1
    }

    /// Classes that have segments.
    private var usedClasses: [Int] { classes.indices.filter { classes[$0].segments > 0 } }

    /// The mean of all segments.
    var all: Mean { mean(of: usedClasses) }

    /// The mean of the quietest tenth or somewhat more, without digital silence if there is anything else.
    var quiet: Mean {
        let used = usedClasses
        let audible = used.count > 1 ? used.filter { $0 > 0 } : used
        let wanted = (audible.reduce(0) { $0 + classes[$1].segments } + 9) / 10
        var (found, chosen) = (0, [Int]())
        for index in audible where found < wanted {
            chosen.append(index)
            found += classes[index].segments
        }
        return mean(of: chosen)
    }

    /// The mean of the segments within 10 dB of the loudest.
    var loud: Mean {
        let used = usedClasses
        return mean(of: used.filter { $0 > (used.last ?? 0) - LevelledSpectrum.loudClasses })
    }

    private func mean(of chosen: [Int]) -> Mean {
        var result = Mean(power: [Double](repeating: 0, count: binCount), highestClass: chosen.last ?? 0)
        for index in chosen {
            result.segments += classes[index].segments
            for bin in 0..<binCount { result.power[bin] += classes[index].sum[bin] }
        }
        let scale = 1 / Double(max(1, result.segments))
        for bin in 0..<binCount { result.power[bin] *= scale }
        return result
    }
}

/// How far the mean of some spectra of white noise deviates from the true spectrum: each spectrum has an exponential
/// distribution, their mean a gamma distribution.
struct SpectrumStatistics {
    /// The number of independent spectra that the mean is equivalent to.
    let shape: Double

    /// - Parameter segments: number of averaged segments, which overlap by half: with the windows used here, each but
    ///   the first counts as about nine tenths of an independent one.
    init(segments: Int) {
        shape = max(1, 1 + 0.9 * Double(segments - 1))
    }

    /// The value, relative to the true one, that the mean stays under with a given probability (the approximation of E.
    /// B. Wilson and M. M. Hilferty, "The distribution of chi-square", PNAS 17, 1931).
    /// - Parameter deviation: the point of the standard normal distribution with the same probability.
    /// - Returns: a factor over 0.
    func quantile(_ deviation: Double) -> Double {
        let root = 1 - 1 / (9 * shape) + deviation / (3 * sqrt(shape))
        return max(root, 0.01) * max(root, 0.01) * max(root, 0.01)
    }
}

extension [Double] {
    /// The middle value; 0 if empty.
    var median: Double { quantile(0.5) }

    /// The value that a share (0 to 1) of the others is under; 0 if empty.
    func quantile(_ share: Double) -> Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }

    /// Replaces each value by the mean of itself and its neighbours up to a distance.
    func smoothed(reach: Int) -> [Double] {
        var sums = [0.0]
        for value in self { sums.append(sums[sums.count - 1] + value) }
        return indices.map { index in
            let (low, high) = (Swift.max(0, index - reach), Swift.min(count, index + reach + 1))
            return (sums[high] - sums[low]) / Double(high - low)
        }
    }
}
