/// Finds narrow lines in a spectrum of bins of about 10 Hz.
struct CarrierSearch {
    private static let most = 8
    /// The least height of a line over the noise. It is more if the spectrum is a mean of few segments: noise passes
    /// the deviation less than once in a million.
    private static let leastHeight = 10.0
    private static let rareDeviation = 4.75
    /// Peaks under this share of the strongest line's power are its window's leakage or its sender's distortion.
    private static let dynamicRange = 1e-8
    /// Between two lines the spectrum falls at least to this share of the weaker one.
    private static let valley = 0.25
    /// A line ends at this share of its peak power.
    private static let skirt = 1e-3
    /// The half-power width in bins that separates a tone, 1.9 bins wide, from a side lobe.
    private static let tonalWidth = 3.0
    /// Side lobes have at most this share of their carrier's power: -12 dB.
    private static let sidebandHeight = 0.0625

    private let power: [Double]
    private let floor: [Double]
    private let binWidth: Double
    private let threshold: Double

    /// - Parameters:
    ///   - spectrum: the mean of all segments.
    ///   - binWidth: the distance between two bins, in Hz.
    init(_ spectrum: LevelledSpectrum.Mean, binWidth: Double) {
        let statistics = SpectrumStatistics(segments: spectrum.segments)
        power = spectrum.power
        self.binWidth = binWidth
        floor = CarrierSearch.floor(of: power, binWidth: binWidth, statistics: statistics)
        threshold = max(CarrierSearch.leastHeight, statistics.quantile(CarrierSearch.rareDeviation))
    }

    /// The lines without those of the hum, strongest first.
    func carriers(besides hum: Hum?) -> [Carrier] {
        var peaks: [Int] = []
        for candidate in candidates()
        where peaks.allSatisfy({ isApart(candidate, from: $0) && !isSideband(candidate, of: $0) }) {
            peaks.append(candidate)
            // Some may turn out to be too wide, or hum.
            if peaks.count == 4 * CarrierSearch.most { break }
        }
        let lines = peaks.map { carrier(at: $0, among: peaks) }.filter { line in
            line.width < line.frequency / 2 && !isHum(line, hum)
        }
        return Array(lines.sorted { $0.level > $1.level }.prefix(CarrierSearch.most))
    }

    /// The noise around each bin: from the lower quartile of its surroundings, which even several wide carriers do not
    /// affect.
    private static func floor(of power: [Double], binWidth: Double, statistics: SpectrumStatistics) -> [Double] {
        let reach = max(32, Int(2_000 / binWidth))
        let step = 16
        let quartileOverMean = statistics.quantile(-0.6745)
        let least = SpectrumSearch.roundingNoise(of: power)
        let knots = stride(from: 0, to: power.count + step, by: step).map { centre in
            let bins = max(SpectrumSearch.firstBin, centre - reach)..<min(power.count, centre + reach)
            return max(least, Array(power[bins]).quantile(0.25) / quartileOverMean)
        }
        return power.indices.map { bin in
            let (knot, share) = (bin / step, Double(bin % step) / Double(step))
            return knots[knot] * (1 - share) + knots[knot + 1] * share
        }
    }

    /// Peaks above the noise and above the leakage of the strongest one, strongest first.
    private func candidates() -> [Int] {
        let inside = power.indices.dropFirst(SpectrumSearch.firstBin).dropLast(2)
        let least = (inside.map { power[$0] }.max() ?? 0) * CarrierSearch.dynamicRange
        let peaks = inside.filter { bin in
            power[bin] > power[bin - 1] && power[bin] >= power[bin + 1] && power[bin] > least
                && power[bin] > floor[bin] * threshold
        }
        return peaks.sorted { power[$0] > power[$1] }
    }

    private func isApart(_ peak: Int, from stronger: Int) -> Bool {
        let between = power[min(peak, stronger)...max(peak, stronger)]
        return (between.min() ?? 0) < power[peak] * CarrierSearch.valley
    }

    /// Whether a peak is one of those that keying generates beside a carrier: symbols of length T spread it over
    /// sin²(πfT) / (πfT)², whose side lobes are about 0.6 / T wide at half power, 1 / T apart and at least 13 dB down.
    private func isSideband(_ peak: Int, of stronger: Int) -> Bool {
        let width = halfPowerWidth(at: peak)
        guard width > CarrierSearch.tonalWidth else { return false }
        let envelope = width / 0.6 / (.pi * Double(abs(peak - stronger)))
        // Twice that amplitude is allowed, since keying does not always have one symbol length.
        return power[peak] < power[stronger] * min(CarrierSearch.sidebandHeight, 4 * envelope * envelope)
    }

