/// Says which bytes of a link may be card data and must not be kept. It sees all of them in their order, since a message may
/// come in any pieces.
public protocol TranscriptMask: Sendable {
    /// Masks the next bytes.
    /// - Parameters:
    ///   - bytes: what is sent or was received, at least one.
    ///   - isSent: whether it is sent.
    /// - Returns: as many, nil in the place of each that must not be kept; where they are not as many, none is kept.
    mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]

    /// Masks the next bytes as far as their messages are whole; the others come later.
    /// - Parameters:
    ///   - bytes: what is sent or was received, at least one.
    ///   - isSent: whether it is sent.
    /// - Returns: what is to be kept of the direction's next bytes, with those that were held back; nil in the place of each
    ///   that must not be kept.
    mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]

    /// Ends a direction.
    /// - Parameter isSent: which one.
    /// - Returns: what is to be kept of the bytes that were held back.
    mutating func finish(isSent: Bool) -> [UInt8?]
}

extension TranscriptMask {
    /// Holds nothing back.
    public mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        let kept = mask(bytes, isSent: isSent)
        return kept.count == bytes.count ? kept : Array(repeating: nil, count: bytes.count)
    }

    /// Nothing is held back.
    public mutating func finish(isSent: Bool) -> [UInt8?] { [] }
}
