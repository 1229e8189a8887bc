#if Payments
import Crypto
import FoundationEssentials
import Glibc
import JackdawBytes
import JackdawConsole
import JackdawSystem
import JackdawTransport
import NIOSSL
import SwiftASN1
import X509

/// The certificate with which the server proves its name.
struct ServerCertificate {
    /// The certificate of the server and of authorities between it and the one that clients trust, the server's first.
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// The file of the authority that clients trust; nil if the certificate came from other files.
    let authorityFile: String?

    /// TLS 1.2 or newer with this certificate.
    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}

// MARK: - files of others

extension ServerCertificate {
    /// The largest file, in bytes.
    private static let maxFileSize = 1 << 16

    /// Reads a certificate and its key.
    /// - Parameters:
    ///   - certificate: the path of the chain in PEM, the server's certificate first.
    ///   - key: the path of the key in PEM. A file that other users can write is refused; for one that they can read,
    ///     the console shows a warning.
    ///   - console: shows the warning.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput` or `badData`.
    init(certificate: String, key: String, _ console: Console) throws(CommandError) {
        let chain = try Self.read(certificate, "no certificates in PEM") { try NIOSSLCertificate.fromPEMBytes($0) }
        guard !chain.isEmpty else { throw CommandError(.badData, "\(certificate): there is no certificate in it") }
        self.chain = chain
        self.key = try Self.read(key, "no key in PEM", keyOn: console) { try NIOSSLPrivateKey(bytes: $0, format: .pem) }
        authorityFile = nil
    }

    private static func read<Value>(
        _ path: String, _ message: String, keyOn console: Console? = nil, _ make: ([UInt8]) throws -> Value
    ) throws(CommandError) -> Value {
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        try SmallFile.read(path, most: maxFileSize, tooMany: "too long for such a file", into: &bytes) {
            status throws(CommandError) in
            if let console { try SmallFile.checkKey(status, path, console) }
        }
        do { return try make(bytes) } catch { throw CommandError(.badData, "\(path): \(message)") }
    }
}

// MARK: - a certificate of its own

extension ServerCertificate {
    /// The name of the file with the authority's certificate.
    private static let authorityName = "ca.pem"
    /// The name of the file with the server's key and certificate.
    private static let serverName = "server.pem"
    /// The time for which certificates are valid. The authority's key is not kept: both are made again then.
    private static let lifetime: TimeInterval = 365 * 86_400
    /// The time before its end at which a certificate is made again.
    private static let reserve: TimeInterval = 86_400

    /// Takes the certificate in a directory, or makes a new one and its authority if there is none that is valid for a
    /// day and for all hosts. Both files are for this user alone.
    /// - Parameters:
    ///   - directory: the path of the directory, which is made if it is not there.
    ///   - hosts: names and numeric addresses beside `localhost`, `127.0.0.1` and `::1`.
    ///   - now: the time. Default: that of the system.
    /// - Throws: `CommandError` with status `inputOutput`.
    init(directory: String, hosts: [String], now: Date = Date()) throws(CommandError) {
        let names = Self.names(hosts)
        let state = StateDirectory(directory)
        do throws(LinkError) {
            self = try state.locked { () throws(LinkError) in
                let path = "\(directory)/\(Self.authorityName)"
                if let authority = try state.load(Self.authorityName), let server = try state.load(Self.serverName),
                    let kept = Self(authority, server, names, now, path)
                {
                    return kept
                }
                let made: Made
                do { made = try Self.make(names, now) } catch {
                    throw LinkError(.system, link: directory, "no certificate can be made", underlying: "\(error)")
                }
                try state.save(Array(made.server.utf8), as: Self.serverName)
                try state.save(Array(made.authority.utf8), as: Self.authorityName)
                guard let new = Self(Array(made.authority.utf8), Array(made.server.utf8), names, now, path) else {
                    throw LinkError(.system, link: directory, "the new certificate is not valid")
                }
                return new
            }
        } catch {
            throw CommandError(.inputOutput, error.description)
        }
    }

    /// Reads files that were kept; nil unless they belong together, are valid for a while, and have all names.
    private init?(_ authority: [UInt8], _ server: [UInt8], _ names: [GeneralName], _ now: Date, _ path: String) {
        guard let authority = try? Certificate(pemEncoded: String(decoding: authority, as: UTF8.self)),
            let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: server, as: UTF8.self)),
            documents.count == 2, let key = try? Certificate.PrivateKey(pemDocument: documents[0]),
            let own = try? Certificate(pemDocument: documents[1]), own.publicKey == key.publicKey,
            authority.publicKey.isValidSignature(own.signature, for: own),
            own.notValidBefore <= now, own.notValidAfter >= now + Self.reserve, authority.notValidAfter >= now,
            let has = try? own.extensions.subjectAlternativeNames, Set(has) == Set(names),
            let chain = try? NIOSSLCertificate(bytes: Array(documents[1].pemString.utf8), format: .pem),
            let privateKey = try? NIOSSLPrivateKey(bytes: Array(documents[0].pemString.utf8), format: .pem)
        else { return nil }
        self.init(chain: [chain], key: privateKey, authorityFile: path)
    }

    /// The names of a certificate: those of this computer's loopback, and others.
    private static func names(_ hosts: [String]) -> [GeneralName] {
        var names: [GeneralName] = []
        for host in ["localhost", "127.0.0.1", "::1"] + hosts {
            let name = octets(host).map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...])) }
            if !names.contains(name ?? .dnsName(host)) { names.append(name ?? .dnsName(host)) }
        }
        return names
    }

    /// The 4 or 16 octets of a numeric address; nil for a name.
    private static func octets(_ host: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var octets = [UInt8](repeating: 0, count: count)
            if unsafe inet_pton(family, host, &octets) == 1 { return octets }
        }
        return nil
    }

    /// The texts of new files.
    private struct Made {
        let authority: String
        let server: String
    }

    private static func make(_ names: [GeneralName], _ now: Date) throws -> Made {
        let authorityKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let authorityName = try DistinguishedName { CommonName("Jackdaw sandbox authority (tests only)") }
        // Clocks of clients may be slow.
        let (start, end) = (now - 86_400, now + lifetime)
        let authority = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: authorityKey.publicKey,
            notValidBefore: start, notValidAfter: end, issuer: authorityName, subject: authorityName,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(hash: authorityKey.publicKey)
            }, issuerPrivateKey: authorityKey)
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let own = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey, notValidBefore: start,
            notValidAfter: end, issuer: authorityName,
            subject: try DistinguishedName { CommonName("Jackdaw sandbox") },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names)
                SubjectKeyIdentifier(hash: key.publicKey)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: authorityKey.publicKey).keyIdentifier)
            }, issuerPrivateKey: authorityKey)
        return Made(
            authority: try authority.serializeAsPEM().pemString + "\n",
            server: try key.serializeAsPEM().pemString + "\n" + own.serializeAsPEM().pemString + "\n")
    }
}
#endif
