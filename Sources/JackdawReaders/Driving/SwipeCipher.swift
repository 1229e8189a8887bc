/// What a simulated reader encrypts swipes with. The simulator has no keys and no ciphers itself: a program that wants
/// encrypted swipes supplies one, such as JackdawDecryption's `SwipeEncryptor`.
public protocol SwipeCipher: Sendable {
    /// Whether each swipe has a key of its own, which a serial number names (DUKPT); else all have the same.
    var isDeriving: Bool { get }
    /// Whether that key is the one for PINs; else it is one for data.
    var usesPINKey: Bool { get }
    /// The serial number of the next swipe's key (KSN); empty where all have the same, or no key is left.
    var keySerialNumber: [UInt8] { get }

    /// Takes the next key and encrypts one swipe with it.
    /// - Parameters:
    ///   - parts: of the swipe; each is padded with zeros and encrypted on its own.
    ///   - cipher: how.
    /// - Returns: the parts encrypted, and the serial number of their key; nil where no key is left.
    func encrypt(_ parts: [[UInt8]], by cipher: ReaderSwipe.Cipher) -> (parts: [[UInt8]], keySerialNumber: [UInt8])?

    /// The SHA-1 of a text, which some readers send of each track.
    /// - Returns: 20 bytes; nil where the system has no SHA-1.
    func hash(of text: [UInt8]) -> [UInt8]?
}
