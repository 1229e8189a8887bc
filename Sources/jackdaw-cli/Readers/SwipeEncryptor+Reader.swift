import JackdawCards
import JackdawDecryption

extension SwipeEncryptor {
    /// The encryptor of a simulated reader.
    /// - Parameters:
    ///   - family: the reader's.
    ///   - key: published for tests.
    ///   - scheme: by which key it encrypts; nil for the one that the family's maker documents.
    ///   - path: where the key comes from.
    /// - Returns: the encryptor.
    /// - Throws: ``CommandError`` with status `usage` or `badData` if the scheme is unknown or the key does not fit.
    static func forReader(
        of family: String, _ key: borrowing SecretBytes, _ scheme: KeyScheme?, from path: String
    ) throws(CommandError) -> SwipeEncryptor {
        let scheme = scheme ?? KeyScheme.published(for: family) ?? .pin
        do throws(DecryptionError) {
            return try SwipeEncryptor(testKey: key.clone(), scheme: scheme)
        } catch {
            throw CommandError(
                error.code == .unknownScheme ? .usage : .badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }
}
