import JackdawCards
import JackdawPayments

/// A call about an account or a payment: the codes of its errors, and the meaning of the host's answers.
struct AcceptCall: Sendable {
    /// The code if the host refuses the token.
    let tokenExpired: AcceptError.Code
    /// The code if the host cannot be reached.
    let noConnection: AcceptError.Code
    /// The code of status 422.
    var unprocessable = AcceptError.Code.hostError
    /// The code if the host does not answer in time.
    var timedOut = AcceptError.Code.common(.genericRequestTimeout)
    /// The code of a status that has no other one.
    var refused = AcceptError.Code.hostError

    static let login = AcceptCall(
        tokenExpired: .common(.wrongUserNameOrPassword), noConnection: .common(.requestTokenConnection))
    static let merchantInfo = AcceptCall(
        tokenExpired: .common(.requestMerchantInfoTokenExpired),
        noConnection: .common(.requestMerchantInfoNoConnection))
    static let forgotUserId = AcceptCall(
        tokenExpired: .common(.requestMerchantInfoTokenExpired), noConnection: .common(.forgotExternalIdConnection),
        unprocessable: .common(.forgotExternalIdNotFound))
    static let resetPassword = AcceptCall(
        tokenExpired: .common(.requestMerchantInfoTokenExpired), noConnection: .common(.resetPasswordConnection),
        unprocessable: .common(.externalIdNotFound))
    static let changePassword = AcceptCall(
        tokenExpired: .pay(.tokenExpired), noConnection: .common(.resetPasswordConnection),
        unprocessable: .common(.changePasswordCriteriaNotMet))
    static let configFile = AcceptCall(
        tokenExpired: .config(.tokenExpired), noConnection: .config(.infoNoConnection),
        timedOut: .config(.infoTimeout))
    static let configDownload = AcceptCall(
        tokenExpired: .config(.tokenExpired), noConnection: .config(.zipDownload), timedOut: .config(.zipDownload),
        refused: .config(.zipDownload))

    static let terminal = AcceptCall(tokenExpired: .pay(.tokenExpired), noConnection: .pay(.payConnection))

    /// The error of a request without an answer.
    func error(_ failure: HTTPFailure) -> AcceptError {
        switch failure.code {
        case .timedOut: AcceptError(timedOut, failure.message)
        case .notTrusted: AcceptError(.hostNotTrusted, failure.message)
        case .cancelled: AcceptError(.cancelled, failure.message)
        case .tooLarge, .malformed: AcceptError(.answerUnreadable, failure.message)
        case .invalidRequest: AcceptError(.common(.applicationConfigurationInvalid), failure.message)
        case .notLoggedIn: AcceptError(tokenExpired, failure.message)
        default: AcceptError(noConnection, failure.message)
        }
    }

    /// The error of an answer with another status than 2xx.
    func error(_ answer: HTTPAnswer) -> AcceptError {
        let error = HostError(answer)
        switch answer.status {
        case 401 where HostError.wantsLogin(answer): return AcceptError(tokenExpired, "The user must log in again.")
        case 401 where error.code == "invalid_client":
            return AcceptError(.programRefused, "The host refuses the program's identifier or secret.")
        case 400 where error.code == "invalid_grant":
            return AcceptError(.common(.wrongUserNameOrPassword), "The name or the password is wrong.")
        case 422: return AcceptError(unprocessable, error.reason.text)
        case 429: return AcceptError(.tooManyRequests, "The host takes no further request for a while.")
        default: return AcceptError(refused, "The host refuses: \(error.name).")
        }
    }
}

/// The requests about an account. Paths are those of the Android archive, except that of a changed password.
struct AccountRequests: Sendable {
    /// The path before that of a route.
    let basePath: String

    func login(_ credentials: AcceptCredentials) -> HTTPRequest { form(.post, "oauth2/token", credentials.form) }

    func user() -> HTTPRequest { HTTPRequest(.get, "\(basePath)/user.json", headers: AcceptWire.headers) }

    /// The names of the fields have no published source, but that the SDK sends a user's identifier or an address.
    func forgotUserId(_ email: String) -> HTTPRequest {
        var fields = AcceptForm()
        fields.add("email", email)
        return form(.post, "user/reset_password.json", fields)
    }

    func resetPassword(_ userId: String) -> HTTPRequest {
        var fields = AcceptForm()
        fields.add("external_id", userId)
        return form(.post, "user/reset_password.json", fields)
    }

    /// Neither path nor names have a published source: they are those of the sandbox.
    func changePassword(_ password: SecretText, _ confirmation: SecretText) -> HTTPRequest {
        var fields = AcceptForm()
        fields.add("password", secret: password)
        fields.add("password_confirmation", secret: confirmation)
        return form(.put, "user/password.json", fields)
    }

    /// The path is that of the sandbox: no source shows it.
    func configFile(_ version: String) -> HTTPRequest {
        HTTPRequest(
            .get, "\(basePath)/configuration.json", query: [HTTPField("version", version)], headers: AcceptWire.headers)
    }

    func terminal(_ serialNumber: String) -> HTTPRequest {
        HTTPRequest(
            .get, "\(basePath)/terminals/\(serialNumber.percentEncoded).json", headers: AcceptWire.headers)
    }

    /// A file of the host, by its path.
    func file(_ path: String) -> HTTPRequest { HTTPRequest(.get, path, headers: AcceptWire.headers) }

    private func form(_ method: HTTPRequest.Method, _ path: String, _ form: AcceptForm) -> HTTPRequest {
        HTTPRequest(
            method, "\(basePath)/\(path)", headers: AcceptWire.headers + [AcceptWire.formType], body: form.body)
    }
}
