/// Finds hum of the mains in a spectrum whose bins are one or two hertz apart.
struct HumSearch {
    private static let harmonics = 1...8
    /// The mains frequency deviates less than this from its nominal value (EN 50160 allows 1 % in a large grid).
    private static let tolerance = 0.01
    /// Seconds; shorter recordings cannot distinguish 50 Hz from 60 Hz.
    private static let shortestDuration = 0.25
    /// The point of the normal distribution that noise passes less than once in 100,000.
    private static let rareDeviation = 4.3

    private let power: [Double]
    private let binWidth: Double
    private let threshold: Double
    private let leastFloor: Double
    /// Bins from the centre of a line to its end.
    private let lineReach: Int
    private let isLongEnough: Bool

    init(_ spectrum: borrowing PowerSpectrum) {
        power = spectrum.power
        binWidth = spectrum.binWidth
        leastFloor = SpectrumSearch.roundingNoise(of: power)
        threshold = max(4, SpectrumStatistics(segments: spectrum.segments).quantile(HumSearch.rareDeviation))
        let covered = max(1, spectrum.coveredCount)
        // A Hann line ends two bins of its own segment length from its centre.
        lineReach = Int((2 * spectrum.sampleRate / Double(covered) / spectrum.binWidth).rounded(.up)) + 1
        isLongEnough = Double(spectrum.coveredCount) / spectrum.sampleRate >= HumSearch.shortestDuration
    }

    /// The hum, or nil if neither the mains frequency nor its double stands out.
    func hum() -> Hum? {
        guard isLongEnough else { return nil }
        // 300 Hz is a harmonic of both, so the others decide.
        let (fifty, sixty) = (lines(of: 50), lines(of: 60))
        let isFifty = totalPower(of: fifty) >= totalPower(of: sixty)
        let lines = isFifty ? fifty : sixty
        guard lines.contains(where: { $0.harmonic <= 2 }) else { return nil }
        return Hum(
            mainsFrequency: isFifty ? 50 : 60, level: Decibels.level(ofPower: totalPower(of: lines)),
            lines: lines.map { Hum.Line(harmonic: $0.harmonic, level: Decibels.level(ofPower: $0.power)) })
    }

    private typealias FoundLine = (harmonic: Int, power: Double)

    private func totalPower(of lines: [FoundLine]) -> Double { lines.reduce(0) { $0 + $1.power } }

    private func lines(of mains: Double) -> [FoundLine] {
        HumSearch.harmonics.compactMap { harmonic in
            linePower(at: mains * Double(harmonic)).map { (harmonic, $0) }
        }
    }

    /// The power of a line near a frequency without the noise under it, or nil if no line stands out.
    private func linePower(at frequency: Double) -> Double? {
        let place = frequency / binWidth
        let stray = max(1, place * HumSearch.tolerance)
        let range = Int((place - stray).rounded())...Int((place + stray).rounded())
        let around = 2 * lineReach + 10
        guard range.lowerBound > lineReach, range.upperBound + around < power.count,
            let peak = range.max(by: { power[$0] < power[$1] }),
            // The slope of a stronger line nearby has no peak here.
            power[peak] > power[peak - 1], power[peak] > power[peak + 1]
        else { return nil }
        let near = [(peak - around)..<(peak - lineReach), (peak + lineReach + 1)..<(peak + around + 1)]
        let floor = max(leastFloor, near.flatMap { power[max(0, $0.lowerBound)..<$0.upperBound] }.median)
        guard power[peak] > threshold * floor else { return nil }
        let line = power[(peak - lineReach)...(peak + lineReach)].reduce(0, +)
        return max(0, line - floor * Double(2 * lineReach + 1))
    }
}
