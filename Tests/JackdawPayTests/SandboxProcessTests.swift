#if Payments
import Foundation
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_pay

/// The built command as a process.
struct SandboxProcessTests {
    /// A running `jackdaw-pay sandbox`, with its events.
    final class Command: Sendable {
        let process: SpawnedProcess
        let port: Int
        let start: JSONValue
        private let output: Pipe

        /// Starts the command over plain HTTP, and waits until it listens.
        init(_ arguments: [String], in folder: TemporaryFolder) throws {
            output = Pipe()
            process = try SpawnedProcess(
                SandboxProcessTests.executable,
                ["sandbox", "--plain", "--listen", "127.0.0.1:0", "--json"] + arguments,
                environment: ["HOME": folder.path], output: .pipe(output))
            var line: [UInt8] = []
            while line.last != UInt8(ascii: "\n") {
                guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else {
                    throw POSIXError(.EPIPE)
                }
                line.append(byte)
            }
            start = try JSONValue(line, most: 1 << 16)
            let url = try #require(start["url"]?.text)
            port = try #require(Int(url.split(separator: ":").last?.prefix { $0.isNumber } ?? ""))
        }

        func send(_ method: String, _ path: String, _ form: String = "", token: String = "") async throws -> WireAnswer
        {
            let connection = try await WireConnection(port: port)
            try await connection.send(RunningServer.request(method, path, form, token: token))
            return try await connection.answer()
        }

        func token() async throws -> String {
            var answer = WireAnswer()
            // The server closes a connection whose request it has not read within 60 s, as on a busy machine.
            repeat { answer = try await send("POST", "oauth2/token", PayFixture.logIn()) } while answer.isCut
            return try #require(answer.json["access_token"]?.text)
        }

        /// Reads lines until one has a text.
        func wait(for text: String) throws {
            var line = ""
            while !line.contains(text) {
                if line.last == "\n" { line = "" }
                guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else {
                    throw POSIXError(.EPIPE)
                }
                line.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }

        /// The lines after the first one, to the end of the process.
        func rest() throws -> String {
            String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
    }

    /// The command, which the package manager builds beside the tests.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("jackdaw-pay").path

    private static func status(_ arguments: [String]) throws -> SpawnedProcess.Ending {
        try SpawnedProcess(executable, arguments).end()
    }

    @Test func booksSurviveAKill() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["--books", folder("books")]
        for round in 1...3 {
            let command = try Command(arguments, in: folder)
            #expect(command.start["payments"]?.number == Double(round - 1))
            let token = try await command.token()
            let paid = try await command.send("POST", "payments.json", PayFixture.payment("id-\(round)"), token: token)
            #expect(paid.json["state"]?.text == "approved")
            command.process.send(SIGKILL)
            try await command.process.end()
        }
        let command = try Command(arguments, in: folder)
        let token = try await command.token()
        for round in 1...3 {
            let status = try await command.send("GET", "unique_ids/id-\(round).json", token: token)
            #expect(status.json["state"]?.text == "approved")
        }
        #expect(try Self.status(["sandbox", "--plain", "--listen", "127.0.0.1:0"] + arguments) == .exit(69))
        command.process.send(SIGTERM)
        #expect(try await command.process.end() == .exit(143))
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func signalsEndTheServer(signal: Int32, status: Int32) async throws {
        let folder = try TemporaryFolder()
        let command = try Command([], in: folder)
        // A connection that is open does not hold it up.
        let connection = try await WireConnection(port: command.port)
        command.process.send(signal)
        #expect(try await command.process.end() == .exit(status))
        _ = connection
    }

    @Test func eventsHaveNothingThatAClientWrote() async throws {
        let folder = try TemporaryFolder()
        let command = try Command(["--fault", "cut=3,route=GET user.json"], in: folder)
        let token = try await command.token()
        _ = try await command.send("GET", "user.json?secret=4761739001010010", token: token)
        _ = try await command.send("GET", "4761739001010010")
        _ = try await command.send("POST", "payments.json", PayFixture.payment("id-4761739001010010"), token: token)
        _ = try await command.send("POST", "user/reset_password.json", "external_id=till-2")
        command.process.send(SIGINT)
        try await command.process.end()
        let text = try command.rest()
        for secret in ["4761739001010010", token, "till-1-password", "till-2@example.com"] {
            #expect(!text.contains(secret))
        }
        let events = try text.split(separator: "\n").map { try JSONValue(Array($0.utf8), most: 1 << 16) }
        let routes = events.filter { $0["event"]?.text == "request" }.map { $0["route"]?.text }
        #expect(
            routes == [
                "POST oauth2/token", "GET user.json", nil, "POST payments.json", "POST user/reset_password.json",
            ])
        #expect(events.compactMap { $0["cut"]?.number } == [3])
        #expect(events.last?["kind"]?.text == "password")
    }

    @Test func invalidCommandLinesAreErrorsOfUsage() throws {
        for arguments in [
            ["--plain", "--listen", "0.0.0.0:0"], ["--listen", "127.0.0.1"], ["--listen", "::1:80"], ["--fault", "x"],
            ["--key", "a"], ["--plain", "--name", "a"], ["--callbacks", "some"],
        ] {
            #expect(try Self.status(["sandbox"] + arguments) == .exit(64), "\(arguments)")
        }
    }

    @Test func daysAreSimulated() throws {
        let run = ["soak", "--seed", "3", "--sales", "0,1", "--faults", "none", "--history"]
        let histories = try (0..<2).map { _ in
            let output = Pipe()
            let process = try SpawnedProcess(Self.executable, run, output: .pipe(output))
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            let ending = process.end()
            #expect(ending == .exit(0))
            #expect(text.contains("1 runs, 1 days, "))
            // The last line has the time that it took.
            return text.split(separator: "\n").dropLast()
        }
        #expect(histories[0].count > 20)
        #expect(histories[0] == histories[1])
        for wrong in [["--days", "0"], ["--count", "0"], ["--faults", "1,"], ["--seed", "-1"]] {
            #expect(try Self.status(["soak"] + wrong) == .exit(64), "\(wrong)")
        }
    }

    @Test func wrongFilesAreErrorsOfData() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("{}x".utf8), to: "a.json")
        for option in ["--directory", "--issuer"] {
            #expect(try Self.status(["sandbox", "--plain", "--listen", "127.0.0.1:0", option, file]) == .exit(65))
            #expect(try Self.status(["sandbox", "--plain", option, folder("none")]) == .exit(66))
        }
    }

    @Test func anAddressInUseIsUnavailable() async throws {
        let listener = try TestListener()
        #expect(try Self.status(["sandbox", "--plain", "--listen", "127.0.0.1:\(listener.port)"]) == .exit(69))
    }
}
#endif
