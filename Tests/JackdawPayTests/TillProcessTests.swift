#if Payments
import Foundation
import Glibc
import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_pay

/// The commands of a till as processes, at a sandbox that is a process, too.
@Suite struct TillProcessTests {
    /// A till in a folder, and all that its commands print.
    private final class Till: Sendable {
        let folder: TemporaryFolder
        let host: SandboxProcessTests.Command
        private let printed = Shared("")

        init(faults: [String] = []) throws {
            folder = try TemporaryFolder()
            host = try SandboxProcessTests.Command(faults.flatMap { ["--fault", $0] }, in: folder)
            try folder.write(Array("\(TillFixture.password)\n".utf8), to: "password")
            try folder.write(Array(TillFixture.secret.utf8), to: "client")
        }

        deinit { host.process.send(SIGKILL) }

        var output: String { printed.with { $0 } }

        func start(
            _ arguments: [String], input: SpawnedProcess.Stream = .nothing
        ) throws -> (SpawnedProcess, Pipe) {
            let output = Pipe()
            let process = try SpawnedProcess(
                SandboxProcessTests.executable, arguments, environment: ["XDG_STATE_HOME": folder("state")],
                input: input,
                output: .pipe(output), messages: .pipe(output))
            return (process, output)
        }

        /// Runs a command whose results go elsewhere.
        func end(_ arguments: [String], output: SpawnedProcess.Stream) throws -> SpawnedProcess.Ending {
            let process = try SpawnedProcess(
                SandboxProcessTests.executable, arguments, environment: ["XDG_STATE_HOME": folder("state")],
                output: output)
            return process.end()
        }

        /// Runs a command to its end.
        @discardableResult
        func run(
            _ arguments: [String], input: SpawnedProcess.Stream = .nothing
        ) throws -> (ending: SpawnedProcess.Ending, text: String) {
            let (process, output) = try start(arguments, input: input)
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            printed.with { $0 += text }
            return (process.end(), text)
        }

        var login: [String] {
            [
                "login", "--host", "http://127.0.0.1:\(host.port)", "--user", "till-1", "--secret-file",
                folder("client"), "--password-file",
            ]
        }

        func logIn() throws -> SpawnedProcess.Ending { try run(login + [folder("password")]).ending }

        func sell(_ item: String, _ payment: String, _ more: String...) throws -> SpawnedProcess.Ending {
            try run(
                ["sell", "--item", item, "--link", "sim:posmate", "--payment", payment, "--log-level", "trace"] + more
            ).ending
        }
    }

    /// Each command with text and with JSON; a payment that is approved, declined, and not known.
    @Test func commandsEndWithTheirStatusAndPrintNoSecret() throws {
        let till = try Till(faults: [
            "status-after=500,route=POST payments.json,after=3,times=1",
            "status=503,route=POST unique_ids/{id}/reverse.json",
        ])
        #expect(try till.sell("Tea:3.00", "p-0") == .exit(69))
        #expect(try till.logIn() == .exit(0))
        let input = Pipe()
        input.fileHandleForWriting.write(Data("\(TillFixture.password)\n".utf8))
        try input.fileHandleForWriting.close()
        #expect(try till.run(till.login + ["-", "--json"], input: .pipe(input)).ending == .exit(0))
        let terminals = try till.run(["terminals"]).text
        #expect(terminals.contains("sim:posmate") && terminals.contains("sim:unimag"))
        #expect(try till.run(["terminals", "--json"]).ending == .exit(0))
        #expect(try till.sell("Coffee:2.50:2:19%", "p-1", "--tip", "1.00") == .exit(0))
        #expect(try till.sell("Coffee:2.50:2:19%", "p-2", "--json") == .exit(0))
        #expect(try till.sell("Cake:51.05", "p-3") == .exit(1))
        #expect(try till.sell("Cake:4.00", "p-4", "--wait", "0") == .exit(75))
        for payment in [("p-1", 0), ("p-3", 1), ("p-4", 75), ("p-5", 1)] as [(String, Int32)] {
            #expect(try till.run(["status", payment.0]).ending == .exit(payment.1), "\(payment.0)")
        }
        #expect(try till.run(["status", "p-4", "--json"]).text.contains(#""state":"unknown""#))
        #expect(try till.run(["journal"]).ending == .exit(0))
        #expect(try till.run(["journal", "--json"]).text.contains(#""queued":"reversal""#))
        #expect(try till.run(["journal", "flush", "--wait", "0", "--log-level", "trace"]).ending == .exit(75))
        // The log has the states of payments.
        #expect(till.output.contains("state=unknown"))

        let token = String(decoding: try till.folder.read("state/jackdaw/till/token"), as: UTF8.self)
        try check(till.output, token, "the output")
        // A reference of the sandbox is random, and some have as many decimal digits as a card.
        #expect(!till.output.replacing(/SANDBOX-[0-9a-f]{16}/, with: "").contains(/[0-9]{13,19}/))
        // The journal's card data is encrypted.
        for name in try Self.files(in: till.folder("state/jackdaw/till"))
        where !["token", "secret"].contains(name) {
            let bytes = try till.folder.read("state/jackdaw/till/\(name)")
            try check(String(decoding: bytes, as: UTF8.self), token, name)
            #expect(bytes.firstRange(of: [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]) == nil, "\(name)")
        }
    }

