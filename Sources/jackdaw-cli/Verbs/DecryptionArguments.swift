#if Command
import ArgumentParser
import JackdawCards
import JackdawCryptography

/// The options for the key that decrypts swipes.
struct DecryptionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("Decrypt swipes with the key in this file; - for standard input.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: "Key scheme of the reader (default: that of its maker).",
        completion: .list(KeyScheme.allCases.map(\.rawValue)),
        transform: KeySchemeArgument.read)
    var keyScheme: KeyScheme?

    func validate() throws {
        guard keyFile != nil || keyScheme == nil else {
            throw ValidationError("Give --key-file with --key-scheme.")
        }
    }

    /// Creates a decryptor.
    /// - Throws: ``CommandError`` if the key is invalid, or must not be used for these cards.
    func decryptor(
        _ key: consuming SecretBytes, _ mode: CardMode
    ) throws(CommandError) -> SwipeDecryptor {
        do throws(CryptographyError) {
            return try SwipeDecryptor(key: key, mode: mode, scheme: keyScheme)
        } catch  where error.code == .publishedKey {
            throw CommandError(.badData, "\(error); give --test-cards if only test cards are swiped")
        } catch {
            throw CommandError(error)
        }
    }
}
#endif
