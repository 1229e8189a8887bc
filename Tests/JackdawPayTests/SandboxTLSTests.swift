#if Payments
import Foundation
import JackdawConsole
import JackdawSandbox
import JackdawSystem
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// The server with TLS, and the certificates that it makes.
struct SandboxTLSTests {
    /// A ClientHello of RFC 4346, 7.4.1.2, or RFC 5246, 7.4.1.2: a version, and suites with ECDSA.
    private static func clientHello(minorVersion: UInt8) -> [UInt8] {
        let suites: [UInt8] = [0xC0, 0x2B, 0xC0, 0x09, 0xC0, 0x0A]
        // supported_groups (RFC 8422): secp256r1; signature_algorithms (RFC 5246, 7.4.1.4.1): SHA-256 with ECDSA.
        let extensions: [UInt8] = [
            0x00, 0x0A, 0x00, 0x04, 0x00, 0x02, 0x00, 0x17, 0x00, 0x0D, 0x00, 0x04, 0x00, 0x02, 0x04, 0x03,
        ]
        var hello: [UInt8] = [3, minorVersion] + [UInt8](repeating: 7, count: 32) + [0]
        hello += [0, UInt8(suites.count)] + suites + [1, 0] + [0, UInt8(extensions.count)] + extensions
        let message = [1, 0, 0, UInt8(hello.count)] + hello
        return [0x16, 3, 1, 0, UInt8(message.count)] + message
    }

    private static func certificate(_ folder: TemporaryFolder, hosts: [String] = []) throws -> ServerCertificate {
        try ServerCertificate(directory: folder("tls"), hosts: hosts)
    }

    private static func authority(_ folder: TemporaryFolder) throws -> [UInt8] { try folder.read("tls/ca.pem") }

    @Test func versionsBeforeOnePointTwoAreRefused() async throws {
        let folder = try TemporaryFolder()
        let certificate = try Self.certificate(folder)
        try await RunningServer.run(try PayFixture.machine(), change: { $0.tls = certificate.configuration }) {
            server in
            for minor: UInt8 in [1, 2] {
                let connection = try await WireConnection(port: server.port)
                try await connection.send(Self.clientHello(minorVersion: minor))
                let answer = try await connection.read()
                // A fatal alert: protocol_version (RFC 5246, 7.2.2).
                #expect(answer.first == 0x15)
                #expect(answer.suffix(2) == [2, 70])
            }
            let connection = try await WireConnection(port: server.port)
            try await connection.send(Self.clientHello(minorVersion: 3))
            // A ServerHello of TLS 1.2.
            #expect(try await connection.read().prefix(3) == [0x16, 3, 3])
        }
    }

    @Test func textWithoutTLSIsRefused() async throws {
        let folder = try TemporaryFolder()
        let certificate = try Self.certificate(folder)
        try await RunningServer.run(try PayFixture.machine(), change: { $0.tls = certificate.configuration }) {
            server in
            let answer = try await server.send("GET", "user.json")
            #expect(answer.status == 0)
        }
    }

    /// The client is that of callbacks; its address leads to a second sandbox, which answers 404.
    @Test(arguments: ["localhost", "127.0.0.1"])
    func clientsThatTrustTheAuthorityConnect(host: String) async throws {
        let folder = try TemporaryFolder()
        let certificate = try Self.certificate(folder)
        let file = try #require(certificate.authorityFile)
        try await RunningServer.run(try PayFixture.machine(), change: { $0.tls = certificate.configuration }) {
            server in
            let url = "https://\(host):\(server.port)/callback"
            let trusted = try await CallbackTests.ending(of: url, authorities: [file])
            let other = try await CallbackTests.ending(of: url)
            #expect(trusted == .answered(404))
            #expect(other == .failed)
        }
    }

    @Test func certificatesAreKept() throws {
        let folder = try TemporaryFolder()
        _ = try Self.certificate(folder)
        let first = try Self.authority(folder)
        _ = try Self.certificate(folder)
        #expect(try Self.authority(folder) == first)
        for name in ["ca.pem", "server.pem"] {
            var status = stat()
            try #require(unsafe stat(folder("tls/\(name)"), &status) == 0)
            #expect(status.isPrivateFile)
        }
    }

    @Test func certificatesForOtherNamesAreMadeAgain() throws {
        let folder = try TemporaryFolder()
        _ = try Self.certificate(folder)
        let first = try Self.authority(folder)
        _ = try Self.certificate(folder, hosts: ["till.example", "192.0.2.1", "2001:db8::1"])
        let second = try Self.authority(folder)
        #expect(second != first)
        _ = try Self.certificate(folder, hosts: ["till.example", "192.0.2.1", "2001:db8::1"])
        #expect(try Self.authority(folder) == second)
    }

    @Test func certificatesThatExpireOrAreDamagedAreMadeAgain() throws {
        let folder = try TemporaryFolder()
        _ = try Self.certificate(folder)
        let first = try Self.authority(folder)
        _ = try ServerCertificate(directory: folder("tls"), hosts: [], now: Date() + 364.5 * 86_400)
        let second = try Self.authority(folder)
        #expect(second != first)
        _ = try folder.write(first, to: "tls/ca.pem")
        _ = try Self.certificate(folder)
        #expect(try Self.authority(folder) != first)
    }

    @Test func certificatesComeFromFiles() async throws {
        let folder = try TemporaryFolder()
        _ = try Self.certificate(folder)
        let path = folder("tls/server.pem")
        let messages = Shared<[UInt8]>([])
        let console = Console(results: { _ in }, messages: { bytes in messages.with { $0 += bytes } }, isWatched: false)
        let given = try ServerCertificate(certificate: path, key: path, console)
        #expect(given.authorityFile == nil)
        try await RunningServer.run(try PayFixture.machine(), change: { $0.tls = given.configuration }) { server in
            let url = "https://localhost:\(server.port)/"
            let ending = try await CallbackTests.ending(of: url, authorities: [folder("tls/ca.pem")])
            #expect(ending == .answered(404))
        }
        let none = try folder.write(Array("text".utf8), to: "none")
        for (certificate, key) in [(none, path), (path, none)] {
            let error = #expect(throws: CommandError.self) {
                try ServerCertificate(certificate: certificate, key: key, console)
            }
            #expect(error?.status == .badData)
        }
        // Who can write the key can be the server; who can read it is worth a warning.
        messages.with { $0 = [] }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        _ = try ServerCertificate(certificate: path, key: path, console)
        #expect(messages.with { !$0.isEmpty })
        try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
        let error = #expect(throws: CommandError.self) {
            try ServerCertificate(certificate: path, key: path, console)
        }
        #expect(error?.status == .noInput)
    }
}
#endif
