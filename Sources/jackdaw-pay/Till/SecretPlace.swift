#if Payments
import Glibc
import JackdawBytes
import JackdawCards
import JackdawConsole
import JackdawStore

/// The place of a secret that the command line names. A secret itself is never an argument: every user of the machine can
/// see the arguments of a program.
enum SecretPlace: Sendable, Hashable {
    /// A file of this user alone.
    case file(String)
    /// A credential that systemd hands to a service, by its name.
    case credential(String)
    case standardInput

    private static let credentialPrefix = "credential:"

    /// Reads a place: a path, `-` for standard input, or `credential:NAME`.
    init(_ argument: String) {
        if argument == "-" {
            self = .standardInput
        } else if argument.hasPrefix(Self.credentialPrefix) {
            self = .credential(String(argument.dropFirst(Self.credentialPrefix.count)))
        } else {
            self = .file(argument)
        }
    }

    /// Reads the secret, without the end of line after it.
    /// - Returns: at least one byte.
    /// - Throws: `CommandError` with status `noInput` if there is none, or another user could read it; `badData` if it is
    ///   empty or too long; `inputOutput`.
    func read() throws(CommandError) -> SecretText {
        let secret: SecretText
        switch self {
        case .standardInput: secret = try Self.readStandardInput()
        case .file(let path): secret = try Self.read { () throws(SecretFileError) in SecretFile(path: path) }
        case .credential(let name):
            secret = try Self.read { () throws(SecretFileError) in try SecretFile.credential(name) }
        }
        guard !secret.isEmpty else { throw CommandError(.badData, "the secret is empty") }
        return secret
    }

    private static func read(_ find: () throws(SecretFileError) -> SecretFile) throws(CommandError) -> SecretText {
        do throws(SecretFileError) { return try find().read() } catch { throw CommandError(error) }
    }

    private static func readStandardInput() throws(CommandError) -> SecretText {
        guard isatty(STDIN_FILENO) == 0 else {
            throw CommandError(.usage, "a terminal would show the secret: use a file, or a pipe")
        }
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        try SmallFile.read("-", most: SecretFile.maxBytes, tooMany: "too long for a secret", into: &bytes)
        var count = bytes.count
        if count > 0, bytes[count - 1] == 0x0A { count -= 1 }
        if count > 0, bytes[count - 1] == 0x0D { count -= 1 }
        return SecretText(copying: bytes.span.extracting(first: count))
    }
}
#endif
