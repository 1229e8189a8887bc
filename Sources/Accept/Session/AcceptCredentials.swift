public import JackdawCards

/// The name, the password and the client's secret for logging in at an Accept host, in wiped memory.
public struct AcceptCredentials: Sendable {
    /// The name of the user, in UTF-8.
    public let name: SecretText
    /// The password of the user, in UTF-8.
    public let password: SecretText
    /// The identifier of the program at the host.
    public let client: String
    /// The secret of the program at the host.
    public let clientSecret: SecretText

    /// Credentials of a user, and of the program that acts for the user.
    public init(name: SecretText, password: SecretText, client: String, clientSecret: SecretText) {
        self.name = name
        self.password = password
        self.client = client
        self.clientSecret = clientSecret
    }

    /// The form that asks for a token by the password (RFC 6749, 4.3.2), with the client in it (2.3.1).
    var form: AcceptForm {
        var form = AcceptForm()
        form.add("grant_type", "password")
        form.add("username", secret: name)
        form.add("password", secret: password)
        form.add("client_id", client)
        form.add("client_secret", secret: clientSecret)
        return form
    }
}

extension AcceptCredentials: RedactedDescription {
    /// The program's identifier alone.
    public var description: String { "credentials of \(client)" }
}
