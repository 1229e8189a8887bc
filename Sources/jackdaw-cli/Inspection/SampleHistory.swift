import JackdawBytes
import JackdawDSP

/// The last seconds of a channel, kept because a decoder reports a swipe only after it has passed.
final class SampleHistory {
    private var samples: KeptSamples

    /// Creates an empty history. Its memory grows with the samples that are kept.
    /// - Parameter capacity: limit of samples to keep, 1 or more.
    init(capacity: Int) { samples = KeptSamples(capacity: capacity) }

    // The sound of a swipe is card data.
    deinit { samples.wipe() }

    /// Total number of samples received so far.
    var count: Int { samples.count }

    /// The range of samples that are kept, counted from the start of the recording.
    var kept: Range<Int> { samples.kept }

    func append(_ samples: Span<Float>) { self.samples.append(samples) }

    func append(_ samples: Span<Int16>) { self.samples.append(samples) }

    /// Appends silence instead of samples that were lost.
    func skip(_ lost: Int) { samples.skip(lost) }

    /// Keeps no samples before a sample.
    func discard(before sample: Int) { samples.discard(before: sample) }

    /// Runs a body over some samples, in their order: in one piece, or in two if they lie around the end of a ring.
    /// - Parameters:
    ///   - range: counted from the start of the recording; samples that are not kept any more are left out.
    ///   - integers: receives each piece of 16-bit samples.
    ///   - floats: receives each piece of other samples.
    func withSamples(in range: Range<Int>, _ integers: (Span<Int16>) -> Void, floats: (Span<Float>) -> Void) {
        samples.withSamples(in: range, integers, floats: floats)
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
            for index in samples.indices { copy.append(KeptSamples.float(samples[index])) }
        } floats: { samples in
            for index in samples.indices { copy.append(samples[index]) }
        }
        return (WipedArray(copy), kept.lowerBound)
    }
}

/// The samples of a history. A value, so that the history accesses all of it at once.
private struct KeptSamples {
    /// The samples: 16-bit ones as they came, until others follow. One of the two is empty.
    private var integers = SampleRing<Int16>()
    private var floats = SampleRing<Float>()
    private let capacity: Int
    private(set) var count = 0
    /// Samples before this one are not kept.
    private var discarded = 0

    init(capacity: Int) { self.capacity = capacity }

    mutating func wipe() {
        integers.samples.wipe()
        floats.samples.wipe()
    }

    var kept: Range<Int> { max(discarded, count - integers.size - floats.size)..<count }

    mutating func discard(before sample: Int) { discarded = min(max(discarded, sample), count) }

    mutating func append(_ samples: Span<Float>) {
        if integers.size > 0 {
            floats.samples = integers.samples.map(Self.float)
            integers.samples.wipe()
        }
        floats.grow(by: samples.count, keeping: kept, capacity: capacity)
        unsafe samples.withUnsafeBufferPointer { unsafe floats.write($0, at: count) }
        count += samples.count
    }

    mutating func append(_ samples: Span<Int16>) {
        let kept = kept
        unsafe samples.withUnsafeBufferPointer {
            if floats.size == 0 {
                integers.grow(by: samples.count, keeping: kept, capacity: capacity)
                unsafe integers.write($0, at: count)
            } else {
                floats.grow(by: samples.count, keeping: kept, capacity: capacity)
                unsafe floats.write($0, at: count) { to, from, run in
                    // Unsafe pointers: without checks, the compiler vectorises the loop.
                    for offset in 0..<run { unsafe to[offset] = Self.float(from[offset]) }
                }
            }
        }
        count += samples.count
    }

    static func float(_ sample: Int16) -> Float { Float(sample) * (1 / 32_768) }

    mutating func skip(_ lost: Int) {
        if floats.size == 0 {
            integers.grow(by: lost, keeping: kept, capacity: capacity)
            integers.silence(lost, at: count)
        } else {
            floats.grow(by: lost, keeping: kept, capacity: capacity)
            floats.silence(lost, at: count)
        }
        count += lost
    }

    func withSamples(in range: Range<Int>, _ integers: (Span<Int16>) -> Void, floats: (Span<Float>) -> Void) {
        let kept = range.clamped(to: kept)
        for piece in self.integers.pieces(of: kept) { integers(self.integers.samples.span.extracting(piece)) }
        for piece in self.floats.pieces(of: kept) { floats(self.floats.samples.span.extracting(piece)) }
    }
}

/// A ring of samples: each has its place by its number, counted from the start of the recording.
private struct SampleRing<Sample: Numeric & BitwiseCopyable> {
    var samples: [Sample] = []

    var size: Int { samples.count }

    /// Least number of samples in the memory of a ring.
    private static var leastSize: Int { 16_384 }

    /// Enlarges the memory if the next samples need it.
    /// - Parameters:
    ///   - added: the number of the next samples.
    ///   - kept: the samples to keep.
    ///   - capacity: limit of samples to keep.
    mutating func grow(by added: Int, keeping kept: Range<Int>, capacity: Int) {
        let needed = min(capacity, kept.count + added)
        guard needed > size else { return }
        var larger = SampleRing(
            samples: [Sample](repeating: 0, count: min(capacity, max(needed, 2 * size, Self.leastSize))))
        var number = kept.lowerBound
        for piece in pieces(of: kept) {
            unsafe samples.span.extracting(piece).withUnsafeBufferPointer { unsafe larger.write($0, at: number) }
            number += piece.count
        }
        samples.wipe()
        self = larger
    }

    /// Writes the next samples; of a block larger than the ring, only the last ones.
    mutating func write(_ source: UnsafeBufferPointer<Sample>, at count: Int) {
        unsafe write(source, at: count) { unsafe $0.update(from: $1, count: $2) }
    }

    /// Writes the next samples in runs of one piece.
    @inline(__always)
    mutating func write<Source>(
        _ source: UnsafeBufferPointer<Source>, at count: Int,
        _ copy: (UnsafeMutablePointer<Sample>, UnsafePointer<Source>, Int) -> Void
    ) {
        guard !source.isEmpty else { return }
        let size = size
        var index = max(0, source.count - size)
        var place = (count + index) % size
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            while index < source.count {
                let run = min(source.count - index, size - place)
                unsafe copy(samples.baseAddress! + place, source.baseAddress! + index, run)
                index += run
                place = (place + run) % size
            }
        }
    }

    /// Writes silence instead of samples that were lost.
    mutating func silence(_ lost: Int, at count: Int) {
        for index in max(0, lost - size)..<lost { samples[(count + index) % size] = 0 }
    }

    /// The ranges of memory that hold some samples: one, or two if they lie around the end of the ring.
    func pieces(of range: Range<Int>) -> [Range<Int>] {
        guard size > 0, !range.isEmpty else { return [] }
        let first = range.lowerBound % size
        let end = first + range.count
        return [first..<min(end, size), 0..<max(0, end - size)].filter { !$0.isEmpty }
    }
}
