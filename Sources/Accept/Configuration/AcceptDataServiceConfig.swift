public import JackdawCards

/// The connection to the host (`AcceptDataServiceConfig`). All but the callback are mandatory.
public struct AcceptDataServiceConfig: Sendable, Equatable {
    /// The base address of the host, without the path of the interface (`/v3`): `https://accept.example.com`. Plain HTTP is
    /// taken for this computer alone. Another address clears ``clientId`` and ``clientSecret``, so that no host receives the
    /// secret of another one.
    public var url: String {
        didSet {
            guard url != oldValue else { return }
            clientId = ""
            clientSecret = nil
        }
    }
    /// The address to which the host posts each payment after it is executed. Default: empty, none.
    public var callbackURL: String
    /// The identifier of the program at the host.
    public var clientId: String
    /// The secret of the program at the host; nil without one, which is not valid.
    public var clientSecret: SecretText?

    /// A configuration; ``validate()`` checks it.
    public init(url: String, clientId: String, clientSecret: SecretText?, callbackURL: String = "") {
        self.url = url
        self.clientId = clientId
        self.clientSecret = clientSecret
        self.callbackURL = callbackURL
    }

    /// Checks that address, identifier and secret are there, and that both addresses are well formed.
    /// - Throws: `common(.applicationConfigurationInvalid)`.
    public func validate() throws(AcceptError) {
        guard let address = AcceptAddress(url), !url.utf8.contains(UInt8(ascii: "?")) else {
            throw Self.invalid("The host's address must be like https://accept.example.com.")
        }
        guard address.isSecure || address.isLoopback else {
            throw Self.invalid("The host's address needs https, or http to this computer.")
        }
        guard (1...64).contains(clientId.utf8.count), clientId.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.invalid("The identifier of the program has 1 to 64 characters of ASCII without spaces.")
        }
        guard let clientSecret, (1...200).contains(clientSecret.count) else {
            throw Self.invalid("The secret of the program has 1 to 200 bytes.")
        }
        guard callbackURL.isEmpty || AcceptAddress(callbackURL) != nil else {
            throw Self.invalid("The callback must be an address of http or https.")
        }
    }

    private static func invalid(_ message: String) -> AcceptError {
        AcceptError(.common(.applicationConfigurationInvalid), message)
    }
}

extension AcceptDataServiceConfig: RedactedDescription {
    /// The program's identifier alone.
    public var description: String { "configuration of \(clientId)" }
}
