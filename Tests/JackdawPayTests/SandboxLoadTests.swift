#if Payments
import Foundation
import JackdawReaders
import JackdawSandbox
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// Many clients, and clients that send anything.
struct SandboxLoadTests {
    @Test func aHundredClientsPayAtOnce() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let connection = try await WireConnection(port: server.port)
                        func send(_ method: String, _ path: String, _ form: String, _ token: String) async throws
                            -> WireAnswer
                        {
                            try await connection.send(RunningServer.request(method, path, form, token: token))
                            return try await connection.answer()
                        }
                        let login = try await send(
                            "POST", "oauth2/token", PayFixture.logIn("till-\(number % 2 + 1)"), "")
                        let token = login.json["access_token"]?.text ?? ""
                        let form = PayFixture.payment("client-\(number)", 100)
                        let paid = try await send("POST", "payments.json", form, token)
                        let again = try await send("POST", "payments.json", form, token)
                        #expect(paid.json["state"]?.text == "approved")
                        #expect(again.json["sandbox"]?["number"] == paid.json["sandbox"]?["number"])
                        return Int(paid.json["sandbox"]?["number"]?.number ?? 0)
                    }
                }
                var numbers: Set<Int> = []
                for try await number in group { numbers.insert(number) }
                #expect(numbers == Set(1...100))
            }
        }
    }

    @Test func hostileBytesDoNotEndTheServer() async throws {
        var limits = SandboxServer.Limits()
        limits.headers = 20
        limits.headerBytes = 4_096
        try await RunningServer.run(try PayFixture.machine(), limits: limits) { server in
            let token = try await server.token()
            var random = SeededRandom(seed: 30)
            let valid = RunningServer.request("POST", "payments.json", PayFixture.payment("a"), token: token)
            for round in 0..<200 {
                var bytes: [UInt8]
                switch round % 4 {
                case 0:
                    bytes = (0..<Int.random(in: 1...300, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                case 1:
                    bytes = valid
                    for _ in 0..<3 {
                        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                            in: 0...255, using: &random)
                    }
                case 2: bytes = Array(valid.prefix(Int.random(in: 1..<valid.count, using: &random)))
                default: bytes = valid + valid.dropFirst(Int.random(in: 1..<valid.count, using: &random))
                }
                let connection = try await WireConnection(port: server.port)
                try await connection.send(bytes)
                connection.finish()
                while try await !connection.read().isEmpty {}
            }
            #expect(try await server.send("GET", "user.json", token: token).status == 200)
        }
    }

    @Test func headsThatAreTooLongAreRefused() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let long = String(repeating: "a", count: 20_000)
            let many = (0..<200).map { ("X-\($0)", "a") }
            let longHeader = try await server.send("GET", "user.json", headers: [("X-Long", long)])
            let manyHeaders = try await server.send("GET", "user.json", headers: many)
            let longTarget = try await server.send("GET", long)
            // An answer may be lost as the server does not read the rest.
            for answer in [longHeader, manyHeaders, longTarget] { #expect([0, 400, 404].contains(answer.status)) }
        }
    }

    /// The time is that of the system: the limit is a few milliseconds.
    @Test func requestsThatDoNotComeAreNotAwaited() async throws {
        var limits = SandboxServer.Limits()
        limits.idle = .milliseconds(50)
        try await RunningServer.run(try PayFixture.machine(), limits: limits) { server in
            for text in [
                "", "GET /v3/user.json HT", "POST /v3/oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
            ] {
                let connection = try await WireConnection(port: server.port)
                try await connection.send(Array(text.utf8))
                #expect(try await connection.answer().isCut)
            }
        }
    }
}
#endif
