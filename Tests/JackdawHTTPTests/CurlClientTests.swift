#if Payments
import Foundation
import JackdawCards
import JackdawHTTP
import JackdawPayments
import JackdawTestSupport
import Testing

/// The client with Python's http.server, ssl and hashlib, and certificates of openssl.
@Suite(.enabled(if: TLSHosts.shared != nil, "python3 or openssl is not on this machine"))
struct CurlClientTests {
    private let hosts = TLSHosts.shared!

    private func host(_ name: String) throws(HTTPFailure) -> HTTPHost {
        var host = try HTTPHost(hosts.address(name))
        host.authorities = .file(hosts.authority)
        return host
    }

    private func outcome(_ name: String, _ change: (inout HTTPHost) -> Void = { _ in }) async throws -> Outcome? {
        var host = try host(name)
        change(&host)
        return await CurlClient(host).failure()?.outcome
    }

    private func echo(of request: HTTPRequest, by host: HTTPHost) async throws -> EchoedRequest {
        let answer = try await CurlClient(host).send(request, limit: .seconds(60))
        #expect(answer.status == 200)
        return try JSONDecoder().decode(EchoedRequest.self, from: Data(answer.body.octets))
    }

    @Test(arguments: HTTPRequest.Method.allCases, ["", "\u{0}\r\n body"])
    func theHostReceivesTheRequestAsItIs(_ method: HTTPRequest.Method, _ body: String) async throws {
        let request = HTTPRequest(
            method, "/v3/payments.json", query: [HTTPField("a b", "1&2=ü"), HTTPField("c", "")],
            headers: [HTTPField("Authorization", "Bearer t0ken"), HTTPField("X-Empty", "")], body: HTTPBody(body))
        var host = try host("good")
        host = try changed(host, address: hosts.address("good") + "/base/")
        let echoed = try await echo(of: request, by: host)
        #expect(echoed.method == method.rawValue)
        #expect(echoed.path == "/base/v3/payments.json?a%20b=1%262%3D%C3%BC&c=")
        #expect(echoed.body == hexadecimal(Array(body.utf8)).lowercased())
        #expect(echoed.tls == "TLSv1.3")
        #expect(echoed.headers.contains(["Authorization", "Bearer t0ken"]))
        #expect(echoed.headers.contains(["X-Empty", ""]))
        let names = echoed.headers.map { $0[0] }
        #expect(!names.contains("Expect") && !names.contains("Content-Type"))
        #expect(Set(names).count == names.count)
    }

    private func changed(_ host: HTTPHost, address: String) throws -> HTTPHost {
        var changed = try HTTPHost(address)
        changed.authorities = host.authorities
        return changed
    }

    @Test func headersOfTheAnswerKeepTheirOrder() async throws {
        let answer = try await CurlClient(host("good")).send(HTTPRequest(.get, "/"), limit: .seconds(60))
        #expect(answer.headers.filter { $0.name == "X-Twice" }.map(\.value) == ["a", "b"])
    }

    @Test func longBodiesArriveWhole() async throws {
        let body = String(repeating: "0123456789abcdef", count: 100_000)
        let request = HTTPRequest(.post, "/", headers: [HTTPField("Content-Type", "text/plain")], body: HTTPBody(body))
        let echoed = try await echo(of: request, by: host("good"))
        #expect(echoed.body.utf8.count == 2 * body.utf8.count)
        #expect(echoed.headers.contains(["Content-Type", "text/plain"]))
    }

    @Test(arguments: ["expired", "selfSigned", "otherName", "tls11"])
    func hostsWithoutAValidCertificateOrTLS12AreRefused(_ name: String) async throws {
        #expect(try await outcome(name) == Outcome(.notTrusted, certain: true))
    }

    @Test func tls12IsEnough() async throws {
        #expect(try await echo(of: HTTPRequest(.get, "/"), by: host("tls12")).tls == "TLSv1.2")
    }

