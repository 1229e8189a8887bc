import JackdawDSP

/// The peaks that flux transitions left in the sound, searched in the places that the bits imply.
struct FluxPeaks {
    struct Peak {
        /// Samples from the start of the recording.
        let time: Double
        /// Full scale -1 to 1.
        let level: Double
        /// Whether it is the transition between two bit cells, not the one within a cell.
        let isBoundary: Bool
    }

    /// In the order of time; empty if bits or cells are not known.
    let peaks: [Peak]

    /// Finds the peaks.
    /// - Parameters:
    ///   - boundaries: times of the cell boundaries, in samples from the start of the recording.
    ///   - bits: one for each cell.
    ///   - samples: the sound.
    ///   - firstSample: number of the first sample.
    init(boundaries: [Double], bits: WipedArray<UInt8>, samples: WipedArray<Float>, firstSample: Int) {
        guard bits.count > 0, bits.count == boundaries.count - 1 else {
            peaks = []
            return
        }
        let places = Self.places(boundaries, bits)
        // Pulses alternate in sign. The sign of the first one is unknown: the reading with the higher peaks is right.
        let readings = [1.0, -1].map { sign in
            samples.withElements { samples in
                places.enumerated().compactMap { index, place in
                    Self.peak(
                        place, sign: index.isMultiple(of: 2) ? sign : -sign, in: samples, firstSample: firstSample)
                }
            }
        }
        let heights = readings.map { $0.reduce(0) { $0 + $1.height } }
        peaks = (heights[0] >= heights[1] ? readings[0] : readings[1]).map(\.peak)
    }

    /// Deviation of bit cells from the mean of the four around them, root mean square in percent; nil below five cells.
    var jitter: Double? {
        let times = peaks.filter(\.isBoundary).map(\.time)
        let cells = zip(times, times.dropFirst()).map { $1 - $0 }
        guard cells.count >= 5 else { return nil }
        let deviations = (2..<cells.count - 2).map { index in
            let around = (cells[index - 2] + cells[index - 1] + cells[index + 1] + cells[index + 2]) / 4
            return cells[index] / around - 1
        }
        return 100 * (deviations.reduce(0) { $0 + $1 * $1 } / Double(deviations.count)).squareRoot()
    }

    /// The expected time of a transition, and the tolerance on either side, in samples.
    private struct Place {
        let time: Double
        let reach: Double
        let isBoundary: Bool
    }

    private static func places(_ boundaries: [Double], _ bits: WipedArray<UInt8>) -> [Place] {
        bits.withElements { bits in
            var places: [Place] = []
            for cell in bits.indices {
                let length = boundaries[cell + 1] - boundaries[cell]
                places.append(Place(time: boundaries[cell], reach: length / 5, isBoundary: true))
                if bits[cell] != 0 {
                    places.append(Place(time: boundaries[cell] + length / 2, reach: length / 5, isBoundary: false))
                }
            }
            let last = boundaries[bits.count] - boundaries[bits.count - 1]
            places.append(Place(time: boundaries[bits.count], reach: last / 5, isBoundary: true))
            return places
        }
    }

    private static func peak(
        _ place: Place, sign: Double, in samples: Span<Float>, firstSample: Int
    ) -> (peak: Peak, height: Double)? {
        let low = max(0, Int((place.time - place.reach).rounded(.up)) - firstSample)
        let high = min(samples.count - 1, Int(place.time + place.reach) - firstSample)
        guard low <= high, let top = (low...high).max(by: { sign * Double(samples[$0]) < sign * Double(samples[$1]) })
        else { return nil }
        let level = Double(samples[top])
        // A parabola through three samples finds the peak between them.
        var shift = 0.0
        if top > 0, top < samples.count - 1 {
            let (left, right) = (Double(samples[top - 1]), Double(samples[top + 1]))
            let curvature = left - 2 * level + right
            if curvature != 0 { shift = min(max((left - right) / curvature / 2, -0.5), 0.5) }
        }
        let peak = Peak(time: Double(top + firstSample) + shift, level: level, isBoundary: place.isBoundary)
        return (peak, sign * level)
    }
}
