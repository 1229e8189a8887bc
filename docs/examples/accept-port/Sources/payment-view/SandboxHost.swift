import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSimulator

/// A sandbox in this process, so that the example needs no server. A program for a real host, or for `jackdaw-pay sandbox`, has
/// the client of JackdawHTTP instead.
actor SandboxHost: HTTPClient {
    private var sandbox: Sandbox

    /// A sandbox with its ready users and an empty book.
    /// - Parameter issuer: the content of a file of `issuers`.
    /// - Throws: `SimulationFileError` of the issuer's file.
    init(issuer: [UInt8]) throws {
        let issuer = try SimulatedIssuer(json: issuer, LibCryptoPrimitives(mode: .test))
        sandbox = Sandbox(.ready, issuer: issuer, hashing: NoHashing(), random: SystemRandomNumberGenerator())
    }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        let now = Duration.seconds(Date().timeIntervalSince1970)
        switch sandbox.receive(request, from: "127.0.0.1", at: now).reply {
        case .answer(let answer, _): return answer
        case .cut: throw HTTPFailure(.cut, message: "The answer was cut.")
        case .silent: throw HTTPFailure(.timedOut, message: "The host is silent.")
        }
    }
}

/// Passwords as they are: for a sandbox in a test alone.
private struct NoHashing: PasswordHashing {
    func hash(_ password: SecretOctets, salt: [UInt8]) -> String { String(decoding: password.octets, as: UTF8.self) }
    func verify(_ password: SecretOctets, _ hash: String) -> Bool { self.hash(password, salt: []) == hash }
}
