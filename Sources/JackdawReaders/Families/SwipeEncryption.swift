/// How the readers of a family encrypt swipes, as data: JackdawCryptography, the only module with ciphers, reads it.
package struct SwipeEncryption: Sendable {
    /// The bytes that have the encrypted swipe, and the rules for them.
    package enum Record: Sendable {
        /// A line of MagneSafe V5, ``MagTekSwipe``.
        case magTekLine
        /// A record of eDynamo, ``MagTekCardRecord``.
        case magTekRecord
        /// A message of eDynamo, which contains such a record.
        case magTekMessage
        /// A frame of IPS's readers, ``IPSSwipe``.
        case ips
        /// A record without further rules: the closure checks it and returns the places of its encrypted blocks.
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
    /// A track.
    package struct Track: Sendable {
        /// 1 to 3.
        package let number: Int
        /// Whole cipher blocks, or the characters of a track in clear. Tracks of the same blocks follow each other in
        /// the plaintext.
        package let place: Range<Int>
        /// Characters of the track; zeros follow those of the last track in the blocks. Nil if the record does not
        /// state it, and the track has blocks of its own.
        package let length: Int?
        /// The place of the SHA-1 of the track in clear, 20 bytes; nil if the record has none.
        package let hash: Range<Int>?

        package init(_ number: Int, at place: Range<Int>, length: Int? = nil, hash: Range<Int>? = nil) {
            self.number = number
            self.place = place
            self.length = length
            self.hash = hash
        }

        fileprivate func moved(by count: Int) -> Track {
            Track(number, at: place.moved(by: count), length: length, hash: hash?.moved(by: count))
        }
    }

    /// The cipher; nil if the record does not name it: it is the one whose plaintext passes the checks.
    package let cipher: ReaderSwipe.Cipher?
    /// The place of the key serial number (KSN), eight to twelve bytes; nil for a fixed key.
    package let keySerialNumber: Range<Int>?
    /// The encrypted tracks; empty if the reader did not encrypt the swipe.
    package let tracks: [Track]
    /// The tracks that an encrypted swipe has in clear.
    package let inClear: [Track]
    /// Whether the tracks have sentinels; if not, only a hash shows that the key is right.
    package let hasSentinels: Bool

    /// - Parameters:
    ///   - cipher: the cipher; nil if the record does not name it.
    ///   - keySerialNumber: the place of the key serial number; nil for a fixed key.
    ///   - tracks: the encrypted tracks; none if the reader did not encrypt the swipe.
    ///   - inClear: the tracks in clear beside them. Default: none.
    ///   - hasSentinels: whether the tracks have sentinels. Default: true.
    package init(
        _ cipher: ReaderSwipe.Cipher?, keySerialNumber: Range<Int>?, _ tracks: [Track], inClear: [Track] = [],
        hasSentinels: Bool = true
    ) {
        self.cipher = cipher
        self.keySerialNumber = keySerialNumber
        self.tracks = tracks
        self.inClear = inClear
        self.hasSentinels = hasSentinels
    }

    /// All places in the record.
    package var places: [Range<Int>] {
        [keySerialNumber].compactMap(\.self) + (tracks + inClear).flatMap { [$0.place, $0.hash].compactMap(\.self) }
    }

    /// The same blocks in a frame that has this number of bytes before the record.
    func moved(by count: Int) -> EncryptedBlocks {
        EncryptedBlocks(
            cipher, keySerialNumber: keySerialNumber?.moved(by: count), tracks.map { $0.moved(by: count) },
            inClear: inClear.map { $0.moved(by: count) }, hasSentinels: hasSentinels)
    }
}

extension Range<Int> {
    fileprivate func moved(by count: Int) -> Range<Int> { lowerBound + count..<upperBound + count }
}
