#if Command
import ArgumentParser

/// A verb of the command: does its work on a console and in an environment, so that tests can run it within their own
/// process.
protocol Verb: ParsableCommand {
    /// Runs the verb.
    /// - Parameters:
    ///   - console: standard output and standard error.
    ///   - environment: clocks, devices, links, key files and the user's interrupt. Sound files, profiles and
    ///     standard input are read directly.
    /// - Returns: the exit status of a run that ended without an error.
    /// - Throws: `CommandError`.
    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus
}

extension Verb {
    /// Runs the verb on a console and prints any error as one line.
    func status(on console: Console, in environment: CommandEnvironment = CommandEnvironment()) -> ExitStatus {
        console.status { () throws(CommandError) in try run(on: console, in: environment) }
    }

    func run() throws {
        Interruption.install()
        let status = status(on: .standard())
        guard status != .interrupted else { throw ExitCode(Interruption.exitCode) }
        guard status != .done else { return }
        throw ExitCode(status.rawValue)
    }
}
#endif
