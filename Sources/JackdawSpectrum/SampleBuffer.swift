import Glibc

/// Samples that wait for more, overwritten before their memory is given back: recordings of swipes are card data.
@safe
struct SampleBuffer: ~Copyable, @unchecked Sendable {
    /// Room for samples.
    let capacity: Int
    /// Samples that are waiting.
    private(set) var count = 0
    private let storage: UnsafeMutableBufferPointer<Float>

    /// An empty buffer for `capacity` samples.
    init(capacity: Int) {
        self.capacity = capacity
        unsafe storage = .allocate(capacity: capacity)
        unsafe storage.initialize(repeating: 0)
    }

    deinit {
        if let base = unsafe storage.baseAddress {
            unsafe explicit_bzero(base, capacity * MemoryLayout<Float>.stride)
        }
        unsafe storage.deallocate()
    }

    /// Whether there is no more room.
    var isFull: Bool { count == capacity }

    /// Takes as many samples as there is room for.
    /// - Parameters:
    ///   - samples: the next samples of a stream.
    ///   - start: how many of them have been taken.
    mutating func take(_ samples: Span<Float>, from start: inout Int) {
        let taken = min(capacity - count, samples.count - start)
        for index in 0..<taken { unsafe storage[count + index] = samples[start + index] }
        count += taken
        start += taken
    }

    /// Takes as many 16-bit samples as there is room for.
    mutating func take(_ samples: Span<Int16>, from start: inout Int) {
        let taken = min(capacity - count, samples.count - start)
        for index in 0..<taken { unsafe storage[count + index] = Float(samples[start + index]) * (1 / 32_768) }
        count += taken
        start += taken
    }

    /// Forgets all but the last samples.
    mutating func keep(last kept: Int) {
        precondition(kept <= count, "there are not so many samples")
        for index in 0..<kept { unsafe storage[index] = storage[count - kept + index] }
        count = kept
    }

    /// Replaces samples by 0 that are not finite or of a larger magnitude.
    mutating func replaceSamples(beyond limit: Float) {
        for index in 0..<count {
            let sample = unsafe storage[index]
            // What is not a number compares as false.
            unsafe storage[index] = sample.magnitude <= limit ? sample : 0
        }
    }

    /// Runs a body over the waiting samples.
    borrowing func withSamples<Result, Failure>(
        _ body: (Span<Float>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage.extracting(..<count))))
    }
}
