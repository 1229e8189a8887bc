/// The owner of secret bytes: one holder, no silent copy, overwritten before the memory is given back.
///
/// Nothing of the content shows in ``description``; a value that cannot be copied cannot be reflected or dumped either.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Number of bytes.
    public var count: Int { unsafe storage.count }

    /// A copy of some bytes. The original is the caller's to wipe.
    public init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count) { target in
            for index in bytes.indices { target[index] = bytes[index] }
        }
    }

    /// Zeroes, then what `fill` writes over them.
    /// - Parameters:
    ///   - count: number of bytes, not negative.
    ///   - fill: writes the content; it receives exactly `count` bytes. What it had written when it throws is overwritten.
    /// - Throws: what `fill` throws.
    public init<Failure: Error>(
        count: Int, fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        unsafe memory.initialize(repeating: 0)
        var span = unsafe MutableSpan(_unsafeElements: memory)
        do throws(Failure) {
            try fill(&span)
        } catch {
            unsafe overwrite(UnsafeMutableRawBufferPointer(memory))
            unsafe memory.deallocate()
            throw error
        }
        unsafe storage = memory
    }

    deinit {
        unsafe overwrite(UnsafeMutableRawBufferPointer(storage))
        unsafe storage.deallocate()
    }

    /// Runs a body over the bytes; what it copies out is the caller's to wipe.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(storage)))
    }

    /// A second owner of the same content: the only way to copy, so that every copy is meant.
    public borrowing func clone() -> SecretBytes {
        withBytes { SecretBytes(copying: $0) }
    }

    /// Whether both hold the same bytes; the time taken depends on the lengths alone.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        withBytes { own in other.withBytes { isEqualInConstantTime(own, $0) } }
    }

    /// Says how much is held, never what.
    public var description: String { "\(count) secret bytes" }
}

/// Compares without stopping at the first difference, so that the time tells nothing about where it lies.
@inline(never)
func isEqualInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}

/// Zeroes memory and hands it to an opaque call, so that the compiler cannot drop the stores as dead.
@inline(never)
func overwrite(_ bytes: UnsafeMutableRawBufferPointer) {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe escape(bytes)
}

@inline(never)
@_optimize(none)
private func escape(_ bytes: UnsafeMutableRawBufferPointer) {}

/// A value whose every printed form is its `description`, which shows masked data only.
///
/// `print`, interpolation, `String(reflecting:)`, `dump` and `Mirror` all end there, so that no log line, assertion or
/// crash report of a program that handles cards can carry more.
public protocol RedactedDescription: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension RedactedDescription {
    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children: reflection sees nothing of the content.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
