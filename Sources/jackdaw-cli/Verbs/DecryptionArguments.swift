#if Command
import ArgumentParser
import JackdawCryptography

/// The options for the key that decrypts swipes.
struct DecryptionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Decrypt swipes with the key in this file, in hexadecimal digits; - for standard input.",
            valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(
        help: "Key scheme of the reader, from the list above (default: that of its maker).",
        completion: .list(KeyScheme.allCases.map(\.rawValue)),
        transform: KeySchemeArgument.read)
    var keyScheme: KeyScheme?

    func validate() throws {
        guard keyFile != nil || keyScheme == nil else {
            throw ValidationError("Give --key-file with --key-scheme.")
        }
    }

    var options: KeyOptions { KeyOptions(file: keyFile, scheme: keyScheme) }
}
#endif
