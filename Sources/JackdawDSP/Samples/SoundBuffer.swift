import JackdawBytes

/// The last sound of a recording: new samples are appended at its end, and old ones are dropped from its front. Their
/// memory is overwritten on request, or when the last holder releases the buffer, even in the middle of a swipe.
struct SoundBuffer: Sendable {
    private var storage: Storage
    /// Number of valid samples.
    private(set) var count = 0

    /// - Parameter capacity: number of samples to reserve space for.
    init(capacity: Int) { storage = Storage(capacity: capacity) }

    /// Runs a body over the valid samples.
    @inline(__always)
    func withSamples<Result>(_ body: (Span<Float>) -> Result) -> Result {
        body(unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: storage.samples.elements[..<count])))
    }

    /// Appends samples of another type at the end.
    @inline(__always)
    mutating func append<Sample>(_ source: UnsafePointer<Sample>, count added: Int, convert: (Sample) -> Float) {
        makeUnique()
        precondition(count + added <= storage.samples.count, "a segment outgrew its buffer")
        // Unsafe pointers: without checks, the compiler vectorises the loop.
        let target = unsafe storage.samples.elements.baseAddress! + count
        for index in 0..<added { unsafe target[index] = convert(source[index]) }
        count += added
        storage.usedEnd = max(storage.usedEnd, count)
    }

    /// Drops all samples except the last ones.
    /// - Returns: the number of samples dropped.
    mutating func keepLast(_ kept: Int) -> Int {
        let kept = max(0, kept)
        let dropped = max(0, count - kept)
        guard dropped > 0 else { return 0 }
        makeUnique()
        let base = unsafe storage.samples.elements.baseAddress!
        unsafe base.update(from: base + dropped, count: kept)
        count = kept
        return dropped
    }

    /// Overwrites the memory of the samples that were dropped.
    mutating func wipeDropped() {
        makeUnique()
        storage.wipe(from: count)
    }

    /// The same samples in a buffer of their size.
    func compact() -> SoundBuffer {
        var copy = SoundBuffer(capacity: count)
        withSamples { samples in
            unsafe samples.withUnsafeBufferPointer { source in
                guard let base = source.baseAddress else { return }
                unsafe copy.append(base, count: source.count) { $0 }
            }
        }
        return copy
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
    }

    /// Changed only by a sole holder.
    private final class Storage: @unchecked Sendable {
        let samples: SecretBuffer<Float>
        /// End of the memory that has held sound since it was last overwritten.
        var usedEnd = 0

        init(capacity: Int) { samples = SecretBuffer(zeroed: capacity) }

        init(copying other: Storage) {
            samples = unsafe SecretBuffer(copying: other.samples.elements)
            usedEnd = other.usedEnd
        }

        func wipe(from start: Int) {
            samples.wipe(start..<max(start, usedEnd))
            usedEnd = start
        }
    }
}
