import JackdawBytes
import JackdawDSP

/// The last seconds of a channel, kept because a decoder reports a swipe only after it has passed.
final class SampleHistory {
    /// A ring of the last samples: 16-bit ones as they came, until others follow. One of the two is empty.
    private var integers: [Int16] = []
    private var floats: [Float] = []
    private let capacity: Int
    /// Total number of samples received so far.
    private(set) var count = 0

    /// Creates an empty history.
    /// - Parameter capacity: samples to keep, 1 or more.
    init(capacity: Int) { self.capacity = capacity }

    deinit {
        // The sound of a swipe is card data.
        integers.wipe()
        floats.wipe()
    }

    func append(_ samples: Span<Float>) {
        if floats.isEmpty { keepFloats() }
        unsafe samples.withUnsafeBufferPointer { unsafe copy($0, to: &floats) { $0 } }
        count += samples.count
    }

    func append(_ samples: Span<Int16>) {
        if floats.isEmpty, integers.isEmpty { integers = [Int16](repeating: 0, count: capacity) }
        unsafe samples.withUnsafeBufferPointer { source in
            if floats.isEmpty {
                unsafe copy(source, to: &integers) { $0 }
            } else {
                unsafe copy(source, to: &floats, Self.float)
            }
        }
        count += samples.count
    }

    private static func float(_ sample: Int16) -> Float { Float(sample) * (1 / 32_768) }

    private func keepFloats() {
        floats = integers.isEmpty ? [Float](repeating: 0, count: capacity) : integers.map(Self.float)
        integers.wipe()
    }

    @inline(__always)
    private func copy<Source, Sample>(
        _ samples: UnsafeBufferPointer<Source>, to ring: inout [Sample], _ convert: (Source) -> Sample
    ) {
        // What a longer block would overwrite itself is left out.
        var index = max(0, samples.count - capacity)
        var place = (count + index) % capacity
        unsafe ring.withUnsafeMutableBufferPointer { ring in
            while index < samples.count {
                // Unsafe pointers: without checks, the compiler vectorises the loop.
                let source = unsafe samples.baseAddress! + index
                let target = unsafe ring.baseAddress! + place
                let run = min(samples.count - index, capacity - place)
                for offset in 0..<run { unsafe target[offset] = convert(source[offset]) }
                index += run
                place = (place + run) % capacity
            }
        }
    }

    /// Appends silence instead of samples that were lost.
    func skip(_ lost: Int) {
        for index in max(0, lost - capacity)..<lost {
            let place = (count + index) % capacity
            if !integers.isEmpty { integers[place] = 0 }
            if !floats.isEmpty { floats[place] = 0 }
        }
        count += lost
    }

    /// The range of samples that are kept, counted from the start of the recording.
    var kept: Range<Int> { max(0, count - capacity)..<count }

    /// Runs a body over some samples, in their order: in one piece, or in two if they lie around the end of the ring.
    /// - Parameters:
    ///   - range: counted from the start of the recording; samples that are not kept any more are left out.
    ///   - integers: receives each piece of 16-bit samples.
    ///   - floats: receives each piece of other samples.
    func withSamples(in range: Range<Int>, _ integers: (Span<Int16>) -> Void, floats: (Span<Float>) -> Void) {
        let kept = range.clamped(to: kept)
        guard !kept.isEmpty else { return }
        let first = kept.lowerBound % capacity
        let end = first + kept.count
        let pieces = [first..<min(end, capacity), 0..<max(0, end - capacity)].filter { !$0.isEmpty }
        for piece in pieces {
            if !self.floats.isEmpty { floats(self.floats.span.extracting(piece)) }
            if !self.integers.isEmpty { integers(self.integers.span.extracting(piece)) }
        }
    }

    /// A copy of some samples.
    /// - Parameter range: counted from the start of the recording.
    /// - Returns: those that are still kept, and the number of the first.
    func samples(in range: Range<Int>) -> (samples: WipedArray<Float>, first: Int) {
        let kept = range.clamped(to: kept)
        var copy: [Float] = []
        copy.reserveCapacity(kept.count)
        defer { copy.wipe() }
        withSamples(in: kept) { samples in
            for index in samples.indices { copy.append(Self.float(samples[index])) }
        } floats: { samples in
            for index in samples.indices { copy.append(samples[index]) }
        }
        return (WipedArray(copy), kept.lowerBound)
    }
}
