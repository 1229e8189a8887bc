#if Payments
import Accept
import ArgumentParser
import JackdawConsole
import JackdawServices
import Logging

/// The options of all verbs of a till.
struct TillOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Directory of the till's login and journal; by default till in the state directory.", valueName: "dir"),
        completion: .directory)
    var till: String?

    @Flag(help: "Print one JSON object for each event.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also log to standard error: \(String.words(Logger.Level.allCases.map(\.rawValue), "or")).",
            valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)), transform: Self.readLevel)
    var logLevel: Logger.Level?

    private static func readLevel(_ argument: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: argument) else {
            throw ValidationError("\(argument) is no level of the log; see the help for all of them.")
        }
        return level
    }

    /// The log of a verb, in which nothing shows that is not marked as open.
    var logger: Logger {
        guard let logLevel else { return .silent }
        var logger = Logger(label: Program.name) { label in
            RedactingLogHandler(StreamLogHandler.standardError(label: label))
        }
        logger.logLevel = logLevel
        return logger
    }

    /// The folder of the till.
    /// - Throws: `CommandError` with status `usage`.
    func folder() throws(CommandError) -> TillFolder { try TillFolder(till) }

    /// The printer of a verb.
    var printer: TillPrinter { TillPrinter(.standard(name: Program.name), isJSON: json) }

    /// Runs a body with the till open.
    /// - Returns: the status of the body.
    /// - Throws: `CommandError` of the till, or the error of the body.
    func work(
        _ body: @escaping @Sendable (OpenTill, TillPrinter) async throws(CommandError) -> ExitStatus
    ) throws(CommandError) -> ExitStatus {
        let (folder, printer, logger) = (try folder(), printer, logger)
        return try TillWork.run(printer) { () async throws(CommandError) in
            let till = try await OpenTill.open(folder, logger: logger)
            return try await till.use { () async throws(CommandError) in try await body(till, printer) }
        }
    }
}

/// The longest wait for messages to the host.
struct WaitOption: ParsableArguments {
    @Option(help: ArgumentHelp("Wait so long for messages to the host, 0 to 3600 s.", valueName: "seconds"))
    var wait = 10

    var limit: Duration { .seconds(wait) }

    func validate() throws {
        guard (0...3600).contains(wait) else { throw ValidationError("--wait takes 0 to 3600.") }
    }
}

/// Amounts on the command line.
enum AmountArgument {
    /// - Throws: `ValidationError` that describes the form.
    static func read(_ argument: String) throws -> AcceptHundredths {
        guard let amount = AcceptHundredths(decimal: argument) else {
            throw ValidationError("\(argument): give an amount such as 2.50, with at most 2 decimals.")
        }
        return amount
    }
}
#endif
