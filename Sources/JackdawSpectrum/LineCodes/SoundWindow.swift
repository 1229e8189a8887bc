import Glibc
import JackdawBytes

/// The spectrum of a stretch of sound, from which bands are extracted as signals of a lower rate.
final class SoundWindow {
    /// Samples of sound, without the padding.
    let count: Int
    /// Samples per second, in Hz.
    let sampleRate: Double
    /// The transforms of the survey, which the searches in this window share.
    let shelf: TransformShelf

    /// Samples including the zeros that pad them.
    private let transformCount: Int
    private var spectrum: [SIMD2<Float>]
    /// Mean power of bands of about 50 Hz.
    private let density: [Double]
    private let binsPerBand: Int

    /// - Parameters:
    ///   - samples: at most as many as the transform takes.
    ///   - sampleRate: in Hz.
    ///   - transform: its length is a power of two.
    ///   - shelf: provides further transforms.
    init(_ samples: Span<Float>, sampleRate: Double, _ transform: inout RealTransform, _ shelf: TransformShelf) {
        count = samples.count
        self.sampleRate = sampleRate
        self.shelf = shelf
        transformCount = transform.count
        let padded = transform.count
        var bins = [SIMD2<Float>](repeating: .zero, count: transform.binCount)
        var target = bins.mutableSpan
        transform.transform(samples, into: &target)
        let width = max(1, Int(50 * Double(padded) / sampleRate))
        binsPerBand = width
        density = stride(from: 0, to: bins.count - width + 1, by: width).map { start in
            var sum: Float = 0
            for bin in start..<start + width { sum += (bins[bin] * bins[bin]).sum() }
            return Double(sum) / Double(width)
        }
        spectrum = bins
    }

    deinit { spectrum.wipe() }

    /// The power density of the noise: the lower quartile over the bands.
    private(set) lazy var floor = max(density.quantile(0.25), 1e-12 * (density.max() ?? 0))

    /// The mean power density in a range of frequencies, divided by the ``floor``.
    func height(in range: ClosedRange<Double>) -> Double {
        let band = sampleRate / Double(transformCount) * Double(binsPerBand)
        let low = max(0, Int(range.lowerBound / band))
        let high = min(density.count - 1, Int(range.upperBound / band))
        guard low <= high, floor > 0 else { return 0 }
        return density[low...high].reduce(0, +) / Double(high - low + 1) / floor
    }

    /// The band that holds nearly all of the power above the noise; nil if there is none.
    /// - Parameter least: lower frequencies do not count, since hum lies there.
    /// - Returns: frequencies in Hz.
    func occupied(from least: Double) -> ClosedRange<Double>? {
        let band = sampleRate / Double(transformCount) * Double(binsPerBand)
        let first = min(Int(least / band), density.count)
        let excess = density[first...].map { max(0, $0 - 1.5 * floor) }
        let total = excess.reduce(0, +)
        guard total > 0 else { return nil }
        /// The frequency below which a share of the power lies.
        func edge(_ share: Double) -> Double {
            var sum = 0.0
            let index = excess.firstIndex { value in
                sum += value
                return sum >= share * total
            }
            return Double(first + (index ?? excess.count - 1)) * band
        }
        return edge(0.03)...edge(0.97) + band
    }

    /// A band shifted down to 0 Hz, at a lower rate.
    struct Band {
        let values: [SIMD2<Float>]
        /// Values per second of the band.
        let rate: Double
        /// The frequency that was shifted to 0 Hz, in Hz.
        let centre: Double
    }

    /// Extracts a band that falls off like a Hann window on both sides of its centre.
    /// - Parameters:
    ///   - frequency: the centre in Hz.
    ///   - reach: the distance from the centre at which the band ends, in Hz.
    ///   - leastRate: the lowest rate of the band, in values per second.
    /// - Returns: the band.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func band(around frequency: Double, reach: Double, leastRate: Double) throws(SpectrumError) -> Band {
        let step = sampleRate / Double(transformCount)
        let centre = Int((frequency / step).rounded())
        let half = max(1, Int(reach / step))
        return try cut(leastRate: max(leastRate, 2.2 * reach), centre: Double(centre) * step) { [spectrum] values in
            for offset in -half...half where spectrum.indices.contains(centre + offset) && centre + offset > 0 {
                let weight = Float(0.5 + 0.5 * cos(.pi * Double(offset) / Double(half + 1)))
                values[offset < 0 ? offset + values.count : offset] = spectrum[centre + offset] * weight
            }
        }
    }

    /// Extracts all between two frequencies; the upper edge falls off like a Hann window. The real parts are the sound.
    /// - Throws: ``SpectrumError`` if there is no memory for a transform.
    func lowBand(_ range: Range<Double>, leastRate: Double) throws(SpectrumError) -> Band {
        let step = sampleRate / Double(transformCount)
        let last = min(spectrum.count - 1, Int(range.upperBound / step))
        return try cut(leastRate: max(leastRate, 2.2 * range.upperBound), centre: 0) { [spectrum] values in
            for bin in stride(from: max(1, Int(range.lowerBound / step)), through: last, by: 1) {
                let weight = Float(0.5 + 0.5 * cos(.pi * Double(bin) * step / range.upperBound))
                values[bin] = spectrum[bin] * weight
            }
        }
    }

    private func cut(
        leastRate: Double, centre: Double, _ fill: (inout MutableSpan<SIMD2<Float>>) -> Void
    ) throws(SpectrumError) -> Band {
        var values = 8
        while Double(values) * sampleRate < leastRate * Double(transformCount) { values *= 2 }
        let kept = max(1, min(values, count * values / transformCount))
        let rate = sampleRate * Double(values) / Double(transformCount)
        let transform = try shelf.transform(values, .backward)
        return Band(values: transform.transform(first: kept, fill), rate: rate, centre: centre)
    }
}
