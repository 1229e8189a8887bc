#if Command
import ArgumentParser

/// A verb of the command: does its work on a console, so that tests can run it within their own process.
protocol Verb: ParsableCommand {
    /// Does the work.
    /// - Returns: how it ended, where that is not an error.
    /// - Throws: ``CommandError``.
    func run(on console: Console) throws(CommandError) -> ExitStatus
}

extension Verb {
    /// Does the work on a console and says in one line what went wrong.
    func status(on console: Console) -> ExitStatus {
        var status: ExitStatus
        do throws(CommandError) {
            status = try run(on: console)
        } catch {
            status = error.status
            if status != .interrupted { console.message(error.message) }
        }
        console.flush()
        console.clearStatus()
        // That its work was given up for it is no interruption.
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
