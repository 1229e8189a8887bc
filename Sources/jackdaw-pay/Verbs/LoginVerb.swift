#if Payments
import ArgumentParser
import Glibc
import JackdawConsole
import JackdawSystem
import JackdawTransport

/// Logs a user in at a host.
struct LoginVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in at a payment host.",
        discussion: """
            Keeps the token of the login in the till's directory, in files for this user alone. It ends when it is not \
            used for the time that the host reports. The password of the user and the secret of the program are read \
            from a file with mode 0600, from a credential of systemd (credential:NAME), or from standard input (-). \
            They are never an argument, which every user of the machine can see.

            EXAMPLES
              jackdaw-pay login --host https://localhost:8443 --ca tls/ca.pem --user till-1 --password-file password \
            --secret-file secret
              pass show till-1 | jackdaw-pay login --host https://pay.example.com --user till-1 --password-file - \
            --secret-file credential:client-secret
            """)

    @Option(help: ArgumentHelp("Address of the host; http only for this computer.", valueName: "url"))
    var host: String

    @Option(help: ArgumentHelp("Name of the user.", valueName: "name"))
    var user: String

    @Option(
        help: ArgumentHelp("Password of the user: a file, credential:NAME, or -.", valueName: "file"),
        transform: SecretPlace.init)
    var passwordFile: SecretPlace

    @Option(help: ArgumentHelp("Identifier of the program at the host.", valueName: "name"))
    var client = "jackdaw"

    @Option(
        help: ArgumentHelp("Secret of the program: a file, credential:NAME, or -.", valueName: "file"),
        transform: SecretPlace.init)
    var secretFile: SecretPlace

    @Option(help: ArgumentHelp("Authority of the host's certificate, a PEM file.", valueName: "file"))
    var ca: String?

    @OptionGroup
    var options: TillOptions

    func validate() throws {
        guard passwordFile != .standardInput || secretFile != .standardInput else {
            throw ValidationError("Only one of password and secret comes from standard input.")
        }
    }

    func work() throws(CommandError) -> ExitStatus {
        let host = TillHost(address: host, authority: try authority(), client: client)
        let (password, secret) = (try passwordFile.read(), try secretFile.read())
        let (folder, printer, user) = (try options.folder(), options.printer, user)
        return try TillWork.run(printer) { () async throws(CommandError) in
            try await LoggingIn(folder: folder, host: host, printer: printer).run(user, password, secret)
        }
    }

    /// The whole path of the authority's file: later commands run in other directories.
    private func authority() throws(CommandError) -> String? {
        guard let ca else { return nil }
        guard let path = unsafe realpath(FileName.characters(of: ca), nil) else {
            throw CommandError(.noInput, "\(ca): \(SystemFailure.last.message)")
        }
        defer { unsafe free(path) }
        return unsafe FileName.text(of: UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }
}
#endif
