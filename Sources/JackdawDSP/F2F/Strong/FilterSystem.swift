/// Normal equations for the taps of a filter, gathered eight to a vector from the samples under it.
struct FilterSystem {
    private let taps: Int
    /// Vectors a row.
    private let width: Int
    /// Rows of the Gram matrix as far as its diagonal, `width` vectors each.
    private var gram: [SIMD8<Float>]
    private var moments: [SIMD8<Float>]

    init(taps: Int) {
        self.taps = taps
        width = (taps + 7) / 8
        gram = .init(repeating: .zero, count: taps * width)
        moments = .init(repeating: .zero, count: width)
    }

    /// Samples that must follow the last one under the filter: they are read and do not count.
    static let margin = 8

    /// What the filter is to make of the samples from a place on.
    mutating func accumulate(_ samples: [Float], from first: Int, target: Float, weight: Float) {
        precondition(first >= 0 && first + 8 * width <= samples.count)
        let (taps, width) = (taps, width)
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe gram.withUnsafeMutableBufferPointer { gram in
                let window = unsafe samples.baseAddress! + first
                let vectors = unsafe UnsafeRawPointer(window)
                for tap in 0..<taps {
                    let value = unsafe window[tap] * weight
                    let row = unsafe gram.baseAddress! + tap &* width
                    for vector in 0...tap / 8 {
                        unsafe row[vector] +=
                            value
                            * vectors.loadUnaligned(fromByteOffset: 32 &* vector, as: SIMD8<Float>.self)
                    }
                }
                for vector in 0..<width {
                    moments[vector] +=
                        weight * target
                        * (unsafe vectors.loadUnaligned(fromByteOffset: 32 &* vector, as: SIMD8<Float>.self))
                }
            }
        }
    }

    /// The least-squares taps.
    /// - Parameter ridge: added to the diagonal, as a share of its mean.
    /// - Returns: as many taps as the system was made for.
    func solve(ridge: Double) -> [Float] {
        let rows = (0..<taps).flatMap { row in
            (0..<taps).map { column in Double(gram[row * width + column / 8][column % 8]) }
        }
        let system = SymmetricSystem(gram: rows, moments: (0..<taps).map { Double(moments[$0 / 8][$0 % 8]) })
        return system.solve(ridge: ridge).map { Float($0) }
    }

    /// The filter over samples: as many outputs, 0 where it would reach beyond an end, and where they are too few for eight
    /// outputs.
    static func apply(_ taps: [Float], to samples: [Float]) -> [Float] {
        let reach = taps.count / 2
        var output = [Float](repeating: 0, count: samples.count)
        guard samples.count >= taps.count + 7 else { return output }
        let centres = reach..<samples.count - reach
        unsafe samples.withUnsafeBytes { samples in
            unsafe output.withUnsafeMutableBytes { output in
                for centre in stride(from: centres.lowerBound, to: centres.upperBound, by: 8) {
                    // The last eight overlap those before.
                    let place = 4 * min(centre, centres.upperBound - 8)
                    var sum = SIMD8<Float>.zero
                    for tap in taps.indices {
                        sum +=
                            unsafe taps[tap]
                            * samples.loadUnaligned(fromByteOffset: place + 4 * (tap - reach), as: SIMD8<Float>.self)
                    }
                    unsafe output.storeBytes(of: sum, toByteOffset: place, as: SIMD8<Float>.self)
                }
            }
        }
        return output
    }
}
