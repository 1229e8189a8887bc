#if Payments
import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSimulator
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_pay

/// The parts of a sandbox for tests: cheap hashes, a seeded generator, a clock that stands still.
enum PayFixture {
    /// The time 2016-01-28 14:47:07 UTC.
    static let start = Duration.seconds(1_453_992_427)

    static let hashing = ScryptHashing(parameters: Scrypt(costExponent: 1, blockSize: 1, parallelism: 1)!)

    /// The account of the test cards of an issuer that answers at once.
    static let issuerText = """
        {
          "currency": "0978", "delay": 0, "limits": {"amount": 90000},
          "accounts": [{"number": "4761739001010010", "available": 50000000}], "rules": []
        }
        """

    static func machine(
        store: any SandboxStore = MemorySandboxStore(), rules: SandboxRules = SandboxRules(),
        hashing: any PasswordHashing = hashing, seed: UInt64 = 1
    ) throws -> Sandbox {
        let issuer = try SimulatedIssuer(json: Array(issuerText.utf8), LibCryptoPrimitives(mode: .test))
        return Sandbox(
            .ready, issuer: issuer, store: store, hashing: hashing, random: SeededRandom(seed: seed), rules: rules)
    }

    static func logIn(_ user: String = "till-1", password: String? = nil) -> String {
        "grant_type=password&username=\(user)&password=\(password ?? "\(user)-password")"
            + "&client_id=jackdaw&client_secret=jackdaw-secret"
    }

    /// The form of a payment by a swiped card of the issuers, which needs no cryptogram.
    static func payment(_ uniqueID: String, _ amount: Int = 1000, more: String = "") -> String {
        // Track 2 equivalent data (57): account, expiry, service code and discretionary data.
        "payment[unique_id]=\(uniqueID)&payment[amount]=\(amount)&payment[currency]=EUR"
            + "&payment[raw_data]=57104761739001010010D31122011000000F&payment[pos_data][pos_entry_mode]=90"
            + (more.isEmpty ? "" : "&\(more)")
    }
}

/// A server on a port of this computer, for the time of a body.
struct RunningServer: Sendable {
    let port: Int
    let host: SandboxHost
    let clock: ManualClock
    let callbacks: Shared<[SandboxCallback]>

    static func run(
        _ machine: Sandbox, hashing: HashingInAdvance? = nil, limits: SandboxServer.Limits = SandboxServer.Limits(),
        change: (inout SandboxServer) throws -> Void = { _ in },
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let host = SandboxHost(machine, hashing: hashing, now: { PayFixture.start + clock.now.offset })
        let callbacks = Shared<[SandboxCallback]>([])
        let responder = SandboxResponder(host: host, clock: clock) { callback in
            callbacks.with { $0.append(callback) }
        }
        var server = SandboxServer(responder: responder)
        server.limits = limits
        try change(&server)
        try await serving(server.run) { port in
            try await body(RunningServer(port: port, host: host, clock: clock, callbacks: callbacks))
        }
    }

    /// Sends bytes and reads an answer.
    func exchange(_ bytes: [UInt8], isHead: Bool = false) async throws -> WireAnswer {
        let connection = try await WireConnection(port: port)
        try await connection.send(bytes)
        return try await connection.answer(isHead: isHead)
    }

    /// Sends a request on a connection of its own.
    func send(
        _ method: String, _ path: String, _ form: String = "", headers: [(String, String)] = [], token: String = ""
    ) async throws -> WireAnswer {
        try await exchange(Self.request(method, path, form, headers: headers, token: token))
    }

    static func request(
        _ method: String, _ path: String, _ form: String = "", headers: [(String, String)] = [], token: String = ""
    ) -> [UInt8] {
        var lines = ["\(method) /v3/\(path) HTTP/1.1", "Host: localhost"]
        if !form.isEmpty {
            lines.append("Content-Type: application/x-www-form-urlencoded")
            lines.append("Content-Length: \(form.utf8.count)")
        }
        if !token.isEmpty { lines.append("Authorization: Bearer \(token)") }
        lines += headers.map { "\($0.0): \($0.1)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + form).utf8)
    }

    func token(_ user: String = "till-1") async throws -> String {
        let answer = try await send("POST", "oauth2/token", PayFixture.logIn(user))
        return try #require(answer.json["access_token"]?.text)
    }
}

/// An answer as bytes of a connection.
struct WireAnswer: Sendable {
    /// 0 if the connection ended before a whole head.
    var status = 0
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Whether the connection ended before the whole answer had come.
    var isCut = false

    var json: JSONValue { (try? JSONValue(body, most: 1 << 22)) ?? .null }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// A client's connection of plain bytes: blocking calls, each on a thread of its own.
final class WireConnection: Sendable {
    let descriptor: Int32
    private let rest = Shared<[UInt8]>([])

    init(port: Int) async throws {
        let result = try await WorkerThread.run(name: "connect") { () -> Int32 in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port).bigEndian)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = unsafe withUnsafePointer(to: &address) {
                unsafe connect(
                    descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
            guard status == 0 else {
                close(descriptor)
                return -1
            }
            return descriptor
        }
        guard result >= 0 else { throw POSIXError(.ECONNREFUSED) }
        descriptor = result
    }

    /// Waits for a connection to a listening socket.
    init(accepting listener: Int32) async throws {
        descriptor = try await WorkerThread.run(name: "accept") { accept(listener, nil, nil) }
        guard descriptor >= 0 else { throw POSIXError(.EINVAL) }
    }

    deinit { close(descriptor) }

    /// Sends bytes; an error of a connection that the server closed is ignored.
    func send(_ bytes: [UInt8]) async throws {
        _ = try await WorkerThread.run(name: "send") { [self] in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes[sent...].withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                sent += count
            }
        }
    }

    /// Ends the sending side.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads some bytes; empty at the end of the connection.
    func read() async throws -> [UInt8] {
        try await WorkerThread.run(name: "read") { [self] in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            return count > 0 ? Array(bytes.prefix(count)) : []
        }
    }

    /// Reads an answer to its end.
    func answer(isHead: Bool = false) async throws -> WireAnswer {
        var bytes = rest.with { $0 }
        var answer = WireAnswer()
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                answer.status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                answer.headers = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
                }
                let length = isHead ? 0 : answer.header("content-length").flatMap { Int($0) } ?? 0
                answer.body = Array(bytes[end.upperBound...].prefix(length))
                if answer.body.count == length {
                    rest.with { [left = Array(bytes[end.upperBound...].dropFirst(length))] in $0 = left }
                    return answer
                }
            }
            let more = try await read()
            if more.isEmpty {
                answer.isCut = true
                return answer
            }
            bytes += more
        }
    }
}
#endif
