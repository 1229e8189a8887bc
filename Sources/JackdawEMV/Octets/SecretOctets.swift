import JackdawBytes

/// Octets that may be card data, a PIN or a key, in memory that is overwritten when its last owner releases it.
///
/// Copies share one buffer. Every printed form shows only the number of octets.
public struct SecretOctets: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    private let storage: Storage

    /// Copies octets. The caller wipes the original.
    public init(copying octets: Span<UInt8>) {
        self.init(count: octets.count) { target in
            for index in octets.indices { target[index] = octets[index] }
        }
    }

    /// Copies octets. The caller wipes the original.
    public init(_ octets: [UInt8]) { self.init(copying: octets.span) }

    /// Allocates zeroed memory, and lets `fill` write the octets.
    package init(count: Int, fill: (inout MutableSpan<UInt8>) -> Void) {
        var buffer = SecretBuffer<UInt8>(zeroed: count)
        buffer.withMutableElements(fill)
        storage = Storage(buffer)
    }

    /// Copies octets one part after the other.
    init(joining parts: [SecretOctets]) {
        self.init(count: parts.reduce(0) { $0 + $1.count }) { target in
            var next = 0
            for part in parts {
                part.withOctets { octets in
                    for index in octets.indices { target[next + index] = octets[index] }
                }
                next += part.count
            }
        }
    }

    /// Number of octets held.
    public var count: Int { storage.buffer.count }

    /// Whether there are no octets.
    public var isEmpty: Bool { count == 0 }

    /// Runs a body over the octets in clear. The caller wipes any copy that the body makes.
    public func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.buffer.withElements(body)
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

    /// Whether both hold the same account number, as in tag 5A, whatever its padding.
    func isSameNumber(as other: SecretOctets) -> Bool {
        withOctets { own in other.withOctets { own.isSameNumber(as: $0) } }
    }

    /// Owns the octets, shared by all copies.
    private final class Storage: Sendable {
        let buffer: SecretBuffer<UInt8>

        init(_ buffer: consuming SecretBuffer<UInt8>) { self.buffer = buffer }
    }
}

#if !hasFeature(Embedded)

extension SecretOctets: CustomReflectable {
    /// A mirror without children: reflection shows none of the content.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

#endif
