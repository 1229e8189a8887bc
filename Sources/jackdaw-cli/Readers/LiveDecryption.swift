import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawTransport

/// The options for the key that decrypts swipes.
struct KeyOptions: Sendable {
    /// The path of the key file, `-` for standard input; nil without decryption.
    let file: String?
    /// The key scheme; nil for that of the reader's maker.
    let scheme: KeyScheme?

    /// Creates a decryptor.
    /// - Throws: `CommandError` if the key is invalid, or must not be used for these cards.
    func decryptor(_ key: consuming SecretBytes, _ mode: CardMode) throws(CommandError) -> SwipeDecryptor {
        do throws(CryptographyError) {
            return try SwipeDecryptor(key: key, mode: mode, scheme: scheme)
        } catch  where error.code == .publishedKey {
            throw CommandError(.badData, "\(error); give --test-cards if only test cards are swiped")
        } catch {
            throw CommandError(error)
        }
    }
}

/// Decrypts the swipes of a reader, each as soon as it was received.
final class LiveDecryption: Sendable {
    fileprivate let decryptor: SwipeDecryptor
    private let isRevealed: Bool

    init(_ decryptor: consuming SwipeDecryptor, isRevealed: Bool) {
        self.decryptor = decryptor
        self.isRevealed = isRevealed
    }

    /// Decrypts a swipe.
    /// - Parameters:
    ///   - swipe: the swipe.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC).
    /// - Returns: the report of the decrypted swipe.
    /// - Throws: `CryptographyError` if it is not encrypted, or encrypted with another key.
    func report(on swipe: ReaderSwipe, at time: Duration) throws(CryptographyError) -> DecryptedSwipeReport {
        DecryptedSwipeReport(
            try decryptor.decrypt(swipe), usesPublishedTestKey: decryptor.isPublishedTestKey, isRevealed: isRevealed,
            time: time)
    }
}

extension LiveDecryption {
    /// Decrypts a swipe for a payment.
    /// - Returns: the card, with its tracks in clear.
    /// - Throws: `CryptographyError` if it is encrypted with another key.
    func card(of swipe: ReaderSwipe) throws(CryptographyError) -> CardEvent { CardEvent(try decryptor.decrypt(swipe)) }
}

extension DecryptedSwipeReport {
    /// The event of a reader's link, for a person.
    func lines(_ link: LinkName) -> [String] { ["\(link.shown): \(lines[0])"] + lines.dropFirst() }

    /// The object of the event, for a program, without the time.
    func event(_ link: LinkName) -> JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "decrypted")
        object.add("decrypted", json)
        card.add(to: &object)
        return object
    }
}

extension CryptographyError {
    /// The object of the event, for a program, without the time.
    func event(_ link: LinkName) -> JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "not_decrypted")
        object.add("reason", code.rawValue)
        object.add("message", description)
        return object
    }
}
