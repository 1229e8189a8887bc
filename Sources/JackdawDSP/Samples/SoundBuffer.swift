/// The last sound of a recording: new samples come in at its end, old ones are dropped from its front, and what is left of
/// them is overwritten when it is told to, or when its last holder goes, be it in the middle of a swipe.
struct SoundBuffer: Sendable, CustomReflectable {
    private var storage: Storage
    /// Samples that are valid.
    private(set) var count = 0

    /// - Parameter capacity: samples that there is room for.
    init(capacity: Int) { storage = Storage(capacity: capacity) }

    /// Reflection shows nothing of the sound.
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Runs a body over the valid samples.
    @inline(__always)
    func withSamples<Result>(_ body: (Span<Float>) -> Result) -> Result {
        body(unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: storage.samples[..<count])))
    }

    /// Takes samples of another type at the end.
    @inline(__always)
    mutating func append<Sample>(_ source: UnsafePointer<Sample>, count added: Int, convert: (Sample) -> Float) {
        makeUnique()
        precondition(unsafe count + added <= storage.samples.count, "a segment outgrew its buffer")
        // Bare pointers: with nothing to check in it, the loop becomes vector instructions.
        let target = unsafe storage.samples.baseAddress! + count
        for index in 0..<added { unsafe target[index] = convert(source[index]) }
        count += added
        storage.usedEnd = max(storage.usedEnd, count)
    }

    /// Drops all but the last samples.
    /// - Returns: how many were dropped.
    mutating func keepLast(_ kept: Int) -> Int {
        let kept = max(0, kept)
        let dropped = max(0, count - kept)
        guard dropped > 0 else { return 0 }
        makeUnique()
        let base = unsafe storage.samples.baseAddress!
        unsafe base.update(from: base + dropped, count: kept)
        count = kept
        return dropped
    }

    /// Overwrites what is left of the samples that were dropped.
    mutating func wipeDropped() {
        makeUnique()
        storage.wipe(from: count)
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
    }

    /// Changed by a sole holder alone.
    @safe
    private final class Storage: @unchecked Sendable {
        let samples: UnsafeMutableBufferPointer<Float>
        /// End of what has held sound since it was last overwritten.
        var usedEnd = 0

        init(capacity: Int) {
            unsafe samples = .allocate(capacity: capacity)
            unsafe samples.initialize(repeating: 0)
        }

        init(copying other: Storage) {
            unsafe samples = .allocate(capacity: other.samples.count)
            _ = unsafe samples.initialize(fromContentsOf: other.samples)
            usedEnd = other.usedEnd
        }

        func wipe(from start: Int) {
            let used = unsafe UnsafeMutableBufferPointer(rebasing: samples[start..<max(start, usedEnd)])
            unsafe overwrite(UnsafeMutableRawBufferPointer(used))
            usedEnd = start
        }

        deinit {
            wipe(from: 0)
            unsafe samples.deallocate()
        }
    }
}
