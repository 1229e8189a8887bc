public import JackdawCards
import JackdawPayments

// User actions: the guide 1.6.182, chapter 3.

extension Accept {
    /// Logs a user in.
    /// - Parameters:
    ///   - username: the name, 1 to 64 bytes of UTF-8.
    ///   - password: the password, 1 to 200 bytes of UTF-8.
    ///   - config: the connection to the host.
    /// - Returns: the token for the other calls. Each request begins its lifetime again.
    /// - Throws: `common(.wrongUserNameOrPassword)`, `common(.requestTokenConnection)`,
    ///   `common(.genericRequestTimeout)`, `programRefused`, `tooManyRequests`, `hostNotTrusted`, `hostError`,
    ///   `answerUnreadable`, `common(.applicationConfigurationInvalid)`, `cancelled`.
    public func requestAccessToken(
        _ username: String, password: SecretText, config: AcceptDataServiceConfig
    ) async throws(AcceptError) -> AcceptAccessToken {
        try config.validate()
        guard let clientSecret = config.clientSecret, (1...64).contains(username.utf8.count),
            (1...200).contains(password.count)
        else {
            throw AcceptError(
                .common(.wrongUserNameOrPassword), "A name has 1 to 64 bytes, a password 1 to 200.")
        }
        let name = SecretText(copying: Array(username.utf8).span)
        let credentials = AcceptCredentials(
            name: name, password: password, client: config.clientId, clientSecret: clientSecret)
        let answer = try await exchange(requests.login(credentials), nil, config, .login)
        guard let token = AcceptToken(answer.body) else {
            throw AcceptError(.answerUnreadable, "The answer has no token.")
        }
        let result = AcceptAccessToken(
            accessToken: token.token, expireInSeconds: token.lifetime.map { Int($0.components.seconds) })
        note(.issued(result))
        try loggedIn(token, credentials, config)
        return result
    }

    /// Goes on with the token of a login by an earlier run of the program: calls take it until the host refuses it. The
    /// payment service uses it, too, but has no password for another login.
    /// - Throws: `common(.applicationConfigurationInvalid)`; `pay(.tokenExpired)` if the text is no token.
    package func resume(_ accessToken: SecretText, config: AcceptDataServiceConfig) throws(AcceptError) {
        try config.validate()
        guard AcceptToken.isToken(accessToken) else {
            throw AcceptError(.pay(.tokenExpired), "This is no token.")
        }
        note(.issued(AcceptAccessToken(accessToken: accessToken, expireInSeconds: nil)))
        try loggedIn(AcceptToken(accessToken, lifetime: nil), nil, config)
    }

    /// Reports the user of a token and the merchant: currencies, tax rates and limits, which a till keeps.
    /// - Throws: `common(.requestMerchantInfoTokenExpired)`, `common(.requestMerchantInfoNoConnection)`,
    ///   `common(.genericRequestTimeout)`, and the general codes of ``requestAccessToken(_:password:config:)``.
    public func requestMerchantInfo(
        _ accessToken: SecretText, config: AcceptDataServiceConfig
    ) async throws(AcceptError) -> AcceptUserResponse {
        try AcceptUserResponse(await exchange(requests.user(), accessToken, config, .merchantInfo).body)
    }

    /// Reports the newest configuration for terminals.
    /// - Parameters:
    ///   - accessToken: the token of a login.
    ///   - config: the connection to the host.
    ///   - version: the version that is there already; `0` without one. At most 64 bytes.
    /// - Returns: the newest version, which may be the one that is there.
    /// - Throws: `config(.tokenExpired)`, `config(.infoNoConnection)`, `config(.infoTimeout)`,
    ///   `config(.infoNoProperResponse)`, `config(.infoNoData)` if the host has none, and the general codes.
    public func queryConfigFile(
        _ accessToken: SecretText, config: AcceptDataServiceConfig, andCurrentVersion version: String = "0"
    ) async throws(AcceptError) -> AcceptTerminalConfigFiles {
        guard version.utf8.count <= 64 else {
            throw AcceptError(.configurationInvalid, "A version has at most 64 bytes.")
        }
        let answer = try await send(requests.configFile(version), accessToken, config, .configFile)
        guard answer.status != 404 else {
            throw AcceptError(.config(.infoNoData), "The host has no configuration for terminals.")
        }
        guard (200...299).contains(answer.status) else { throw AcceptCall.configFile.error(answer) }
        return try AcceptTerminalConfigFiles(answer.body)
    }

