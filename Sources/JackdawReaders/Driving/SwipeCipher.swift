/// The encryption of a simulated reader's swipes. The simulator has no keys or ciphers itself: a program that needs
/// encrypted swipes supplies a cipher, such as JackdawCryptography's `SwipeEncryptor`.
public protocol SwipeCipher: Sendable {
    /// Whether each swipe has its own key, which a serial number names (DUKPT); otherwise all swipes have the same key.
    var isDeriving: Bool { get }
    /// Whether that key is the PIN key; otherwise it is the data key.
    var usesPINKey: Bool { get }
    /// The serial number of the next swipe's key (KSN); empty if all swipes have the same key, or no key is left.
    var keySerialNumber: [UInt8] { get }

    /// Encrypts one swipe with the next key, and uses that key up.
    /// - Parameters:
    ///   - parts: the parts of the swipe; each is padded with zeros and encrypted on its own.
    ///   - cipher: the cipher and its mode.
    /// - Returns: the encrypted parts, and the serial number of their key; nil if no key is left.
    func encrypt(_ parts: [[UInt8]], by cipher: ReaderSwipe.Cipher) -> (parts: [[UInt8]], keySerialNumber: [UInt8])?

    /// Returns the SHA-1 of a text; some readers send that of each track.
    /// - Returns: 20 bytes; nil if the system has no SHA-1.
    func hash(of text: [UInt8]) -> [UInt8]?
}
