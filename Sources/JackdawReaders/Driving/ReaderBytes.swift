import JackdawCards

/// Data objects that an EMVSwiper sends of a card: one place in memory, which is overwritten when nobody needs it any more.
public final class BBPOSData: Sendable, CustomStringConvertible {
    private let bytes: SecretBytes

    /// - Parameter bytes: copied; the caller's own are its own to wipe.
    public init(copying bytes: Span<UInt8>) { self.bytes = SecretBytes(copying: bytes) }

    /// Lends the objects.
    /// - Parameter body: gets them; they must not be kept.
    /// - Returns: what the body does.
    public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { bytes.withBytes { body($0) } }

    /// How many bytes there are.
    public var description: String { withBytes { "\($0.count) bytes" } }
}
