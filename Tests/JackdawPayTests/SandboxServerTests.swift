#if Payments
import JackdawConsole
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// The server over plain HTTP on loopback.
struct SandboxServerTests {
    struct Step {
        let method: String
        let path: String
        var form = ""
        var headers: [(String, String)] = []
        var client = ""

        init(_ method: String, _ path: String, _ form: String = "", headers: [(String, String)] = []) {
            self.method = method
            self.path = path
            self.form = form
            self.headers = headers
        }
    }

    /// Each route once or more, in an order in which the books have something to show.
    static let steps = [
        Step("GET", "user.json"),
        Step("POST", "payments.json", PayFixture.payment("a", 1000)),
        Step("POST", "payments.json", PayFixture.payment("b", 2000, more: "payment[transaction_type]=authorize")),
        Step("POST", "payments.json", PayFixture.payment("b", 3000)),
        Step("GET", "payments/search.json?page=1&per_page=2&query=a%20b+c&state=approved"),
        Step("GET", "payments/search.json"),
        Step("GET", "payments/total_sums.json?start_date=2016-01-01&end_date=2016-02-01"),
        Step("GET", "payments/a.json"),
        Step("PUT", "payments/a.json", "payment[receipt_requested]=true"),
        Step("POST", "payments/a/refund.json", "payment[amount]=300&payment[unique_id]=r"),
        Step("PUT", "payments/b/capture.json"),
        Step("POST", "payments/a/reverse.json", "payment[note]=x"),
        Step("GET", "merchant/product_list.json"),
        Step("GET", "cnp_firmware_version.json?terminal_type=spire_posmate"),
        Step("GET", "terminals/SN00000001.json"),
        Step("GET", "configuration.json"),
        Step("GET", "configuration/file.json"),
        Step("GET", "unique_ids/a.json"),
        Step("POST", "unique_ids/unknown/reverse.json"),
        Step("POST", "user/reset_password.json", "external_id=till-2"),
        // Refused, so that the token stays.
        Step("PUT", "user/password.json", "password=short&password_confirmation=short"),
        Step("DELETE", "payments.json"),
        Step("GET", "nothing.json"),
        Step("POST", "payments.json", "payment[amount]=%zz"),
        Step("GET", "user.json", headers: [("X-Compatibility-Level", "21")]),
        Step("GET", "user.json", headers: [("x-sandbox-fault", "status=503")]),
        Step("GET", "user.json", headers: [("X-Sandbox-Fault", "garbled")]),
    ]

    @Test func eachRouteAnswersAsTheMachineDoes() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            var direct = try PayFixture.machine()
            func ask(_ step: Step, token: String) throws -> HTTPAnswer {
                var headers = step.headers.map { HTTPField($0.0, $0.1) }
                if !token.isEmpty { headers.append(HTTPField("Authorization", "Bearer \(token)")) }
                let method = try #require(HTTPRequest.Method(rawValue: step.method))
                let request = try #require(
                    HTTPRequest(
                        method, target: "/v3/\(step.path)", headers: headers,
                        body: HTTPBody(copying: Array(step.form.utf8).span)))
                guard
                    case .answer(let answer, _) = direct.receive(request, from: "127.0.0.1", at: PayFixture.start).reply
                else { throw SandboxStoreError(.unreadable, "no answer") }
                return answer
            }
            _ = try ask(Step("POST", "oauth2/token", PayFixture.logIn()), token: "")
            let token = try await server.token()
            for step in Self.steps {
                let wanted = try ask(step, token: token)
                let answer = try await server.send(
                    step.method, step.path, step.form, headers: step.headers, token: token)
                let name = "\(step.method) \(step.path)"
                #expect(answer.status == wanted.status, "\(name)")
                #expect(answer.body == wanted.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }, "\(name)")
                for field in wanted.headers { #expect(answer.header(field.name) == field.value, "\(name)") }
            }
        }
    }

    @Test func theTableOfRoutesIsCovered() {
        let tried = Set(
            Self.steps.compactMap { step in
                HTTPRequest.Method(rawValue: step.method).flatMap {
                    SandboxRoute.name($0, "/v3/" + step.path.prefix { $0 != "?" }, base: "/v3")
                }
            })
        #expect(tried.union(["POST oauth2/token"]) == Set(SandboxRoute.table.map(\.name)))
    }

    /// The example of RFC 9110, 5.6.7, and the time of the fixture by GNU date.
    @Test func answersHaveADate() async throws {
        #expect(WallClock.httpText(.seconds(784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        try await RunningServer.run(try PayFixture.machine()) { server in
            let answer = try await server.send("GET", "user.json")
            #expect(answer.header("Date") == "Thu, 28 Jan 2016 14:47:07 GMT")
        }
    }

    @Test func connectionsAreUsedAgain() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            let connection = try await WireConnection(port: server.port)
            for _ in 0..<3 {
                try await connection.send(RunningServer.request("GET", "user.json", token: token))
                #expect(try await connection.answer().status == 200)
            }
        }
    }

    @Test func methodsThatTheSandboxDoesNotKnowAreRefused() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            for method in ["PATCH", "OPTIONS", "TRACE"] {
                let answer = try await server.send(method, "payments.json")
                #expect(answer.status == 405)
                #expect(answer.header("Allow") == "POST")
            }
            #expect(try await server.send("PATCH", "nothing.json").status == 404)
            let head = try await server.exchange(RunningServer.request("HEAD", "user.json"), isHead: true)
            #expect(head.status == 405)
            let asterisk = try await server.exchange(Array("GET * HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect(asterisk.status == 400)
            #expect(try await server.send("GET", "user.json?a=%zz").status == 400)
        }
    }

    @Test func bodiesThatAreTooLargeAreRefused() async throws {
        var rules = SandboxRules()
        rules.limits.bodyBytes = 1_000
        try await RunningServer.run(try PayFixture.machine(rules: rules)) { server in
            let answer = try await server.send("POST", "oauth2/token", String(repeating: "a", count: 1_001))
            #expect(answer.status == 413)
            #expect(answer.header("Connection") == "close")
            let endless = try await server.exchange(
                Array("POST /v3/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n".utf8))
            #expect(endless.status == 413)
        }
    }
}
#endif
