#if Payments
import ArgumentParser
import Glibc
import JackdawBytes
import JackdawConsole
import JackdawSandbox
import JackdawSimulator
import JackdawSystem
import NIOSSL

/// Serves a payment host for tests.
struct SandboxVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Serve a payment host for tests over HTTPS.",
        discussion: """
            The host speaks version 3 of the Accept host as far as published sources show it, with the simulated \
            issuer after it; docs/sandbox.md describes it. Users and merchants come from a JSON file; without one \
            there are the users till-1, till-2 and other of two test shops, each with the password NAME-password. The \
            server makes its certificate and the authority that clients trust (ca.pem). Only this computer can \
            connect unless --listen names another address.

            FAULTS
              slow=MS, silent-before, silent-after, status=CODE, status-after=CODE, garbled, cut=BYTES, \
            token-expired, duplicate-id
              after the fault: route='METHOD PATH', after=REQUESTS, times=REQUESTS, between commas

            EXAMPLES
              jackdaw-pay sandbox
              jackdaw-pay sandbox --listen '[::1]:9443' --books books --json
              jackdaw-pay sandbox --fault 'silent-after,route=POST payments.json,times=1'
            """)

    @Option(
        help: ArgumentHelp("Address to listen on; port 0 lets the system choose.", valueName: "host:port"),
        transform: ListenAddress.read)
    var listen = ListenAddress(host: "127.0.0.1", port: 8443)

    @Flag(help: "HTTP without TLS, on loopback addresses only.")
    var plain = false

    @Option(help: ArgumentHelp("Users and merchants, a JSON file.", valueName: "file"))
    var directory: String?

    @Option(help: ArgumentHelp("The simulated issuer, a JSON file.", valueName: "file"))
    var issuer: String?

    @Option(help: ArgumentHelp("Keep the books in this directory.", valueName: "dir"))
    var books: String?

    @Option(help: ArgumentHelp("Keep the made certificates in this directory.", valueName: "dir"))
    var certificates: String?

    @Option(help: ArgumentHelp("Further name or address in the made certificate; may be repeated.", valueName: "host"))
    var name: [String] = []

    @Option(help: ArgumentHelp("Certificate chain in PEM; needs --key.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Private key in PEM; needs --certificate.", valueName: "file"))
    var key: String?

    @Option(
        help: ArgumentHelp("Fault that requests meet; may be repeated.", valueName: "fault"),
        transform: FaultArgument.read)
    var fault: [JackdawSandbox.PlannedFault] = []

    @Flag(help: "Other computers, too, may ask for faults by the header X-Sandbox-Fault.")
    var faultHeader = false

    @Option(help: "Addresses to which callbacks are sent: loopback, any or none.")
    var callbacks = CallbackReach.loopback

    @Option(help: ArgumentHelp("Authority that is trusted in callbacks; may be repeated.", valueName: "file"))
    var callbackCA: [String] = []

    @Flag(help: "Print the messages to people, with new passwords.")
    var reveal = false

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("Give --certificate and --key together.")
        }
        guard !plain || certificate == nil && certificates == nil && name.isEmpty else {
            throw ValidationError("--plain has no certificate.")
        }
        guard certificate == nil || certificates == nil && name.isEmpty else {
            throw ValidationError("Give either files of a certificate or a directory and names for a made one.")
        }
        guard !plain || listen.isLoopback else {
            throw ValidationError("--plain needs a loopback address: passwords would cross the network in clear.")
        }
    }

    /// The rules of a sandbox that listens on an address. Faults by header need no token, and hold connections open: only
    /// programs of this computer may ask for them, unless others are allowed, too.
    static func rules(_ listen: ListenAddress, takesFaultHeader: Bool) -> SandboxRules {
        var rules = SandboxRules()
        rules.takesFaultHeader = listen.isLoopback || takesFaultHeader
        return rules
    }

    func work() throws(CommandError) -> ExitStatus {
        let tls = try plain ? nil : serverCertificate()
        var store: any SandboxStore = MemorySandboxStore()
        var file: BooksFile?
        if let books {
            let journaled = try JournaledBooks(directory: books)
            (store, file) = (journaled, journaled.file)
        }
        let directory = try readDirectory()
        let hashing = HashingInAdvance(ScryptHashing())
        var machine = Sandbox(
            directory, issuer: try readIssuer(), store: store, hashing: hashing,
            random: SystemRandomNumberGenerator(), rules: Self.rules(listen, takesFaultHeader: faultHeader))
        for fault in fault { machine.plan(fault) }
        let printer = SandboxPrinter(.standard(name: Program.name), isJSON: json, reveals: reveal)
        let service = SandboxService(
            machine: machine, books: file, hashing: hashing, listen: listen, tls: tls?.configuration, reach: callbacks,
            callbackAuthorities: callbackCA)
        return try service.run(printer) { [base = machine.rules.basePath, payments = store.paymentCount] port in
            SandboxPrinter.Start(
                url: "\(plain ? "http" : "https")://\(listen.authority(port))\(base)",
                users: directory.userNames, authorityFile: tls?.authorityFile, books: books,
                payments: payments)
        }
    }

    private func serverCertificate() throws(CommandError) -> ServerCertificate {
        if let certificate, let key {
            return try ServerCertificate(certificate: certificate, key: key, .standard(name: Program.name))
        }
        guard let path = certificates ?? StateDirectory.usualPath.map({ $0 + "/sandbox" }) else {
            throw CommandError(.usage, "there is no home directory; --certificates names a directory")
        }
        return try ServerCertificate(directory: path, hosts: (listen.isAny ? [] : [listen.host]) + name)
    }

    private func readDirectory() throws(CommandError) -> SandboxDirectory {
        guard let directory else { return .ready }
        return try Self.read(directory: directory, .standard(name: Program.name))
    }

    /// Reads users and merchants.
    /// - Parameters:
    ///   - path: of a file that other users cannot write: it has passwords, and secrets of programs. For one that they
    ///     can read, the console shows a warning.
    ///   - console: shows the warning.
    /// - Returns: users and merchants.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput` or `badData`.
    static func read(directory path: String, _ console: Console) throws(CommandError) -> SandboxDirectory {
        try read(path, most: SandboxDirectory.maxFileSize) { status throws(CommandError) in
            try SmallFile.checkKey(status, SmallFile.name(of: path), kind: "file with passwords", console)
        } make: { (bytes) throws(SandboxFileError) in
            let directory = try SandboxDirectory(json: bytes)
            try directory.checkHashes(ScryptHashing.isHash)
            return directory
        }
    }

    private func readIssuer() throws(CommandError) -> SimulatedIssuer {
        guard let issuer else {
            do throws(SimulationFileError) { return try .ready() } catch {
                preconditionFailure("the issuer inside the program is wrong: \(error)")
            }
        }
        return try Self.read(issuer, most: VirtualCard.maxFileSize) { _ in
        } make: { (bytes) throws(SimulationFileError) in
            try .ready(bytes)
        }
    }

    private static func read<Value, Failure: Error>(
        _ path: String, most: Int, check: (stat) throws(CommandError) -> Void,
        make: ([UInt8]) throws(Failure) -> Value
    ) throws(CommandError) -> Value {
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        try SmallFile.read(path, most: most, tooMany: "too long for such a file", into: &bytes, check: check)
        do throws(Failure) { return try make(bytes) } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }
}

