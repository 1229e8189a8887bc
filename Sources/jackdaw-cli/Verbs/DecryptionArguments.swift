#if Command
import ArgumentParser
import JackdawCards
import JackdawDecryption

/// The key that swipes are decrypted with.
struct DecryptionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp("Decrypt swipes with the key in a file; - for standard input.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: "By which key the reader encrypts; where it is not said, as its maker says.",
        completion: .list(KeyScheme.allCases.map(\.rawValue)),
        transform: KeySchemeArgument.read)
    var keyScheme: KeyScheme?

    func validate() throws {
        guard keyFile != nil || keyScheme == nil else {
            throw ValidationError("--key-scheme says how a key is used: give it with --key-file, too.")
        }
    }

    /// Makes a decryptor of a key.
    /// - Throws: ``CommandError`` if it is no key, or none for such cards.
    func decryptor(
        _ key: consuming SecretBytes, _ mode: DecryptionMode
    ) throws(CommandError) -> SwipeDecryptor {
        do throws(DecryptionError) {
            return try SwipeDecryptor(key: key, mode: mode, scheme: keyScheme)
        } catch  where error.code == .publishedKey {
            throw CommandError(.badData, "\(error); where only test cards are swiped, say so with --test-cards")
        } catch {
            throw CommandError(error)
        }
    }
}
#endif
