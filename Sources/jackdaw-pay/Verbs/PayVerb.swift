#if Payments
import ArgumentParser
import JackdawConsole

/// The name of the program in messages.
enum Program {
    static let name = "jackdaw-pay"
}

/// A verb of the command.
protocol PayVerb: ParsableCommand {
    /// Does the work of the verb.
    /// - Returns: the exit status of work that ended without an error.
    /// - Throws: `CommandError`.
    func work() throws(CommandError) -> ExitStatus
}

extension PayVerb {
    func run() throws {
        Interruption.install()
        let status = Console.standard(name: Program.name).status { () throws(CommandError) in try work() }
        guard status != .interrupted else { throw ExitCode(Interruption.exitCode) }
        guard status != .done else { return }
        throw ExitCode(status.rawValue)
    }
}
#endif
