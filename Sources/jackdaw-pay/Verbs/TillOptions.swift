#if Payments
import Accept
import ArgumentParser
import JackdawConsole

/// The options of all verbs of a till.
struct TillOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Directory of the till's login and journal; by default till in the state directory.", valueName: "dir"),
        completion: .directory)
    var till: String?

    @Flag(help: "Print one JSON object for each event.")
    var json = false

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
        let (folder, printer) = (try folder(), printer)
        return try TillWork.run { () async throws(CommandError) in
            let till = try await OpenTill.open(folder)
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
