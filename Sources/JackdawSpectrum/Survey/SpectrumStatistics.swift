import Glibc

/// How far the mean of some spectra of white noise strays from the true spectrum: each spectrum is distributed
/// exponentially, their mean as a gamma distribution.
struct SpectrumStatistics {
    /// Independent spectra that the mean is worth.
    let shape: Double

    /// - Parameter segments: spectra averaged, of segments that overlap by half: with the windows used here, each but the
    ///   first is worth about nine tenths of an independent one.
    init(segments: Int) {
        shape = max(1, 1 + 0.9 * Double(segments - 1))
    }

    /// The value, over the true one, that the mean stays under with a given probability (the approximation of E. B. Wilson
    /// and M. M. Hilferty, "The distribution of chi-square", PNAS 17, 1931).
    /// - Parameter deviation: the probability as the point of the standard normal distribution that is as likely.
    /// - Returns: a factor over 0.
    func quantile(_ deviation: Double) -> Double {
        let root = 1 - 1 / (9 * shape) + deviation / (3 * sqrt(shape))
        return max(root, 0.01) * max(root, 0.01) * max(root, 0.01)
    }
}

extension [Double] {
    /// The middle value; 0 of none.
    var median: Double { quantile(0.5) }

    /// The value that a share of the others is under, 0 to 1; 0 of none.
    func quantile(_ share: Double) -> Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }

    /// The mean over each value and its neighbours up to a distance.
    func smoothed(reach: Int) -> [Double] {
        var sums = [0.0]
        for value in self { sums.append(sums[sums.count - 1] + value) }
        return indices.map { index in
            let (low, high) = (Swift.max(0, index - reach), Swift.min(count, index + reach + 1))
            return (sums[high] - sums[low]) / Double(high - low)
        }
    }
}
