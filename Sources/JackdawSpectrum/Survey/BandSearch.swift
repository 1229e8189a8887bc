/// Finds where in the spectrum there is signal.
struct BandSearch {
    /// Signal is what stands this far over the noise: 6 dB.
    private static let height = 4.0
    /// Bins averaged on either side, so that the chance peaks of noise do not pass.
    private static let smoothing = 8
    /// Loud and quiet parts differ by more than one class of 3 dB between them.
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

    /// Each bin's mean with its neighbours, but for those of the DC.
    private static func smoothed(_ power: [Double]) -> [Double] {
        let start = SpectrumSearch.firstBin
        let inside = Array(power[start...]).smoothed(reach: smoothing)
        return [Double](repeating: inside[0], count: start) + inside
    }
}