/// A fault with the requests that meet it: `silent-after,route=POST payments.json,after=2,times=1`.
enum FaultArgument {
    /// - Throws: `ValidationError` that names the part that is wrong.
    static func read(_ argument: String) throws -> JackdawSandbox.PlannedFault {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard let fault = SandboxFault(parts[0]) else {
            throw ValidationError("\(parts[0]) is no fault; see the help for all of them.")
        }
        var route: String?
        var numbers: [String: Int] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch (pair[0], pair.count > 1 ? pair[1] : "") {
            case ("route", let name) where SandboxRoute.table.contains { $0.name == name }: route = name
            case ("route", _): throw ValidationError("\(part): there is no such route; docs/sandbox.md has all.")
            case ("after", let text), ("times", let text):
                guard let number = Int(text), (0...1_000_000).contains(number) else {
                    throw ValidationError("\(part): give a number from 0 to 1000000.")
                }
                numbers[pair[0]] = number
            default: throw ValidationError("\(part) is no condition; there are route=, after= and times=.")
            }
        }
        return JackdawSandbox.PlannedFault(fault, route: route, after: numbers["after"] ?? 0, times: numbers["times"])
    }
}

extension ListenAddress {
    /// - Throws: `ValidationError` that describes the form.
    static func read(_ argument: String) throws -> ListenAddress {
        guard let address = ListenAddress(argument) else {
            throw ValidationError("Give the address as HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443.")
        }
        return address
    }
}

extension CallbackReach: ExpressibleByArgument {}
#endif
