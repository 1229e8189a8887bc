import JackdawCards

/// Bytes that a reader has sent and that may be of a card: one place in memory, which is overwritten when nobody needs it any
/// more.
public final class ReaderBytes: Sendable, Hashable, CustomStringConvertible {
    private let bytes: SecretBytes

    /// - Parameter bytes: copied; the caller's own are its own to wipe.
    public init(copying bytes: Span<UInt8>) { self.bytes = SecretBytes(copying: bytes) }

    /// Lends the bytes.
    /// - Parameter body: gets them; they must not be kept.
    /// - Returns: what the body does.
    public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { bytes.withBytes { body($0) } }

    /// How many bytes there are.
    public var count: Int { withBytes { $0.count } }

    /// How many bytes there are, in words.
    public var description: String { count == 1 ? "1 byte" : "\(count) bytes" }

    /// Whether they are the same bytes.
    public static func == (one: ReaderBytes, other: ReaderBytes) -> Bool {
        one.withBytes { first in
            other.withBytes { second in
                first.count == second.count && first.indices.allSatisfy { first[$0] == second[$0] }
            }
        }
    }

    /// Hashes how many there are.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
