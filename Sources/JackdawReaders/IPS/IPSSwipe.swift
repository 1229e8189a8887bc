/// The positions of the fields of one IPS swipe in its frame, which ``IPSFormat`` has checked.
///
/// Holds no card data itself: each field is a range of the frame.
package struct IPSSwipe: Sendable, Hashable {
    /// The key management, from one byte of the frame.
    package enum KeyManagement: Sendable, Hashable {
        /// All swipes have the same key.
        case fixed
        /// Each swipe has its own key.
        case dukpt
        /// The tracks are not encrypted.
        case plain
    }

    package let keyManagement: KeyManagement
    /// The number of digits of the account number; 0 if the reader does not report it.
    package let accountNumberCount: Int
    /// The tracks that were read, of 1 to 3.
    package let tracks: [Int]

    private let layout: IPSLayout

    /// The account number's first six digits, two a byte.
    package var issuer: Range<Int> { layout.issuer..<layout.issuer + 3 }
    /// The account number's last four digits, two a byte.
    package var lastDigits: Range<Int> { layout.lastDigits..<layout.lastDigits + 2 }
    /// Year and month of the expiry, two digits a byte.
    package var expiry: Range<Int> { layout.expiry..<layout.expiry + 2 }
    package var name: Range<Int> { layout.name..<layout.name + layout.nameLength }
    /// The key's serial number (KSN), 10 bytes.
    package var keySerialNumber: Range<Int> { layout.keySerialNumber..<layout.keySerialNumber + 10 }
    /// The tracks, encrypted together: ``packedTrack2``, then ``packedOther``.
    package var encrypted: Range<Int> { layout.encrypted..<layout.encrypted + 80 }
    /// The range of decrypted track 2, four bits a character.
    package var packedTrack2: Range<Int> { ReaderSwipe.packedTrack2 }
    /// The range of decrypted track 1, six bits a character, or of track 3, four bits a character.
    package var packedOther: Range<Int> { ReaderSwipe.packedOther }

    /// Parses a frame with correct checks.
    /// - Parameters:
    ///   - frame: a frame of ``IPSFormat``.
    ///   - layout: the positions of the fields.
    /// - Throws: ``FrameFault`` if it is the frame of a swipe that was not read.
    package init(_ frame: Span<UInt8>, _ layout: IPSLayout = IPSLayout()) throws(FrameFault) {
        guard frame.count == layout.size, frame[0] == layout.swipe else {
            throw FrameFault(.start, at: 0, "a swipe that was not read")
        }
        self.layout = layout
        keyManagement =
            switch frame[layout.keyManagement] {
            // In some devices, 01 is a fixed key too.
            case 0x00, 0x01: .fixed
            case 0xFD: .plain
            default: .dukpt
            }
        accountNumberCount = Int(frame[layout.numberLength])
        let present = frame[layout.tracks]
        tracks = (1...3).filter { present >> ($0 - 1) & 1 == 1 }
    }
}
