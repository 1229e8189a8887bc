/// How the readers of a family encrypt swipes, as data: JackdawCryptography, the only module with ciphers, reads it.
package struct SwipeEncryption: Sendable {
    /// The bytes that have the encrypted swipe, and the rules for them.
    package enum Record: Sendable {
        /// A frame of ID TECH's readers, ``IDTechSwipe``.
        case idTech
        /// An answer of ID TECH's NEO readers, which contains such a frame.
        case neo
        /// A line of MagneSafe V5, ``MagTekSwipe``.
        case magTekLine
        /// A record of eDynamo, ``MagTekCardRecord``.
        case magTekRecord
        /// A message of eDynamo, which contains such a record.
        case magTekMessage
        /// A frame of IPS's readers, ``IPSSwipe``.
        case ips
        /// A record without further rules: the closure returns the places of its encrypted blocks.
        case blocks(@Sendable (Span<UInt8>) throws(FrameFault) -> EncryptedBlocks)
    }

    /// The record that a driver reports as ``ReaderSwipe/Part/frame``.
    package let record: Record
    /// The frame that `jackdaw frame` decrypts.
    package let frame: Record
    /// The maker's key scheme, by its name in `KeyScheme`.
    package let scheme: String

    /// - Parameters:
    ///   - record: the record that a driver reports.
    ///   - frame: the frame on the wire. Default: the record.
    ///   - scheme: the name of a key scheme: `fixed`, `pin`, `data-request`, ...
    package init(_ record: Record, frame: Record? = nil, scheme: String) {
        self.record = record
        self.frame = frame ?? record
        self.scheme = scheme
    }
}

/// The places of the encrypted blocks in a record.
package struct EncryptedBlocks: Sendable {
    /// An encrypted track.
    package struct Track: Sendable {
        /// 1 to 3.
        package let number: Int
        /// Whole cipher blocks.
        package let place: Range<Int>
        /// Characters of the track, with zeros after them; nil if the record does not state it.
        package let length: Int?

        package init(_ number: Int, at place: Range<Int>, length: Int? = nil) {
            self.number = number
            self.place = place
            self.length = length
        }
    }

    package let cipher: ReaderSwipe.Cipher
    /// The place of the key serial number (KSN), eight to twelve bytes; nil for a fixed key.
    package let keySerialNumber: Range<Int>?
    /// Empty if the reader did not encrypt the swipe.
    package let tracks: [Track]

    package init(_ cipher: ReaderSwipe.Cipher, keySerialNumber: Range<Int>?, _ tracks: [Track]) {
        self.cipher = cipher
        self.keySerialNumber = keySerialNumber
        self.tracks = tracks
    }
}
