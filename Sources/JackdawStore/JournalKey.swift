#if Payments
internal import JackdawBytes
import JackdawCards
import JackdawCryptography
import JackdawPayments

/// The key of a journal, and what it encrypts: the sealed octets of a record. It also proves that the text of the record
/// was not changed.
final class JournalKey: Sendable {
    private let key: CipherKey

    /// The first byte of encrypted octets: their form. Then come the nonce, the octets, and the tag.
    private static let version: UInt8 = 1
    /// Bytes of a key.
    static let size = KeyAlgorithm.aes256.size

    private init(_ key: consuming CipherKey) { self.key = key }

    /// Reads a key of 64 hexadecimal digits.
    /// - Throws: `JournalError` with `wrongKey`, or that of the file.
    convenience init(from file: SecretFile) throws(JournalError) {
        let text: SecretText
        do throws(SecretFileError) {
            text = try file.read()
        } catch {
            throw JournalError(error)
        }
        do {
            let bytes = try text.withRevealedText { digits throws(HexadecimalError) in
                try SecretBytes(hexadecimal: digits)
            }
            let key = try bytes.withBytes { bytes throws(CryptographyError) in
                try CipherKey(copying: bytes, for: .aes256, mode: .live)
            }
            self.init(key)
        } catch {
            throw JournalError(
                .wrongKey, "The file \(file.path) has no key of a journal, which is 64 hexadecimal digits.")
        }
    }

    /// Makes a random key in a new file.
    /// - Throws: `JournalError` of the file.
    static func make(in file: SecretFile) throws(JournalError) {
        var random = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        let text = SecretBytes(count: 2 * size) { bytes in
            for index in bytes.indices { bytes[index] = digits[Int.random(in: 0..<16, using: &random)] }
        }
        do throws(SecretFileError) {
            try file.write(text.withBytes { SecretText(copying: $0) })
        } catch {
            throw JournalError(error)
        }
    }

    /// Encrypts the sealed octets of a record. The result also depends on the identifier and the text.
    func encrypt(_ record: EncodedRecord, of attempt: String) throws(JournalError) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<CipherKey.nonceSize).map { _ in UInt8.random(in: 0...255, using: &random) }
        let data = Self.authenticated(attempt, record.text)
        do throws(CryptographyError) {
            let sealed = try record.sealed.withBytes { (octets) throws(CryptographyError) in
                try key.seal(octets, nonce: nonce.span, authenticating: data.span)
            }
            return [Self.version] + nonce + sealed
        } catch {
            throw JournalError(.system, "A record cannot be encrypted.", cause: error.description)
        }
    }

    /// Decrypts the sealed octets of a record.
    /// - Throws: `JournalError` with `damaged` if the identifier, the text or these bytes are not those that were
    ///   encrypted together.
    func decrypt(_ bytes: [UInt8], of attempt: String, text: [UInt8]) throws(JournalError) -> HTTPBody {
        let start = 1 + CipherKey.nonceSize
        guard bytes.count >= start, bytes[0] == Self.version else { throw Self.damaged }
        let (nonce, sealed) = (Array(bytes[1..<start]), Array(bytes[start...]))
        let data = Self.authenticated(attempt, text)
        do throws(CryptographyError) {
            let octets = try key.open(sealed.span, nonce: nonce.span, authenticating: data.span)
            return octets.withBytes { HTTPBody(copying: $0) }
        } catch {
            throw Self.damaged
        }
    }

    private static func authenticated(_ attempt: String, _ text: [UInt8]) -> [UInt8] {
        // No identifier has a byte of 0.
        Array(attempt.utf8) + [0] + text
    }

    private static var damaged: JournalError {
        JournalError(.damaged, "A record of the journal is damaged.", cause: "its encrypted part does not belong to it")
    }
}
#endif
