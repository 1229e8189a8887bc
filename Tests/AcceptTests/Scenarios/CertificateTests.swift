#if Payments
import Accept
import JackdawCards
import JackdawHTTP
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// The certificate of the host: a server of the sandbox with TLS, and the client of the module JackdawHTTP.
struct CertificateTests {
    /// The calls of a program that trusts an authority, at a sandbox with another one unless it is that of the sandbox.
    private static func logIn(
        at name: String = "localhost", _ authorities: @escaping @Sendable (String) throws -> HTTPHost.Authorities
    ) async throws -> (token: AcceptAccessToken?, error: AcceptError?) {
        let folder = try TemporaryFolder()
        let certificate = try ServerCertificate(directory: folder("tls"), hosts: [])
        let host = SandboxHost(
            Sandbox(
                .ready, issuer: try FlowParts(FlowSetup()).issuer, hashing: PlainTextHashing(),
                random: SeededRandom(seed: 1)), now: { .seconds(FlowParts.date.seconds) })
        var server = SandboxServer(responder: SandboxResponder(host: host, clock: ManualClock()) { _ in })
        server.tls = certificate.configuration
        if name != "localhost" { server.address = name }
        let trusted = try authorities(folder("tls/ca.pem"))
        var end: (token: AcceptAccessToken?, error: AcceptError?) = (nil, nil)
        try await serving(server.run) { port in
            let address = "https://\(name):\(port)"
            let accept = Accept(clock: ManualClock()) { _ throws(AcceptError) in
                do throws(HTTPFailure) {
                    var host = try HTTPHost(address)
                    host.authorities = trusted
                    host.connectLimit = .seconds(600)
                    return CurlClient(host)
                } catch { throw AcceptError(.notRunning, "\(error)") }
            }
            let config = AcceptDataServiceConfig(
                url: address, clientId: "jackdaw", clientSecret: secret("jackdaw-secret"))
            do throws(AcceptError) {
                end.token = try await accept.requestAccessToken(
                    "till-1", password: secret("till-1-password"), config: config)
            } catch { end.error = error }
        }
        return end
    }

    @Test func S1_03_S1_144_aHostOfATrustedAuthorityIsTaken() async throws {
        let end = try await Self.logIn { .file($0) }
        #expect(end.error == nil)
        #expect(end.token?.expireInSeconds == 900)
    }

    /// The authorities of the operating system do not have that of the sandbox.
    @Test func S1_03_S1_144_aHostOfNoTrustedAuthorityIsRefused() async throws {
        let end = try await Self.logIn { _ in .system }
        #expect(end.error?.code == .hostNotTrusted)
        #expect(end.token == nil)
    }

    /// Another authority of the same name.
    @Test func S1_03_S1_144_aHostOfAnotherAuthorityIsRefused() async throws {
        let other = try TemporaryFolder()
        _ = try ServerCertificate(directory: other("tls"), hosts: [])
        let end = try await Self.logIn { _ in .file(other("tls/ca.pem")) }
        #expect(end.error?.code == .hostNotTrusted)
        #expect(end.token == nil)
    }

    /// The certificate has the names of this computer, but not this address of it.
    @Test func S1_03_S1_144_aHostOfAnotherNameIsRefused() async throws {
        let end = try await Self.logIn(at: "127.0.0.2") { .file($0) }
        #expect(end.error?.code == .hostNotTrusted)
        #expect(end.token == nil)
    }
}
#endif
