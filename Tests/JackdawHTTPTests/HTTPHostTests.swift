#if Payments
import JackdawHTTP
import JackdawPayments
import Testing

@Suite struct HTTPHostTests {
    @Test(arguments: [
        ("https://pay.example.com/v3/", "https://pay.example.com/v3"), ("https://[::1]:8443", "https://[::1]:8443"),
        ("http://localhost:80/", "http://localhost:80"), ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://127.255.0.9:8080/a/b//", "http://127.255.0.9:8080/a/b"), ("http://[::1]", "http://[::1]"),
    ])
    func addressesOfHosts(_ text: String, _ address: String) throws {
        #expect(try HTTPHost(text).address == address)
    }

    @Test(arguments: [
        "", "pay.example.com", "http://pay.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1",
        "http://127.0.0.1@pay.example.com", "https://user:password@pay.example.com", "https://pay.example.com/?a=b",
        "https://pay.example.com/#a", "https://pay.example.com\r\nX: y", "https://pay.example.com\\@127.0.0.1",
        "ftp://localhost", "file:///etc/passwd", "https://", "https://pay.example.com:99999",
        "https://" + String(repeating: "a", count: 3_000),
    ])
    func otherTextsAreRefused(_ text: String) {
        let failure = #expect(throws: HTTPFailure.self) { try HTTPHost(text) }
        #expect(failure?.code == .invalidRequest)
    }

    @Test func pinsAreTheBase64OfThirtyTwoBytes() {
        // RFC 7469, section 2.1.5.
        #expect(PublicKeyPin(sha256: "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=") != nil)
        #expect(PublicKeyPin(sha256: "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM") == nil)
        #expect(PublicKeyPin(sha256: "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWm;=") == nil)
        #expect(PublicKeyPin(sha256: "") == nil)
    }

    @Test(arguments: [
        HTTPRequest(.get, "v3"), HTTPRequest(.get, "/a b"), HTTPRequest(.get, "/a\r\nX: y"), HTTPRequest(.get, "/a?b"),
        HTTPRequest(.get, "/a#b"), HTTPRequest(.get, "/ä"), HTTPRequest(.get, "@pay.example.com/"),
        HTTPRequest(.get, "/", headers: [HTTPField("X: y", "z")]),
        HTTPRequest(.get, "/", headers: [HTTPField("", "z")]),
        HTTPRequest(.get, "/", headers: [HTTPField("X", "z\r\nY: a")]),
        HTTPRequest(.get, "/", headers: [HTTPField("X", "\u{0}")]),
        HTTPRequest(.get, "/", headers: [HTTPField("hOst", "pay.example.com")]),
        HTTPRequest(.post, "/", headers: [HTTPField("Transfer-Encoding", "chunked")]),
    ])
    func requestsThatCouldBecomeOthersAreNotSent(_ request: HTTPRequest) async throws {
        let failure = await CurlClient(try HTTPHost("http://127.0.0.1:1")).failure(of: request)
        #expect(failure?.outcome == Outcome(.invalidRequest, certain: true))
    }
}
#endif
