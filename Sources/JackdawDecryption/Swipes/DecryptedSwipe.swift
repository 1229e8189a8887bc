public import JackdawCards

/// A swipe in clear, of which something was encrypted, in wiped buffers.
public struct DecryptedSwipe: ~Copyable, Sendable {
    /// The tracks, in the order of their numbers.
    public let tracks: [DecryptedTrack]
    /// The key's serial number (KSN); nil where the key is fixed.
    public let keySerialNumber: [UInt8]?
    /// The stripe's fingerprint, 54 bytes; none where the reader takes none or it did not decrypt.
    public let magnePrint: SecretBytes
    /// Why the MagnePrint did not decrypt; nil where it did, or there is none.
    public let magnePrintFailure: DecryptionError?
    /// Eight bytes that the program gave the reader; nil where it sent none.
    public let session: [UInt8]?

    init(
        _ tracks: [DecryptedTrack], keySerialNumber: [UInt8]?,
        magnePrint: consuming SecretBytes = SecretBytes(count: 0) { _ in },
        magnePrintFailure: DecryptionError? = nil, session: [UInt8]? = nil
    ) {
        self.tracks = tracks
        self.keySerialNumber = keySerialNumber
        self.magnePrint = magnePrint
        self.magnePrintFailure = magnePrintFailure
        self.session = session
    }

    /// The tracks as those of one card.
    public var card: SwipedCard { SwipedCard(tracks.compactMap(\.content)) }
}
