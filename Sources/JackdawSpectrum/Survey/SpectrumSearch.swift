/// What both searches in the spectrum of a recording need.
enum SpectrumSearch {
    /// The first bin that the DC does not leak into (a Blackman-Harris line ends four bins from its centre).
    static let firstBin = 5

    /// The power in a bin under which there is nothing but the rounding of single precision: 150 dB under all bins together.
    static func roundingNoise(of power: [Double]) -> Double { 1e-15 * power.reduce(0, +) }
}
