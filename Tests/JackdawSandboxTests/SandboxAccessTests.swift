import JackdawCards
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

/// Logins, tokens, passwords and the data of a user. The names of `oauth2/token` and of `user.json` are those of the
/// Android archive of the Accept SDK; error codes are those of RFC 6749 and RFC 6750. No published source has a whole
/// answer.
@Suite struct SandboxAccessTests {
    @Test func aLoginGivesATokenWithItsLifetime() throws {
        var fixture = try SandboxFixture()
        let reply = fixture.logIn()
        #expect(reply.status == 200)
        #expect(reply.json["access_token"]?.text?.utf8.count == 64)
        #expect(reply.json["expires_in"]?.number == 900)
        #expect(reply.header("Cache-Control") == "no-store")
        #expect(fixture.send(.get, "user.json").status == 200)
    }

    @Test(arguments: [
        (
            "grant_type=password&username=till-1&password=no&client_id=jackdaw&client_secret=jackdaw-secret", 400,
            "invalid_grant"
        ),
        (
            "grant_type=password&username=no&password=till-1-password&client_id=jackdaw&client_secret=jackdaw-secret",
            400, "invalid_grant"
        ),
        (
            "grant_type=password&username=till-1&password=till-1-password&client_id=jackdaw&client_secret=no", 401,
            "invalid_client"
        ),
        ("grant_type=password&username=till-1&password=till-1-password", 401, "invalid_client"),
        ("grant_type=client_credentials&username=till-1&password=till-1-password", 400, "unsupported_grant_type"),
        ("grant_type=password&username=till-1", 400, "invalid_request"), ("", 400, "unsupported_grant_type"),
        ("grant_type[]=password", 422, "invalid"), ("%", 400, "form_encoding"),
    ])
    func wrongLoginsAreRefused(_ form: String, _ status: Int, _ error: String) throws {
        var fixture = try SandboxFixture()
        let reply = fixture.send(.post, "oauth2/token", form)
        #expect(reply.status == status)
        #expect(reply.error == error)
    }

    /// Guide, S1-19 of the checklist: the token lives while requests are made, and expires after inactivity.
    @Test func aTokenExpiresWithoutRequestsOnly() throws {
        var fixture = try SandboxFixture.loggedIn()
        for _ in 0..<3 {
            fixture.now += .seconds(899)
            #expect(fixture.send(.get, "user.json").status == 200)
        }
        fixture.now += .seconds(900)
        let reply = fixture.send(.get, "user.json")
        #expect(reply.status == 401)
        #expect(reply.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        fixture.logIn()
        #expect(fixture.send(.get, "user.json").status == 200)
    }

    @Test func secretsAreInNoDescription() throws {
        let fixture = try SandboxFixture.loggedIn()
        for text in ["\(fixture.sandbox)", String(reflecting: fixture.sandbox), "\(SandboxDirectory.ready)"] {
            #expect(!text.contains(fixture.token))
            #expect(!text.contains("password"))
            #expect(!text.contains("secret"))
        }
        var dumped = ""
        dump(fixture.sandbox, to: &dumped)
        #expect(!dumped.contains(fixture.token))
    }

    @Test func withoutATokenOnlyLoginAndResetAreOpen() throws {
        var fixture = try SandboxFixture()
        for row in SandboxRoute.table {
            let path = row.path.replacing("{id}", with: "x")
            let reply = fixture.send(row.methods[0], path)
            let isOpen = path == "oauth2/token" || path == "user/reset_password.json"
            #expect((reply.status == 401) != isOpen, "\(row.path)")
        }
    }

    @Test func failedLoginsAreLimited() throws {
        var fixture = try SandboxFixture()
        for _ in 0..<5 { #expect(fixture.logIn(password: "no").status == 400) }
        let reply = fixture.logIn()
        #expect(reply.status == 429)
        #expect(reply.header("Retry-After") == "60")
        // Another name from the same address waits too.
        #expect(fixture.logIn("till-2").status == 429)
        fixture.now += .seconds(60)
        #expect(fixture.logIn().status == 200)
    }

    @Test func theLimitOfLoginsHasBoundedMemory() throws {
        var fixture = try SandboxFixture()
        var statuses: Set<Int> = []
        for number in 0..<6_000 {
            let form =
                "grant_type=password&username=u\(number)&password=x&client_id=jackdaw&client_secret=jackdaw-secret"
            statuses.insert(
                fixture.send(.post, "oauth2/token", form, client: "10.0.\(number / 250).\(number % 250)").status)
        }
        #expect(statuses == [400, 429])
        fixture.now += .seconds(61)
        #expect(fixture.logIn().status == 200)
    }

    @Test func tokensAreBounded() throws {
        var rules = SandboxRules()
        rules.limits.tokens = 2
        var fixture = try SandboxFixture(rules)
        #expect(fixture.logIn().status == 200)
        #expect(fixture.logIn().status == 200)
        #expect(fixture.logIn().status == 507)
        fixture.now += .seconds(900)
        #expect(fixture.logIn().status == 200)
    }

    /// The answer of 422 for an unknown identifier or address is that of the iOS SDK's headers (AcceptV3DataTypes.h).
    @Test func aResetPasswordIsSentAndWorks() throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.send(.post, "user/reset_password.json", "external_id=till-1", token: "")
        #expect(reply.status == 200)
        guard case .message(let message)? = reply.output.effects.first else {
            Issue.record("no message")
            return
        }
        #expect(message.kind == .password)
        #expect(message.address == "till-1@example.com")
        // The tokens of the user are withdrawn, and the old password is wrong.
        #expect(fixture.send(.get, "user.json").status == 401)
        #expect(fixture.logIn().status == 400)
        #expect(fixture.logIn(password: message.text.revealedText()).status == 200)
        #expect(!"\(reply.output)".contains(message.text.revealedText()))
    }