    /// The payment goes on to its end.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
    func outputThatCannotBeWrittenIsAnInputOutputError() throws {
        let till = try Till()
        #expect(try till.logIn() == .exit(0))
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        for arguments in [
            ["sell", "--item", "Tea:3.00", "--link", "sim:posmate", "--payment", "p-1", "--json"], ["status", "p-1"],
            ["terminals"], till.login + [till.folder("password")],
        ] {
            #expect(try till.end(arguments, output: .file(full)) == .exit(74), "\(arguments)")
        }
        let closed = Pipe()
        try closed.fileHandleForReading.close()
        #expect(try till.end(["status", "p-1"], output: .pipe(closed)) == .exit(74))
        #expect(try till.run(["status", "p-1", "--json"]).text.contains(#""state":"approved""#))
    }

    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    /// Looks for the number and the track of the card, the password, the secret and the token.
    private func check(_ text: String, _ token: String, _ place: String) throws {
        #expect(token.count == 64)
        for secret in [TillFixture.account, "4912201", TillFixture.password, TillFixture.secret, token] {
            #expect(!text.contains(secret), "\(place)")
        }
    }

    /// A terminal that never answers: the payment is cancelled before the host is asked.
    @Test func interruptionsCancelThePayment() async throws {
        let till = try Till()
        #expect(try till.logIn() == .exit(0))
        let terminal = try TestListener()
        let (process, output) = try till.start([
            "sell", "--item", "Tea:3.00", "--link", "tcp:127.0.0.1:\(terminal.port)", "--reader", "posmate",
            "--test-cards", "--payment", "p-1", "--json",
        ])
        try Self.wait(for: #""event":"step""#, in: output)
        process.send(SIGINT)
        #expect(try await process.end() == .exit(130))
        #expect(try till.run(["status", "p-1", "--json"]).text.contains(#""state":"cancelled""#))
    }

    private static func wait(for text: String, in output: Pipe) throws {
        var read = ""
        while !read.contains(text) {
            let part = try #require(try output.fileHandleForReading.read(upToCount: 1))
            try #require(!part.isEmpty, "\(read)")
            read += String(decoding: part, as: UTF8.self)
        }
    }

    /// The host has booked the payment, and is silent: the till is killed while it waits.
    @Test func aKilledSaleIsReversedByTheNextCommand() async throws {
        let till = try Till(faults: ["silent-after,route=POST payments.json,times=1"])
        #expect(try till.logIn() == .exit(0))
        let (process, output) = try till.start([
            "sell", "--item", "Tea:3.00", "--link", "sim:posmate", "--payment", "p-1", "--json",
        ])
        try Self.wait(for: "onlineProcessingData", in: output)
        // The request is in the books when the sandbox has reported it.
        try till.host.wait(for: "POST payments.json")
        process.send(SIGKILL)
        #expect(try await process.end() == .signal(SIGKILL))
        #expect(try till.run(["status", "p-1", "--json"]).text.contains(#""state":"asked""#))
        #expect(try till.run(["journal", "flush", "--wait", "600"]).ending == .exit(0))
        #expect(try till.run(["status", "p-1", "--json"]).text.contains(#""state":"reversed""#))
        let status = try await till.host.send("GET", "unique_ids/p-1.json", token: till.host.token())
        #expect(status.json["sandbox"]?["booked"]?.number == 0)
    }

    @Test func invalidCommandLinesAreErrorsOfUsage() throws {
        let till = try Till()
        let item = ["--item", "Tea:3.00"]
        for arguments in [
            ["sell"], ["sell", "--link", "sim:posmate"], ["sell", "--item", "Tea", "--link", "sim:posmate"],
            ["sell", "--link", "sim:none"] + item, ["sell", "--link", "tcp:127.0.0.1:1"] + item,
            ["sell", "--link", "tcp:127.0.0.1:1", "--reader", "none", "--test-cards"] + item,
            ["sell", "--link", "sim:posmate", "--reader", "posmate"] + item,
            ["sell", "--link", "tcp:127.0.0.1:1", "--reader", "unimag", "--test-cards"] + item,
            ["sell", "--link", "alsa:hw:1", "--reader", "posmate", "--test-cards"] + item,
            // Real cards may be at such a link.
            ["sell", "--link", "tcp:127.0.0.1:1", "--reader", "posmate"] + item,
            ["sell", "--link", "sim:posmate", "--profile", "a.json"] + item,
            ["sell", "--link", "sim:posmate", "--tip", "-1"] + item,
            ["sell", "--link", "sim:posmate", "--currency", "XXX"] + item,
            ["sell", "--link", "sim:posmate", "--payment", "a b"] + item,
            ["sell", "--link", "sim:posmate", "--wait", "-1"] + item,
            ["sell", "--link", "sim:posmate", "--log-level", "loud"] + item,
            ["reverse", "p-1", "--note", String(repeating: "a", count: 201)], ["reverse", "p-1", "--wait", "1"],
            ["receipt", "p-1", "--email", "customer@example.com", "--wait", "1"], ["refund", "p-1", "--wait", "-1"],
            ["status"], ["status", ""], ["journal", "none"], ["login", "--user", "till-1"],
            [
                "login", "--host", "http://example.com", "--user", "a", "--password-file", till.folder("password"),
                "--secret-file", till.folder("client"),
            ],
            ["login", "--host", "http://127.0.0.1", "--user", "a", "--password-file", "-", "--secret-file", "-"],
        ] {
            #expect(try till.run(arguments).ending == .exit(64), "\(arguments)")
        }
        // Another user can read the file of the password.
        try till.folder.write(Array("word".utf8), to: "open", mode: 0o644)
        #expect(try till.run(till.login + [till.folder("open")]).ending == .exit(66))
        #expect(try till.run(till.login + [till.folder("none")]).ending == .exit(66))
        #expect(try till.run(till.login + ["credential:password"]).ending == .exit(66))
        #expect(try till.run(till.login + [till.folder("client")]).ending == .exit(65))
    }
}
#endif
