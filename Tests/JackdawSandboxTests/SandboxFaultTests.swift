import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Faults by request, and hostile requests. Faults are this project's; the real host has none of them by request.
@Suite struct SandboxFaultTests {
    @Test(
        arguments: [
            ("slow=5000", SandboxFault.slow(.seconds(5))), ("silent-before", .silentBefore),
            ("silent-after", .silentAfter),
            ("status=404", .status(404)), ("status-after=500", .statusAfter(500)), ("garbled", .garbled),
            ("cut=17", .cut(17)),
            ("token-expired", .tokenExpired), ("duplicate-id", .duplicateIdentifier), ("", nil), ("slow", nil),
            ("slow=x", nil), ("slow=-1", nil), ("status=200", nil), ("status=600", nil), ("garbled=1", nil),
            ("cut=", nil),
            ("=", nil),
        ] as [(String, SandboxFault?)])
    func faultsAreReadFromText(_ text: String, _ wanted: SandboxFault?) {
        #expect(SandboxFault(text) == wanted)
    }

    /// The number of payments that a fault leaves in the books, and the status (0: silence).
    @Test(arguments: [
        ("slow=5000", 1, 201), ("silent-before", 0, 0), ("silent-after", 1, 0), ("status=404", 0, 404),
        ("status=503", 0, 503), ("status-after=500", 1, 500), ("garbled", 1, 201), ("cut=17", 1, 201),
        ("token-expired", 0, 401), ("duplicate-id", 0, 409), ("no", 0, 400),
    ])
    func aFaultIsBeforeOrAfterTheBooking(_ fault: String, _ count: Int, _ status: Int) throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.pay("a", headers: [("X-Sandbox-Fault", fault)])
        #expect(reply.status == status)
        #expect(fixture.sandbox.store.paymentCount == count)
        switch fault {
        case "slow=5000": #expect(reply.due == SandboxFixture.start + .milliseconds(5500))
        case "garbled": #expect(reply.json == .null)
        case "cut=17":
            guard case .cut(_, 17, _) = reply.output.reply else {
                Issue.record("not cut")
                return
            }
        case "token-expired":
            #expect(fixture.send(.get, "user.json").status == 401)
            fixture.logIn()
        default: break
        }
        // The request again finds what the fault left.
        #expect(fixture.pay("a").state == "approved")
        #expect(fixture.sandbox.store.paymentCount == 1)
        #expect(fixture.sandbox.issuer.ledger.held == 1000)
    }

    @Test func aSilentBookingStillSendsItsCallback() throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.pay(
            "a", more: "payment[callback_url]=http://x", headers: [("X-Sandbox-Fault", "silent-after")])
        #expect(reply.output.effects.count == 1)
        let lost = fixture.pay(
            "b", counter: 2, more: "payment[callback_url]=http://x", headers: [("X-Sandbox-Fault", "silent-before")])
        #expect(lost.output.effects.isEmpty)
    }

    @Test func plannedFaultsCountTheirRequests() throws {
        var fixture = try SandboxFixture.loggedIn()
        fixture.sandbox.plan(PlannedFault(.status(503), route: "POST payments.json", after: 1, times: 2))
        #expect(fixture.pay("a").status == 201)
        #expect(fixture.send(.get, "user.json").status == 200)
        #expect(fixture.pay("b", counter: 2).status == 503)
        #expect(fixture.pay("b", counter: 2).status == 503)
        #expect(fixture.pay("b", counter: 2).status == 201)
    }

    @Test func theFileMayPlanFaults() throws {
        let text = SandboxDirectory.readyText.replacing(
            "\"aid_configurations\": []",
            with: """
                "faults": [{"fault": "garbled", "route": "GET user.json", "times": 1, "note": "x"}]
                """)
        var fixture = try SandboxFixture(directory: SandboxDirectory(json: Array(text.utf8)))
        fixture.logIn()
        #expect(fixture.send(.get, "user.json").json == .null)
        #expect(fixture.send(.get, "user.json").json != .null)
    }

    @Test func theHeaderCanBeTurnedOff() throws {
        var rules = SandboxRules()
        rules.takesFaultHeader = false
        var fixture = try SandboxFixture.loggedIn("till-1", rules)
        #expect(fixture.pay("a", headers: [("X-Sandbox-Fault", "garbled")]).state == "approved")
    }

    // MARK: hostile requests

    private static func form(_ more: String) -> String { SandboxFixture.form("a", more: more) }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let hostileForms: [(String, Int)] = [
        ("payment=1", 422), ("payment[]=1", 422), ("payment[amount][]=1", 422),
        ("payment[amount]=1&payment[amount]=2", 400),
        ("payment[a][b][c][d][e][f][g]=1", 400), ("%", 400), ("payment[amount]=%ff", 422), ("", 422),
        ("payment[unique_id]=" + repeated("a", 65), 422), ("payment[unique_id]=a+b", 422),
        ("payment[unique_id]=x.json", 422), ("payment[unique_id]=search", 422), ("payment[unique_id][x]=1", 422),
        (repeated("a&", 3_000), 400), (repeated("payment[items][]=1&", 600), 400),
        (form("payment[items]=1"), 422), (form("payment[items][]=1"), 422),
        (form("payment[items][][note][]=1"), 422),
        (form("payment[items][][quantity]=-1"), 422),
        (form("payment[items][][note]=%00"), 422),
        (form("payment[tip]=1.5"), 422),
        (form("payment[pos_data]=1"), 400),
        (form("payment[sub_merchant][]=1"), 422),
        (form("payment[custom_fields][a][b]=1"), 422),
        (form("payment[transaction_type]=transfer"), 422),
        (repeated("x", 300_000), 413),
    ]

    @Test(arguments: hostileForms)
    func hostileFormsAreRefused(_ form: String, _ status: Int) throws {
        var fixture = try SandboxFixture.loggedIn()
        let reply = fixture.send(.post, "payments.json", form)
        #expect(reply.status == status)
        #expect(!reply.error.isEmpty)
        #expect(fixture.sandbox.store.paymentCount == 0)
    }

    @Test func otherPathsMethodsAndTypesAreRefused() throws {
        var fixture = try SandboxFixture.loggedIn()
        for path in [
            "", "x", "payments", "payments/a/b/c.json", "../v3/user.json", "payments/a/reverse.json/", "%2e%2e",
        ] {
            #expect(fixture.send(.get, path).status != 200, "\(path)")
        }
        #expect(fixture.send(.delete, "user.json").status == 405)
        #expect(fixture.send(.delete, "user.json").header("Allow") == "GET")
        #expect(fixture.send(.get, String(repeating: "a", count: 600)).status == 404)
        let json = fixture.send(.post, "payments.json", "{}", headers: [("Content-Type", "application/json")])
        #expect(json.status == 415)
        let form = fixture.send(
            .post, "payments.json", SandboxFixture.form("a"),
            headers: [("content-type", "application/x-www-form-urlencoded; charset=utf-8")])
        #expect(form.status == 201)
    }

    @Test func randomRequestsAlwaysHaveAnAnswer() throws {
        var fixture = try SandboxFixture.loggedIn()
        var random = SeededRandom(seed: 77)
        let words = [
            "payment", "[", "]", "amount", "=", "&", "raw_data", "%41", "%", "items", "[]", "1000", "EUR", "currency",
            "unique_id", "a", "note", "\u{0}", "é", "5A", "9F02",
        ]
        let methods = HTTPRequest.Method.allCases
        for _ in 0..<3_000 {
            let form = (0..<Int.random(in: 0...20, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            let row = SandboxRoute.table.randomElement(using: &random)
            let path = (row?.path ?? "").replacing("{id}", with: words.randomElement(using: &random) ?? "")
            let reply = fixture.send(
                methods.randomElement(using: &random) ?? .get, path, form.joined(),
                query: [(words.randomElement(using: &random) ?? "", words.randomElement(using: &random) ?? "")])
            #expect((200...507).contains(reply.status))
            #expect(reply.json != .null)
            fixture.now += .milliseconds(10)
        }
        #expect(fixture.sandbox.store.paymentCount == 0)
    }
}