    /// Has the host send a user's name to the user's address.
    /// - Parameters:
    ///   - email: the address, which must be the one that the host has.
    ///   - config: the connection to the host.
    /// - Throws: `contactInvalid` for a malformed address, which is not sent; `common(.forgotExternalIdNotFound)`,
    ///   `common(.forgotExternalIdConnection)`, and the general codes.
    public func forgotUserId(_ email: String, config: AcceptDataServiceConfig) async throws(AcceptError) {
        guard AcceptContact.isEmailAddress(email) else {
            throw AcceptError(.contactInvalid, "This is no address for e-mail.")
        }
        _ = try await exchange(requests.forgotUserId(email), nil, config, .forgotUserId)
    }

    /// Has the host send a new password to the user's address. The tokens of the user end.
    /// - Parameters:
    ///   - userId: the name for logging in, 1 to 64 bytes of UTF-8.
    ///   - config: the connection to the host.
    /// - Throws: `common(.externalIdNotFound)`, `common(.resetPasswordConnection)`, and the general codes.
    public func resetPassword(_ userId: String, config: AcceptDataServiceConfig) async throws(AcceptError) {
        guard (1...64).contains(userId.utf8.count) else {
            throw AcceptError(.common(.externalIdNotFound), "A name has 1 to 64 bytes.")
        }
        _ = try await exchange(requests.resetPassword(userId), nil, config, .resetPassword)
    }

    /// Changes the password of a user. The host ends the user's tokens, so that the user must log in again; the payment service
    /// goes on with the new password. It is recommended to ask the user for the present password, and to log in with it
    /// for the token of this call.
    /// - Parameters:
    ///   - userToken: the token of a login.
    ///   - newPassword: the new password, 1 to 200 bytes; the host has criteria of its own.
    ///   - reNewPassword: the same, as the user entered it again.
    ///   - config: the connection to the host.
    /// - Throws: `common(.changePasswordCriteriaNotMet)` if the entries differ, without a request, or the host refuses
    ///   the password; `pay(.tokenExpired)`, `common(.resetPasswordConnection)`, and the general codes.
    public func changePasswordForToken(
        _ userToken: SecretText, newPassword: SecretText, reNewPassword: SecretText, config: AcceptDataServiceConfig
    ) async throws(AcceptError) {
        guard newPassword == reNewPassword, (1...200).contains(newPassword.count) else {
            throw AcceptError(
                .common(.changePasswordCriteriaNotMet), "Both entries must be the same, of 1 to 200 bytes.")
        }
        _ = try await exchange(
            requests.changePassword(newPassword, reNewPassword), userToken, config, .changePassword)
        try passwordChanged(to: newPassword, by: userToken, config)
    }
}

// MARK: the calls with completions

extension Accept {
    /// ``requestAccessToken(_:password:config:)`` with a completion: the token or the error.
    public func requestAccessToken(
        _ username: String, password: SecretText, config: AcceptDataServiceConfig,
        completion: @escaping @Sendable (AcceptAccessToken?, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.requestAccessToken(username, password: password, config: config)
        }
    }

    /// ``requestMerchantInfo(_:config:)`` with a completion: the user or the error.
    public func requestMerchantInfo(
        _ accessToken: SecretText, config: AcceptDataServiceConfig,
        completion: @escaping @Sendable (AcceptUserResponse?, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.requestMerchantInfo(accessToken, config: config)
        }
    }

    /// ``queryConfigFile(_:config:andCurrentVersion:)`` with a completion: the configuration or the error.
    public func queryConfigFile(
        _ accessToken: SecretText, config: AcceptDataServiceConfig, andCurrentVersion version: String,
        completion: @escaping @Sendable (AcceptTerminalConfigFiles?, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.queryConfigFile(accessToken, config: config, andCurrentVersion: version)
        }
    }

    /// ``forgotUserId(_:config:)`` with a completion: whether it succeeded, and the error.
    public func forgotUserId(
        _ email: String, config: AcceptDataServiceConfig, completion: @escaping @Sendable (Bool, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in try await self.forgotUserId(email, config: config) }
    }

    /// ``resetPassword(_:config:)`` with a completion: whether it succeeded, and the error.
    public func resetPassword(
        _ userId: String, config: AcceptDataServiceConfig, completion: @escaping @Sendable (Bool, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in try await self.resetPassword(userId, config: config) }
    }

    /// ``changePasswordForToken(_:newPassword:reNewPassword:config:)`` with a completion: whether it succeeded, and the
    /// error.
    public func changePasswordForToken(
        _ userToken: SecretText, newPassword: SecretText, reNewPassword: SecretText, config: AcceptDataServiceConfig,
        completion: @escaping @Sendable (Bool, AcceptError?) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.changePasswordForToken(
                userToken, newPassword: newPassword, reNewPassword: reNewPassword, config: config)
        }
    }
}
