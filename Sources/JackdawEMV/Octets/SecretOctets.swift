/// Octets that may be card data, a PIN or a key, in memory that is overwritten when its last owner releases it.
///
/// Copies share one buffer. Every printed form shows only the number of octets.
public struct SecretOctets: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    private let storage: Storage

    /// Copies octets. The caller wipes the original.
    public init(copying octets: Span<UInt8>) { storage = Storage(octets) }

    /// Copies octets. The caller wipes the original.
    public init(_ octets: [UInt8]) { self.init(copying: octets.span) }

    /// Number of octets held.
    public var count: Int { storage.count }

    /// Whether there are no octets.
    public var isEmpty: Bool { count == 0 }

    /// Runs a body over the octets in clear. The caller wipes any copy that the body makes.
    public func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withOctets(body)
    }

    /// A copy in clear. An array is not wiped: use ``withOctets(_:)`` if possible.
    public var octets: [UInt8] { withOctets { Array(copying: $0) } }

    /// The number of octets, and none of their content.
    public var description: String { "\(count) hidden octets" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Whether both hold the same octets. The time depends only on the lengths.
    public static func == (left: SecretOctets, right: SecretOctets) -> Bool {
        left.withOctets { own in
            right.withOctets { other in
                guard own.count == other.count else { return false }
                var difference: UInt8 = 0
                for index in own.indices { difference |= own[index] ^ other[index] }
                return difference == 0
            }
        }
    }

    @safe
    private final class Storage: @unchecked Sendable {
        private let memory: UnsafeMutableBufferPointer<UInt8>

        init(_ octets: Span<UInt8>) {
            unsafe memory = .allocate(capacity: octets.count)
            unsafe memory.initialize(repeating: 0)
            for index in octets.indices { unsafe memory[index] = octets[index] }
        }

        var count: Int { unsafe memory.count }

        func withOctets<Result: ~Copyable, Failure: Error>(
            _ body: (Span<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(memory)))
        }

        deinit {
            unsafe overwrite(UnsafeMutableRawBufferPointer(memory))
            unsafe memory.deallocate()
        }
    }
}

#if !hasFeature(Embedded)

extension SecretOctets: CustomReflectable {
    /// A mirror without children: reflection shows none of the content.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

#endif

extension SecretOctets {
    /// Whether both hold the same account number, as in tag 5A, whatever its padding.
    func isSameNumber(as other: SecretOctets) -> Bool {
        withOctets { own in other.withOctets { own.isSameNumber(as: $0) } }
    }

    /// Copies octets, and overwrites the original if nothing else refers to it.
    init(wiping octets: inout [UInt8]) {
        self.init(copying: octets.span)
        octets.wipe()
    }
}

extension Array where Element == UInt8 {
    /// Overwrites the octets with zeros. Another array that shares them keeps them.
    mutating func wipe() { unsafe withUnsafeMutableBytes { unsafe overwrite($0) } }
}

/// Zeroes memory and passes it to an opaque call, so that the compiler cannot drop the stores as dead.
@inline(never)
private func overwrite(_ octets: UnsafeMutableRawBufferPointer) {
    unsafe octets.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe escape(octets)
}

@inline(never)
@_optimize(none)
private func escape(_ octets: UnsafeMutableRawBufferPointer) {}