    private func isHum(_ line: Carrier, _ hum: Hum?) -> Bool {
        guard let hum else { return false }
        return hum.lines.contains { abs(Double($0.harmonic) * hum.mainsFrequency - line.frequency) < 1.5 * binWidth }
    }

    private func carrier(at peak: Int, among peaks: [Int]) -> Carrier {
        let skirts = end(from: peak, by: -1, among: peaks)...end(from: peak, by: 1, among: peaks)
        var (sum, moment) = (0.0, 0.0)
        for bin in skirts {
            let excess = max(0, power[bin] - floor[bin])
            sum += excess
            moment += excess * Double(bin)
        }
        return Carrier(
            frequency: moment / sum * binWidth, level: Decibels.level(ofPower: sum),
            heightOverFloor: Decibels.ratio(power[peak] / floor[peak]),
            width: halfPowerWidth(at: peak) * binWidth)
    }

    /// The last bin of a line on one side: the bin at the noise, or in the valley before the next line.
    private func end(from peak: Int, by step: Int, among peaks: [Int]) -> Int {
        let next = peaks.filter { ($0 - peak) * step > 0 }.min { abs($0 - peak) < abs($1 - peak) }
        let limit = next ?? (step < 0 ? 0 : power.count - 1)
        var (bin, lowest) = (peak, peak)
        while bin != limit, power[bin] > power[peak] * CarrierSearch.skirt, power[bin] > 2 * floor[bin] {
            bin += step
            if power[bin] < power[lowest] { lowest = bin }
        }
        return next == bin ? lowest : bin
    }

    private func halfPowerWidth(at peak: Int) -> Double {
        halfPowerDistance(from: peak, by: -1) + halfPowerDistance(from: peak, by: 1)
    }

    /// Bins from a peak to half its power on one side, interpolated.
    private func halfPowerDistance(from peak: Int, by step: Int) -> Double {
        let half = power[peak] / 2
        var bin = peak
        while power.indices.contains(bin + step), power[bin + step] > half { bin += step }
        guard power.indices.contains(bin + step) else { return Double(abs(bin - peak)) }
        let (inside, outside) = (power[bin], power[bin + step])
        return Double(abs(bin - peak)) + (inside - half) / (inside - outside)
    }
}

/// Finds the band of the spectrum that has signal.
struct BandSearch {
    /// The least height of signal over the noise: 6 dB.
    private static let height = 4.0
    /// Bins that are averaged on either side, so that random peaks of noise do not pass.
    private static let smoothing = 8
    /// Loud and quiet parts differ by more than one class of 3 dB.
    private static let leastClassesApart = 2

    /// The band in Hz from the lowest to the highest frequency with signal, or nil.
    static func band(in spectrum: borrowing LevelledSpectrum, binWidth: Double) -> ClosedRange<Double>? {
        let (quiet, loud) = (spectrum.quiet, spectrum.loud)
        let signal = smoothed(loud.power)
        let inside = signal.indices.dropFirst(SpectrumSearch.firstBin)
        let floor: [Double]
        if loud.highestClass - quiet.highestClass >= leastClassesApart {
            floor = smoothed(quiet.power)
        } else {
            floor = [Double](repeating: Array(signal[inside]).quantile(0.1), count: signal.count)
        }
        let least = SpectrumSearch.roundingNoise(of: loud.power)
        let band = inside.filter { signal[$0] > height * max(least, floor[$0]) }
        guard let low = band.first, let high = band.last else { return nil }
        return Double(low) * binWidth...Double(high) * binWidth
    }

    /// Each bin's mean with its neighbours, except for the bins of the DC.
    private static func smoothed(_ power: [Double]) -> [Double] {
        let start = SpectrumSearch.firstBin
        let inside = Array(power[start...]).smoothed(reach: smoothing)
        return [Double](repeating: inside[0], count: start) + inside
    }
}

/// Constants of both searches in the spectrum of a recording.
enum SpectrumSearch {
    /// The first bin that DC does not leak into (a Blackman-Harris line ends four bins from its centre).
    static let firstBin = 5

    /// The power in a bin under which all is rounding of single precision: 150 dB under all bins together.
    static func roundingNoise(of power: [Double]) -> Double { 1e-15 * power.reduce(0, +) }
}
