#if Payments
import Accept
import JackdawCards
import JackdawConsole
import JackdawPayments
import JackdawReaders
import JackdawStore
import JackdawSystem
import JackdawTransport

/// The host of a till, as its login names it. It has no secret.
struct TillHost: Sendable, Hashable {
    /// The base address, without the path of the wire's version.
    let address: String
    /// The file of the authority that the host's certificate must be of; nil for those of the system.
    let authority: String?
    /// The identifier of the program at the host.
    let client: String
    /// The host's identifier of the merchant to whom the user belongs; nil before the login.
    var merchant: String?

    /// The path that the calls add themselves. The sandbox prints its address with it.
    private static let path = "/v3"

    /// - Parameters:
    ///   - address: the base address of the host, with the path of the wire's version or without it.
    ///   - authority: the file of the authority; nil for those of the system.
    ///   - client: the identifier of the program at the host.
    ///   - merchant: the host's identifier of the merchant. Default: nil, not known before the login.
    init(address: String, authority: String?, client: String, merchant: String? = nil) {
        var base = address[...]
        while base.hasSuffix("/") { base.removeLast() }
        if base.hasSuffix(Self.path) { base.removeLast(Self.path.count) }
        self.address = String(base)
        self.authority = authority
        self.client = client
        self.merchant = merchant
    }

    /// Reads the object of ``json``.
    /// - Throws: `CommandError` with status `badData`.
    init(_ bytes: [UInt8], named name: String) throws(CommandError) {
        let json = try? JSONValue(bytes, most: StateDirectory.maxBytes)
        guard let address = json?["host"]?.text, let client = json?["client"]?.text,
            let merchant = json?["merchant"]?.text
        else {
            throw CommandError(.badData, "\(name): this is no login: run jackdaw-pay login")
        }
        self.init(address: address, authority: json?["ca"]?.text, client: client, merchant: merchant)
    }

    /// The object in the till's folder.
    var json: JSONObject {
        var object = JSONObject()
        object.add("host", address)
        object.add("ca", authority)
        object.add("client", client)
        object.add("merchant", merchant)
        return object
    }

    /// The connection for the calls of the SDK.
    func config(_ secret: SecretText) -> AcceptDataServiceConfig {
        AcceptDataServiceConfig(url: address, clientId: client, clientSecret: secret)
    }
}

/// The folder of a till, for this user alone: its login, the token, the secret of the program, and the journal.
struct TillFolder: Sendable {
    /// The content of a login.
    struct Login: Sendable {
        let host: TillHost
        let token: SecretText
        let secret: SecretText

        /// The connection for the calls of the SDK.
        var config: AcceptDataServiceConfig { host.config(secret) }
    }

    let path: String

    private static let hostName = "host.json"

    /// The folder that the command line names, or `till` in the state directory.
    /// - Throws: `CommandError` with status `usage` if there is neither.
    init(_ path: String?) throws(CommandError) {
        guard let path = path ?? StateDirectory.usualPath.map({ $0 + "/till" }) else {
            throw CommandError(.usage, "there is no home directory; --till names a directory")
        }
        self.path = path
    }

    /// The file of the last login's host.
    var hostFile: String { "\(path)/\(Self.hostName)" }
    var journal: String { path + "/journal.sqlite" }
    private var token: SecretFile { SecretFile(path: path + "/token") }
    private var secret: SecretFile { SecretFile(path: path + "/secret") }
    private var directory: StateDirectory { StateDirectory(path) }

    /// Makes the folder, if there is none.
    /// - Throws: `CommandError` with status `inputOutput`.
    func make() throws(CommandError) {
        do throws(LinkError) { try directory.locked {} } catch { throw CommandError(error) }
    }

    /// The host of the last login; nil without one.
    /// - Throws: `CommandError` with status `badData` or `inputOutput`.
    func host() throws(CommandError) -> TillHost? {
        let bytes: [UInt8]?
        do throws(LinkError) { bytes = try directory.load(Self.hostName) } catch { throw CommandError(error) }
        guard let bytes else { return nil }
        return try TillHost(bytes, named: hostFile)
    }

    /// Reads the last login.
    /// - Throws: `CommandError` with status `unavailable` without one.
    func login() throws(CommandError) -> Login {
        guard let host = try host() else {
            throw CommandError(.unavailable, "\(path): no user has logged in: run jackdaw-pay login")
        }
        do throws(SecretFileError) {
            return Login(host: host, token: try token.read(), secret: try secret.read())
        } catch { throw CommandError(error) }
    }

    /// Keeps a login, each file with mode 0600. If a write fails, no token is left beside the host of another login: without
    /// its host it is not used.
    /// - Throws: `CommandError`.
    func keep(_ login: Login) throws(CommandError) {
        try make()
        // Of the same host and merchant it stays: the journal may have messages for them, which a login checks by it.
        let last = try? host()
        if last?.address != login.host.address || last?.merchant != login.host.merchant {
            do throws(LinkError) {
                try directory.locked { () throws(LinkError) in try directory.remove(Self.hostName) }
            } catch { throw CommandError(error) }
        }
        do throws(SecretFileError) {
            try secret.write(login.secret)
            try token.write(login.token)
        } catch { throw CommandError(error) }
        do throws(LinkError) {
            try directory.locked { () throws(LinkError) in
                try directory.save(Array((login.host.json.text + "\n").utf8), as: Self.hostName)
            }
        } catch { throw CommandError(error) }
    }
}
#endif
