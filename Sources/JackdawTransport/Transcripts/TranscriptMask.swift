/// Says which bytes of a link may be card data and must not be kept. It sees all of them in their order, since a message may
/// come in any pieces.
public protocol TranscriptMask: Sendable {
    /// Masks the next bytes.
    /// - Parameters:
    ///   - bytes: what is sent or was received, at least one.
    ///   - isSent: whether it is sent.
    /// - Returns: as many, nil in the place of each that must not be kept; where they are not as many, none is kept.
    mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]
}
