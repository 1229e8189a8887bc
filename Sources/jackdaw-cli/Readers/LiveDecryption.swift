import JackdawCryptography
import JackdawReaders
import JackdawTransport

/// Decrypts the swipes of a reader, each as soon as it was received.
final class LiveDecryption: Sendable {
    private let decryptor: SwipeDecryptor
    private let isRevealed: Bool

    init(_ decryptor: consuming SwipeDecryptor, isRevealed: Bool) {
        self.decryptor = decryptor
        self.isRevealed = isRevealed
    }

    /// Decrypts a swipe.
    /// - Throws: ``CryptographyError`` if it is not encrypted, or encrypted with another key.
    func report(on swipe: ReaderSwipe) throws(CryptographyError) -> DecryptedSwipeReport {
        DecryptedSwipeReport(
            try decryptor.decrypt(swipe), usesPublishedTestKey: decryptor.isPublishedTestKey, isRevealed: isRevealed)
    }
}

extension DecryptedSwipeReport {
    /// The event of a reader's link, for a person.
    func lines(_ link: LinkName) -> [String] { ["\(link.shown): \(lines[0])"] + lines.dropFirst() }

    /// The object of the event, for a program.
    func event(_ link: LinkName) -> JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "decrypted")
        object.add("decrypted", json)
        return object
    }
}

extension CryptographyError {
    /// The object of the event, for a program.
    func event(_ link: LinkName) -> JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "not_decrypted")
        object.add("reason", code.rawValue)
        object.add("message", description)
        return object
    }
}
