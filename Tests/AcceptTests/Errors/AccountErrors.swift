import JackdawCards
import JackdawPayments
import JackdawTestSupport

@testable import Accept

// Logins, users, and the configurations of terminals.

extension ErrorSituation {
    /// A call with the token of a till whose next request for a path meets a fault.
    private static func call(
        _ fault: String, _ path: String,
        _ body: @escaping @Sendable (PayTill) async throws -> Void
    ) -> @Sendable () async throws -> Void {
        {
            let till = try await PayTill(chip())
            till.link.plan(fault, path)
            guard fault.hasPrefix("silent") else { return try await body(till) }
            async let result: Void = body(till)
            // The lifetime of the token, and the silence.
            await till.wait(Accept.requestLimit)
            try await result
        }
    }

    static let accounts: [ErrorSituation] = [
        ErrorSituation(.common(.wrongUserNameOrPassword), .program, "a wrong password") {
            let till = try await PayTill(chip())
            _ = try await till.accept.requestAccessToken(
                "till-1", password: secret("wrong"), config: ConfigurationTests.backend)
        },
        ErrorSituation(
            .common(.requestTokenConnection), .sandbox, "`cut=1` at `POST oauth2/token`",
            call("cut=1", "token") { till in
                _ = try await till.accept.requestAccessToken(
                    "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend)
            }),
        ErrorSituation(.programRefused, .program, "a wrong secret of the program") {
            let till = try await PayTill(chip())
            var other = ConfigurationTests.backend
            other.clientSecret = secret("other-secret")
            _ = try await till.accept.requestAccessToken("till-1", password: secret("till-1-password"), config: other)
        },
        ErrorSituation(.tooManyRequests, .program, "a login after five with a wrong password") {
            let till = try await PayTill(chip())
            for _ in 0..<5 {
                _ = try? await till.accept.requestAccessToken(
                    "till-1", password: secret("wrong"), config: ConfigurationTests.backend)
            }
            _ = try await till.accept.requestAccessToken(
                "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend)
        },
        ErrorSituation(
            .common(.requestMerchantInfoTokenExpired), .sandbox, "`token-expired` at `GET user.json`",
            call("token-expired", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: ConfigurationTests.backend)
            }),
        ErrorSituation(
            .common(.requestMerchantInfoNoConnection), .sandbox, "`cut=1` at `GET user.json`",
            call("cut=1", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: ConfigurationTests.backend)
            }),
        ErrorSituation(
            .common(.genericRequestTimeout), .sandbox, "`silent-before` at `GET user.json`",
            call("silent-before", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: ConfigurationTests.backend)
            }),
        ErrorSituation(
            .hostError, .sandbox, "`status=503` at `GET user.json`",
            call("status=503", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: ConfigurationTests.backend)
            }),
        ErrorSituation(
            .answerUnreadable, .sandbox, "`garbled` at `GET user.json`",
            call("garbled", "user.json") {
                _ = try await $0.accept.requestMerchantInfo($0.token, config: ConfigurationTests.backend)
            }),
        ErrorSituation(.hostNotTrusted, .sandbox, "a sandbox whose certificate the client does not know") {
            let clock = ManualClock()
            let accept = Accept(clock: clock) { _ throws(AcceptError) in Untrusted() }
            _ = try await accept.requestAccessToken(
                "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend)
        },
        ErrorSituation(.cancelled, .program, "the task of a call is cancelled while the host is silent") {
            let till = try await PayTill(chip())
            till.link.plan("silent-before", "user.json")
            let task = Task {
                _ = try await till.accept.requestMerchantInfo(till.token, config: ConfigurationTests.backend)
            }
            await till.clock.sleepers(2)
            task.cancel()
            try await task.value
        },
        ErrorSituation(
            .common(.forgotExternalIdConnection), .sandbox,
            "`cut=1` at `POST user/reset_password.json`, with an address",
            call("cut=1", "reset_password.json") {
                try await $0.accept.forgotUserId("till-1@example.com", config: ConfigurationTests.backend)
            }),
        ErrorSituation(.common(.forgotExternalIdNotFound), .program, "an address that no user has") {
            try await PayTill(chip()).accept.forgotUserId("no-user@example.com", config: ConfigurationTests.backend)
        },
        ErrorSituation(.contactInvalid, .program, "a malformed address") {
            try await PayTill(chip()).accept.forgotUserId("other", config: ConfigurationTests.backend)
        },
        ErrorSituation(
            .common(.resetPasswordConnection), .sandbox, "`cut=1` at `POST user/reset_password.json`, with a name",
            call("cut=1", "reset_password.json") {
                try await $0.accept.resetPassword("till-1", config: ConfigurationTests.backend)
            }),
        ErrorSituation(.common(.externalIdNotFound), .program, "a name that no user has") {
            try await PayTill(chip()).accept.resetPassword("till-9", config: ConfigurationTests.backend)
        },
        ErrorSituation(.common(.changePasswordCriteriaNotMet), .program, "a new password of fewer than 8 bytes") {
            let till = try await PayTill(chip())
            try await till.accept.changePasswordForToken(
                till.token, newPassword: secret("short"), reNewPassword: secret("short"),
                config: ConfigurationTests.backend)
        },
        ErrorSituation(
            .common(.applicationConfigurationInvalid), .program, "a configuration without the program's secret"
        ) {
            var incomplete = ConfigurationTests.backend
            incomplete.clientSecret = nil
            _ = try await PayTill(chip()).accept.requestAccessToken(
                "till-1", password: secret("till-1-password"), config: incomplete)
        },
    ]

    /// A connection to a host whose certificate is of no trusted authority.
    private struct Untrusted: HTTPClient {
        func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
            throw HTTPFailure(.notTrusted, isCertainlyNotSent: true, message: "self-signed certificate")
        }
    }

    static let configurations: [ErrorSituation] = [
        configuration(.tokenExpired, "token-expired"), configuration(.infoTimeout, "silent-before"),
        configuration(.infoNoConnection, "cut=1"), configuration(.infoNoProperResponse, "garbled"),
        configuration(.infoNoData, "status=404"),
        ErrorSituation(
            .config(.zipDownload), .sandbox, "`status=404` at `GET configuration/file.json`",
            call("status=404", "configuration/file.json") { _ = try await $0.configureTerminal() }),
        ErrorSituation(.config(.terminalUnsupported), .program, "the configuration of a terminal of another kind") {
            _ = try await PayTill(chip()).configureTerminal { $0.model = "iWL250" }
        },
        ErrorSituation(.config(.unsupportedFeature), .program, "the configuration of a terminal that needs none") {
            _ = try await PayTill(chip()).configureTerminal { $0.dependsOnConfiguration = false }
        },
    ]

    private static func configuration(_ code: AcceptConfigFilesInfoErrorCode, _ fault: String) -> ErrorSituation {
        ErrorSituation(
            .config(code), .sandbox, "`\(fault)` at `GET configuration.json`",
            call(fault, "configuration.json") {
                _ = try await $0.accept.queryConfigFile($0.token, config: ConfigurationTests.backend)
            })
    }
}
