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
    /// - Throws: ``CommandError``.
    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus
}

extension Verb {
    /// Runs the verb on a console and prints any error as one line.
    func status(on console: Console, in environment: CommandEnvironment = CommandEnvironment()) -> ExitStatus {
        var status: ExitStatus
        do throws(CommandError) {
            status = try run(on: console, in: environment)
        } catch {
            status = error.status
            if status != .interrupted { console.message(error.message) }
        }
        console.flush()
        console.clearStatus()
        // Work that was cancelled because the output failed also ends as `.interrupted`; the user did not interrupt it.
        if console.reportFailure(), status != .interrupted || !Interruption.isRequested { status = .inputOutput }
        return status
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
