/// What a MagneSafe reader says about a stripe's fingerprint (MagnePrint) and how the card was moved.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 6.8.
public struct MagnePrintStatus: OptionSet, Sendable, Hashable {
    /// As the reader sends it, the first byte the lowest.
    public let rawValue: UInt32

    /// Of the four bytes.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The reader takes fingerprints.
    public static let isCapable = MagnePrintStatus(rawValue: 1 << 0)
    /// Too much noise.
    public static let isNoisy = MagnePrintStatus(rawValue: 1 << 17)
    /// The card was moved too slowly.
    public static let isTooSlow = MagnePrintStatus(rawValue: 1 << 18)
    /// The card was moved too fast.
    public static let isTooFast = MagnePrintStatus(rawValue: 1 << 19)
    /// The card was moved backwards.
    public static let isReversed = MagnePrintStatus(rawValue: 1 << 21)
}
