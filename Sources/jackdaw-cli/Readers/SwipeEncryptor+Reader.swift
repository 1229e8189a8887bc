import JackdawCards
import JackdawCryptography

extension SwipeEncryptor {
    /// The encryptor of a simulated reader.
    /// - Parameters:
    ///   - family: the name of the reader's family.
    ///   - key: a key that is published for tests.
    ///   - scheme: the key scheme; nil for that of the family's maker.
    ///   - path: the file of the key, for messages.
    /// - Returns: the encryptor.
    /// - Throws: `CommandError` with status `usage` or `badData` if the scheme is unknown or the key does not fit.
    static func forReader(
        of family: String, _ key: borrowing SecretBytes, _ scheme: KeyScheme?, from path: String
    ) throws(CommandError) -> SwipeEncryptor {
        let scheme = scheme ?? KeyScheme.published(for: family) ?? .pin
        do throws(CryptographyError) {
            return try SwipeEncryptor(testKey: key.clone(), scheme: scheme)
        } catch {
            throw CommandError(
                error.code == .unknownScheme ? .usage : .badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }
}