    @Test func anAuthorityThatIsNotNamedIsNotTrusted() async throws {
        #expect(try await outcome("good") { $0.authorities = .system } == Outcome(.notTrusted, certain: true))
        // The host with its own authority's certificate is not of this authority.
        #expect(
            try await outcome("good") { $0.authorities = .file("/nonexistent") } == Outcome(.notTrusted, certain: true))
    }

    @Test func theKeyMustHaveOneOfThePins() async throws {
        let pin = try #require(PublicKeyPin(sha256: hosts.pin))
        let other = try #require(PublicKeyPin(sha256: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
        #expect(try await outcome("good") { $0.pins = [other, pin] } == nil)
        #expect(try await outcome("good") { $0.pins = [other] } == Outcome(.notTrusted, certain: true))
    }

    @Test func redirectsAreAnswers() async throws {
        let answer = try await CurlClient(host("redirect")).send(HTTPRequest(.post, "/"), limit: .seconds(60))
        #expect(answer.status == 302)
    }

    @Test(arguments: ["openEnded", "torn"])
    func answersWithoutALengthAreCut(_ name: String) async throws {
        #expect(try await outcome(name) == Outcome(.cut, certain: false))
    }

    @Test func aServerWithoutTLSIsNotReached() async throws {
        #expect(try await outcome("plain")?.isCertainlyNotSent == true)
    }

    @Test func theProxySeesNothingOfTheRequest() async throws {
        var host = try host("good")
        host.proxy = .named("http://127.0.0.1:\(hosts.ports["proxy"] ?? 0)")
        let request = HTTPRequest(.get, "/secret", headers: [HTTPField("X-Token", "t0ken")])
        let echoed = try await echo(of: request, by: host)
        #expect(echoed.headers.contains(["X-Token", "t0ken"]))
        let tunnel = try #require(echoed.tunnels.last { $0.first?.contains(":1 ") == false })
        #expect(tunnel.first == "CONNECT localhost:\(hosts.ports["good"] ?? 0) HTTP/1.1")
        #expect(!tunnel.contains { $0.contains("t0ken") || $0.contains("secret") })
    }

    @Test func aProxysPasswordIsNotPrinted() {
        let proxy = HTTPHost.Proxy.named("http://till:swordfish@proxy.example:3128")
        #expect(!"\(proxy)\(String(reflecting: proxy))".contains("swordfish"))
    }

    /// Addresses that libcurl 7.88.1 repeats in its texts: one that it cannot read, and one of a scheme that it does not
    /// know.
    private static let unusableProxies = ["http://till:sw/ordfish@proxy:3128", "ftp://till:swordfish@127.0.0.1:1"]

    @Test(arguments: unusableProxies) func aFailureDoesNotHaveTheProxysPassword(_ address: String) async throws {
        var host = try HTTPHost("https://localhost:1")
        host.proxy = .named(address)
        let failure = try #require(await CurlClient(host).failure())
        #expect(failure.outcome == Outcome(.unreachable, certain: true))
        #expect(!failure.message.contains("ordfish"))
    }

    @Test func aFailureDoesNotHaveThePasswordOfTheEnvironmentsProxy() async throws {
        try await #require(
            processExitsWith: .success
        ) {
            unsafe setenv("https_proxy", "ftp://till:swordfish@127.0.0.1:1", 1)
            unsafe setenv("no_proxy", "", 1)
            var host = try HTTPHost("https://localhost:1")
            host.proxy = .environment
            let failure = try #require(await CurlClient(host).failure())
            #expect(failure.outcome == Outcome(.unreachable, certain: true))
            #expect(!failure.message.contains("ordfish"))
        }
    }

    @Test func aProxyThatRefusesIsUnreachable() async throws {
        var host = try changed(host("good"), address: "https://localhost:1")
        host.proxy = .named("http://127.0.0.1:\(hosts.ports["proxy"] ?? 0)")
        #expect(await CurlClient(host).failure()?.outcome == Outcome(.unreachable, certain: true))
    }

    @Test func theEnvironmentIsIgnoredUnlessAsked() async throws {
        try await #require(
            processExitsWith: .success
        ) {
            let hosts = TLSHosts.shared!
            // No one listens on port 1.
            unsafe setenv("https_proxy", "http://127.0.0.1:1", 1)
            unsafe setenv("no_proxy", "", 1)
            var host = try HTTPHost(hosts.address("good"))
            host.authorities = .file(hosts.authority)
            #expect(await CurlClient(host).failure() == nil)
            host.proxy = .environment
            #expect(await CurlClient(host).failure()?.outcome == Outcome(.unreachable, certain: true))
            unsafe setenv("no_proxy", "localhost", 1)
            #expect(await CurlClient(host).failure() == nil)
            host.proxy = .named("http://127.0.0.1:1")
            #expect(await CurlClient(host).failure()?.outcome == Outcome(.unreachable, certain: true))
        }
    }

    @Test func bodiesAndTokensAreWipedFromMemory() async throws {
        try await #require(
            processExitsWith: .success
        ) {
            let hosts = TLSHosts.shared!
            let client = CurlClient(try HTTPHost("http://127.0.0.1:\(hosts.ports["plain"] ?? 0)"))
            let body = (0..<24).map { _ in UInt8.random(in: 128...255) }
            let token = (0..<24).map { _ in ~UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
            func secret(_ inverted: [UInt8]) -> SecretText {
                var octets = inverted.map { ~$0 }
                defer { unsafe octets.withUnsafeMutableBytes { unsafe explicit_bzero($0.baseAddress!, $0.count) } }
                return SecretText(copying: octets.span)
            }
            func exchange() async throws {
                let request = HTTPRequest(
                    .post, "/", headers: [HTTPField("X-Token", secret: secret(token))],
                    body: secret(body).withRevealedText { HTTPBody(copying: $0) })
                // The answer has the token, too, because the host echoes headers as they are.
                #expect(try await client.send(request, limit: .seconds(60)).body.count > 24)
            }
            try await exchange()
            // The thread of the exchange may hold the answer for a moment longer than the caller.
            var isHeld = true
            for _ in 0..<100 where isHeld {
                await Task.yield()
                isHeld = try memoryHolds(inverted: body) || memoryHolds(inverted: token)
            }
            #expect(!isHeld)
        }
    }
}
#endif
