/// Where the fields of an IPS swipe lie in its frame, as ``IPSFormat`` has them.
///
/// It holds no card data itself: the frame has it, and each field is a range of that.
package struct IPSSwipe: Sendable, Hashable {
    /// How the key is chosen, as one byte of the frame says.
    package enum KeyManagement: Sendable, Hashable {
        /// The same key always.
        case fixed
        /// A key a swipe.
        case dukpt
        /// Nothing is encrypted.
        case plain
    }

    /// How the key is chosen.
    package let keyManagement: KeyManagement
    /// Digits of the account number; 0 where the reader does not say.
    package let accountNumberCount: Int
    /// Which of tracks 1 to 3 were read.
    package let tracks: [Int]

    private let layout: IPSLayout

    /// The account number's first six digits, two a byte.
    package var issuer: Range<Int> { layout.issuer..<layout.issuer + 3 }
    /// The account number's last four digits, two a byte.
    package var lastDigits: Range<Int> { layout.lastDigits..<layout.lastDigits + 2 }
    /// Year and month of the expiry, two digits a byte.
    package var expiry: Range<Int> { layout.expiry..<layout.expiry + 2 }
    /// The cardholder's name.
    package var name: Range<Int> { layout.name..<layout.name + layout.nameLength }
    /// The key's serial number (KSN), 10 bytes.
    package var keySerialNumber: Range<Int> { layout.keySerialNumber..<layout.keySerialNumber + 10 }
    /// The tracks, encrypted together: ``packedTrack2``, then ``packedOther``.
    package var encrypted: Range<Int> { layout.encrypted..<layout.encrypted + 80 }
    /// Where decrypted track 2 lies, four bits a character.
    package var packedTrack2: Range<Int> { 0..<20 }
    /// Where decrypted track 1 lies, six bits a character, or track 3, four bits.
    package var packedOther: Range<Int> { 20..<80 }

    /// Reads the layout of a frame whose checks are right.
    /// - Parameters:
    ///   - frame: as ``IPSFormat`` found it.
    ///   - layout: where the fields lie.
    /// - Throws: ``FrameFault`` where it is the frame of a swipe that was not read.
    package init(_ frame: Span<UInt8>, _ layout: IPSLayout = IPSLayout()) throws(FrameFault) {
        guard frame.count == layout.size, frame[0] == layout.swipe else {
            throw FrameFault(.start, at: 0, "a swipe that was not read")
        }
        self.layout = layout
        keyManagement =
            switch frame[layout.keyManagement] {
            // 01 is of some devices a fixed key, too.
            case 0x00, 0x01: .fixed
            case 0xFD: .plain
            default: .dukpt
            }
        accountNumberCount = Int(frame[layout.numberLength])
        let present = frame[layout.tracks]
        tracks = (1...3).filter { present >> ($0 - 1) & 1 == 1 }
    }
}
