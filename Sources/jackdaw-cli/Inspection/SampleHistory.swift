import Glibc
import JackdawDSP

/// The last seconds of a channel: a decoder says what was a swipe after it has gone by.
final class SampleHistory {
    private var ring: [Float]
    /// Samples received so far.
    private(set) var count = 0

    /// An empty history.
    /// - Parameter capacity: samples to keep, 1 or more.
    init(capacity: Int) { ring = [Float](repeating: 0, count: capacity) }

    deinit {
        // Sound of a swipe is card data.
        unsafe ring.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
        }
    }

    func append(_ samples: Span<Float>) {
        append(samples.count) { samples[$0] }
    }

    func append(_ samples: Span<Int16>) {
        append(samples.count) { Float(samples[$0]) / 32_768 }
    }

    @inline(__always)
    private func append(_ added: Int, _ sample: (Int) -> Float) {
        var place = count % ring.count
        for index in 0..<added {
            ring[place] = sample(index)
            place += 1
            if place == ring.count { place = 0 }
        }
        count += added
    }

    /// Takes silence in the place of samples that were lost.
    func skip(_ lost: Int) {
        for index in max(0, lost - ring.count)..<lost { ring[(count + index) % ring.count] = 0 }
        count += lost
    }

    /// The samples that are still there.
    var kept: Range<Int> { max(0, count - ring.count)..<count }

    /// A copy of some samples.
    /// - Parameter range: counted from the start of the recording.
    /// - Returns: those of them that are still kept, and the number of the first.
    func samples(in range: Range<Int>) -> (samples: WipedArray<Float>, first: Int) {
        let kept = range.clamped(to: kept)
        return (WipedArray(kept.lazy.map { [ring] in ring[$0 % ring.count] }), kept.lowerBound)
    }
}
