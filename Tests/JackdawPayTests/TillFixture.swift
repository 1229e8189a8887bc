#if Payments
import Accept
import Foundation
import JackdawCards
import JackdawConsole
import JackdawCryptography
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSimulator
import JackdawSystem
import JackdawTestSupport
import JackdawTransport

@testable import jackdaw_pay

/// The output of a till's commands.
final class TillOutput: Sendable {
    private let results = Shared<[UInt8]>([])
    private let messages = Shared<[UInt8]>([])

    func printer(isJSON: Bool = true) -> TillPrinter {
        let (results, messages) = (results, messages)
        return TillPrinter(
            Console(
                results: { bytes throws(SystemFailure) in results.with { $0 += bytes } },
                messages: { bytes throws(SystemFailure) in messages.with { $0 += bytes } }, isWatched: false),
            isJSON: isJSON)
    }

    /// All that was printed.
    var text: String { String(decoding: results.with { $0 } + messages.with { $0 }, as: UTF8.self) }

    /// The objects of an event, in their order.
    func events(_ name: String) -> [JSONValue] {
        let lines = String(decoding: results.with { $0 }, as: UTF8.self).split(separator: "\n")
        return lines.compactMap { try? JSONValue(Array($0.utf8), most: 1 << 16) }.filter { $0["event"]?.text == name }
    }
}

/// A till in a folder of its own, at a sandbox over HTTP in this process.
struct TillFixture: Sendable {
    let files: TemporaryFolder
    let folder: TillFolder
    let host: TillHost
    let server: RunningServer

    /// Published test data: the users of the sandbox that is ready.
    static let (password, secret) = ("till-1-password", "jackdaw-secret")
    /// The account of the card in the simulated readers.
    static let account = "4761739001010010"

    /// Runs a till at a sandbox whose issuer answers at once, on the day of the test.
    /// - Parameters:
    ///   - faults: the faults that the sandbox meets, as the command line has them.
    ///   - body: the commands.
    /// - Throws: the error of the body, or of the server.
    static func run(
        faults: [String] = [], _ body: @escaping @Sendable (TillFixture) async throws -> Void
    ) async throws {
        let issuer = try SimulatedIssuer(
            json: Array(SimulatedIssuer.readyText.replacing("\"delay\": 800", with: "\"delay\": 0").utf8),
            LibCryptoPrimitives(mode: .test))
        var machine = Sandbox(
            .ready, issuer: issuer, store: MemorySandboxStore(), hashing: PayFixture.hashing,
            random: SeededRandom(seed: 1), rules: SandboxRules())
        for fault in faults { machine.plan(try FaultArgument.read(fault)) }
        try await RunningServer.run(machine) { server in
            server.clock.advance(by: WallClock().now() - PayFixture.start)
            let files = try TemporaryFolder()
            try await body(
                TillFixture(
                    files: files, folder: TillFolder(files("till")),
                    host: TillHost(
                        address: "http://127.0.0.1:\(server.port)/v3", authority: nil, client: "jackdaw"),
                    server: server))
        }
    }

    /// Logs a user of the sandbox in, by default the first one.
    func logIn(
        _ output: TillOutput = TillOutput(), user: String = "till-1", password: String = password
    ) async throws(CommandError) -> ExitStatus {
        try await LoggingIn(folder: folder, host: host, printer: output.printer()).run(
            user, Self.text(password), Self.text(Self.secret))
    }

    static func text(_ text: String) -> SecretText { SecretText(copying: Array(text.utf8).span) }

    /// Sells one thing, or two cups of coffee.
    func sell(
        _ hundredths: AcceptHundredths? = nil, at name: String = "posmate", payment: String = "P1",
        to output: TillOutput = TillOutput(), wait: Duration = .seconds(60),
        retry: Duration = .milliseconds(1), terminal: TillTerminal? = nil,
        _ change: (inout Selling.Order) -> Void = { _ in }
    ) async throws -> ExitStatus {
        var order = Selling.Order()
        order.payment = AttemptIdentifier(rawValue: payment)
        if let hundredths {
            order.items = [AcceptBasketItem(grossPrice: hundredths)]
        } else {
            order.items = [AcceptBasketItem(grossPrice: 250, note: "Coffee", quantity: 2, taxRate: 1900)]
            order.tip = 100
        }
        change(&order)
        guard let kind = TillTerminal.Kind.named(name) else { throw CommandError(.usage, "no terminal \(name)") }
        let terminal = terminal ?? TillTerminal(simulated: kind, card: .builtIn(isSwiped: kind.onlySwipes))
        return try await use(output, retry: retry) { [order] till, printer throws(CommandError) in
            try await Selling(till: till, terminal: terminal, order: order, wait: wait, printer: printer).run()
        }
    }

    /// Opens the till for a command. The queue waits for `retry` after a failure.
    func use(
        _ output: TillOutput = TillOutput(), retry: Duration = .milliseconds(1),
        _ body: (OpenTill, TillPrinter) async throws(CommandError) -> ExitStatus
    ) async throws(CommandError) -> ExitStatus {
        var profile = AcceptWire.profile
        profile.waits = RetryWaits(first: retry, longest: retry)
        let (till, printer) = (try await OpenTill.open(folder, profile: profile), output.printer())
        return try await till.use { () async throws(CommandError) in try await body(till, printer) }
    }

    func status(_ payment: String, _ output: TillOutput = TillOutput()) async throws -> ExitStatus {
        guard let name = AttemptIdentifier(rawValue: payment) else { throw CommandError(.usage, "no identifier") }
        return try await JournalReading(folder: folder, printer: output.printer()).status(of: name)
    }

    /// The money that the sandbox has booked under an identifier, in hundredths.
    func booked(_ payment: String) async throws -> Double? {
        let status = try await server.send("GET", "unique_ids/\(payment).json", token: server.token("till-2"))
        return status.json["sandbox"]?["booked"]?.number
    }
}

/// The status of the error with which a command ends; nil if it ends without one.
func failure(_ body: () async throws -> ExitStatus) async -> ExitStatus? {
    do {
        _ = try await body()
        return nil
    } catch { return (error as? CommandError)?.status }
}
#endif