    @Test func aUserChangesThePassword() throws {
        var fixture = try SandboxFixture.loggedIn()
        func change(_ form: String) -> SandboxFixture.Reply { fixture.send(.put, "user/password.json", form) }
        #expect(change("password=new-password").error == "password_confirmation")
        #expect(change("password=new-password&password_confirmation=other-one").error == "password_confirmation")
        #expect(change("password=short&password_confirmation=short").error == "password_criteria")
        #expect(fixture.send(.get, "user.json").status == 200)
        let reply = change("password=new-password&password_confirmation=new-password")
        #expect(reply.status == 200)
        // The tokens of the user are withdrawn, and the old password is wrong.
        #expect(fixture.send(.get, "user.json").status == 401)
        #expect(fixture.logIn().status == 400)
        #expect(fixture.logIn(password: "new-password").status == 200)
    }

    @Test func aForgottenNameIsSentToItsAddressOnly() throws {
        var fixture = try SandboxFixture()
        let reply = fixture.send(.post, "user/reset_password.json", "email=till-2@example.com")
        guard case .message(let message)? = reply.output.effects.first else {
            Issue.record("no message")
            return
        }
        #expect(message.kind == .userIdentifier)
        #expect(message.text.revealedText() == "till-2")
        #expect(fixture.send(.post, "user/reset_password.json", "email=no@example.com").status == 422)
        #expect(fixture.send(.post, "user/reset_password.json", "external_id=no").status == 422)
    }

    @Test func theUserHasMerchantApplicationsAndBrand() throws {
        var fixture = try SandboxFixture.loggedIn()
        let json = fixture.send(.get, "user.json").json
        let merchant = json["merchant"]
        #expect(merchant?["currencies"] == .array([.text("EUR"), .text("USD"), .text("JPY"), .text("KWD")]))
        #expect(merchant?["tax_rates"] == .array([.number(0), .number(700), .number(1900)]))
        #expect(merchant?["net_taxation"] == .flag(false))
        #expect(merchant?["limits"]?["amount_upper_limit"] == .number(500_000))
        #expect(merchant?["limits"]?["amount_daily_limit"] == .null)
        #expect(merchant?["service_charge"]?["amount"] == .number(0))
        #expect(json["aid_configurations"] == .array([]))
        #expect(json["white_label_app"]?["name"] == .text("Jackdaw sandbox"))
    }

    @Test func filesAndTerminalsAreThoseOfTheMerchant() throws {
        var fixture = try SandboxFixture.loggedIn()
        let products = fixture.send(.get, "merchant/product_list.json")
        #expect(products.json["version"] == .text("1"))
        #expect(products.json["url"] != nil)
        #expect(products.json["md5"] != nil)
        let firmware = fixture.send(.get, "cnp_firmware_version.json", query: [("terminal_type", "spire_posmate")])
        #expect(firmware.json["version"] == .text("1.0"))
        #expect(fixture.send(.get, "cnp_firmware_version.json", query: [("terminal_type", "no")]).status == 404)
        #expect(fixture.send(.get, "configuration.json").json["version"] == .text("1"))
        #expect(fixture.send(.get, "configuration.json").json["url"] == .text("/v3/configuration/file.json"))
        let file = fixture.send(.get, "configuration/file.json").json
        #expect(file == .object(["version": .text("1"), "terminals": .array([.text("PosMate"), .text("SPm2")])]))
        #expect(fixture.send(.get, "terminals/SN00000002.json").json["terminal_id"] == .text("T0000002"))
        #expect(fixture.send(.get, "terminals/SN00000003.json").status == 404)
        fixture.logIn("other")
        #expect(fixture.send(.get, "merchant/product_list.json").status == 404)
    }

    @Test(arguments: [("20", 200), ("1", 200), ("0", 400), ("21", 400), ("x", 400), ("", 400)])
    func theCompatibilityLevelIsChecked(_ level: String, _ status: Int) throws {
        var fixture = try SandboxFixture.loggedIn()
        #expect(fixture.send(.get, "user.json", headers: [("x-compatibility-level", level)]).status == status)
    }
}
