#if Payments
import Foundation
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// Callbacks: the address, the POST, its end.
struct CallbackTests {
    /// The callback of a payment with this address.
    private static func callback(_ url: String) throws -> SandboxCallback {
        var machine = try PayFixture.machine()
        func send(_ path: String, _ form: String, _ token: String) -> SandboxOutput {
            machine.receive(
                HTTPRequest(
                    .post, "/v3/\(path)", headers: [HTTPField("Authorization", "Bearer \(token)")],
                    body: HTTPBody(copying: Array(form.utf8).span)), at: PayFixture.start)
        }
        guard case .answer(let answer, _) = send("oauth2/token", PayFixture.logIn(), "").reply else {
            throw POSIXError(.EIO)
        }
        let json = try JSONValue(answer.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }, most: 1 << 20)
        let token = try #require(json["access_token"]?.text)
        let form = PayFixture.payment("a", more: "payment[callback_url]=\(url)")
        for case .callback(let callback) in send("payments.json", form, token).effects { return callback }
        throw POSIXError(.ENOENT)
    }

    /// Sends a callback and waits for its end.
    static func ending(
        of url: String, authorities: [String] = [], reach: CallbackReach = .loopback, clock: ManualClock = ManualClock()
    ) async throws -> SandboxEvent.CallbackEnding {
        let endings = Shared<[SandboxEvent.CallbackEnding]>([])
        let sender = try CallbackSender(reach, authorities: authorities, clock: clock, now: { PayFixture.start }) {
            event in
            if case .callback(let ending, _) = event { endings.with { $0.append(ending) } }
        }
        sender.send(try callback(url))
        return try await endings.first { $0.first }
    }

    @Test func theReceiverGetsTheFields() async throws {
        let listener = try TestListener()
        async let ending = Self.ending(of: "http://127.0.0.1:\(listener.port)/till?x=1")
        let request = try await listener.serve("HTTP/1.1 204 No Content\r\n\r\n")
        #expect(try await ending == .answered(204))
        let text = String(decoding: request, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(text.hasPrefix("POST /till?x=1 HTTP/1.1\r\n"))
        #expect(text.contains("Content-Type: application/x-www-form-urlencoded\r\n"))
        let callback = try Self.callback("http://127.0.0.1:\(listener.port)/till?x=1")
        #expect(callback.fields.count == 18)
        #expect(Array(parts[1].utf8) == callback.body.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    @Test func callbacksOfTheServerAreSentOnce() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            let form = PayFixture.payment("a", more: "payment[callback_url]=http://127.0.0.1:9/")
            for _ in 0..<2 { _ = try await server.send("POST", "payments.json", form, token: token) }
            #expect(server.callbacks.with { $0.count } == 1)
        }
    }

    @Test func aReceiverThatIsNotThereIsAFailure() async throws {
        // Port 1 is for tcpmux, which no system has any more.
        #expect(try await Self.ending(of: "http://127.0.0.1:1/") == .failed)
    }

    @Test func aReceiverThatDoesNotAnswerIsAFailureAfterTheLimit() async throws {
        let listener = try TestListener()
        let clock = ManualClock()
        async let ending = Self.ending(of: "http://127.0.0.1:\(listener.port)/", clock: clock)
        await clock.sleepers(1)
        clock.advance(by: CallbackSender.limit)
        #expect(try await ending == .failed)
    }

    @Test(arguments: ["http://192.0.2.1/", "https://example.com/", "http://user@127.0.0.1/", "http://127.0.0.1:0/"])
    func addressesOfOtherComputersAreRefused(url: String) async throws {
        #expect(try await Self.ending(of: url) == .refused)
    }

    @Test func noCallbackIsSentIfNoneMay() async throws {
        #expect(try await Self.ending(of: "http://127.0.0.1:1/", reach: .none) == .refused)
    }

    @Test func addressesAreTakenApart() throws {
        let plain = try #require(CallbackAddress("http://[::1]:81?a=b#c"))
        #expect((plain.host, plain.port, plain.target, plain.isSecure) == ("::1", 81, "/?a=b", false))
        #expect(plain.authority == "[::1]:81")
        let secure = try #require(CallbackAddress("https://till.example/a"))
        #expect((secure.host, secure.port, secure.target, secure.isSecure) == ("till.example", 443, "/a", true))
        for text in [
            "", "http://", "ftp://a/", "http://:80/", "http://[::1/", "http://a:b/", "http://a:65536/", "http://a b/",
            "http://[::1]x/", "http://a@b/",
        ] { #expect(CallbackAddress(text) == nil, "\(text)") }
        for (text, isLocal) in [
            ("http://localhost/", true), ("http://127.1.2.3/", true), ("http://[::1]/", true),
            ("http://[::ffff:127.0.0.1]/", true), ("http://0.0.0.0/", false), ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            let address = try #require(CallbackAddress(text))
            #expect((address.destination(.loopback) != nil) == isLocal, "\(text)")
        }
    }
}

/// A socket that listens on this computer.
final class TestListener: Sendable {
    let descriptor: Int32
    let port: Int

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = unsafe withUnsafeMutablePointer(to: &address) { address in
            let general = unsafe UnsafeMutableRawPointer(address).assumingMemoryBound(to: sockaddr.self)
            return unsafe bind(descriptor, general, size) == 0 && listen(descriptor, 8) == 0
                && getsockname(descriptor, general, &size) == 0
        }
        guard isOpen else { throw POSIXError(.EADDRINUSE) }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// Accepts a connection, reads one request with its body, and sends an answer.
    func serve(_ answer: String) async throws -> [UInt8] {
        let connection = try await WireConnection(accepting: descriptor)
        var request: [UInt8] = []
        while true {
            let text = String(decoding: request, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n"), let match = text.firstMatch(of: /Content-Length: (\d+)/),
                text[end.upperBound...].utf8.count >= Int(match.1) ?? 0
            {
                break
            }
            let more = try await connection.read()
            guard !more.isEmpty else { break }
            request += more
        }
        try await connection.send(Array(answer.utf8))
        return request
    }
}
#endif
