import JackdawTransport

/// Masks frames but for their header: for messages whose contents may be card data at any place.
struct FrameHeaderMask: TranscriptMask {
    /// The number of bytes at the beginning of a frame that stay.
    let size: Int

    /// Masks a whole frame.
    func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        bytes.enumerated().map { place, octet in place < size ? octet : nil }
    }
}
