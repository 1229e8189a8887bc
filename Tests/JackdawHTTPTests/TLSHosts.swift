#if Payments
import Foundation
import JackdawTestSupport

/// The hosts of `Peers/tls_hosts.py`: Python's ssl and http.server, with certificates of the command `openssl`. They end
/// with this process.
struct TLSHosts: Sendable {
    private struct Report: Decodable {
        let ports: [String: Int]
        let pin: String
    }

    /// The hosts; nil if python3 or openssl is not on this machine.
    static let shared: TLSHosts? = try? TLSHosts()

    let ports: [String: Int]
    /// The SHA-256 of the public key of `good`, as Python computed it.
    let pin: String
    /// The certificate of the authority, in PEM form.
    let authority: String
    private let process: SpawnedProcess
    /// Its end ends the process.
    private let input = Pipe()

    private init() throws {
        guard let script = Bundle.module.url(forResource: "tls_hosts", withExtension: "py", subdirectory: "Peers")
        else { throw CocoaError(.fileNoSuchFile) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "jackdaw-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let output = Pipe()
        process = try SpawnedProcess(
            "python3", [script.path, folder.path], input: .pipe(input), output: .pipe(output))
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let more = try output.fileHandleForReading.read(upToCount: 1) {
            guard !more.isEmpty else { break }
            line += more
        }
        let report = try JSONDecoder().decode(Report.self, from: line)
        ports = report.ports
        pin = report.pin
        authority = folder.appending(path: "ca.pem").path
    }

    func address(_ name: String) -> String { "https://localhost:\(ports[name] ?? 0)" }
}

/// A request as `Echo` of `Peers/tls_hosts.py` has read it.
struct EchoedRequest: Decodable {
    let method: String
    let path: String
    let headers: [[String]]
    /// The bytes as hexadecimal digits, two a byte.
    let body: String
    let tls: String
    /// The lines that the proxy has received for each tunnel.
    let tunnels: [[String]]
}
#endif
