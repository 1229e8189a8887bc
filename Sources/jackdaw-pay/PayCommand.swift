#if Payments
import ArgumentParser
import Glibc
import JackdawConsole

@main
struct PayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.name,
        abstract: "Payments: a till, a host for tests, and a till simulated by seed.",
        discussion: """
            EXIT CODES
              1   declined; a rule of the simulated till is broken
              64  usage
              65  invalid data
              66  input missing or not readable
              69  host or terminal not reached; address, books or journal in use
              74  I/O error; standard output is full or closed
              75  the outcome of a payment is not known yet
              129 hung up (SIGHUP)
              130 interrupted (SIGINT, Ctrl-C)
              143 terminated (SIGTERM)

            EXAMPLES
              jackdaw-pay sandbox --json
              jackdaw-pay sell --item "Coffee:2.50:2:19%" --tip 1.00 --link sim:posmate
              jackdaw-pay soak --seed 7 --days 30
            """,
        subcommands: [
            LoginVerb.self, TerminalsVerb.self, SellVerb.self, RefundVerb.self, ReverseVerb.self, CaptureVerb.self,
            ReceiptVerb.self, StatusVerb.self, JournalVerb.self, SandboxVerb.self, SoakVerb.self,
        ])

    static func main() {
        CoreFile.forbid()
        StandardDescriptors.fill()
        do {
            var command = try parseAsRoot(Operands.ofProcess)
            try command.run()
        } catch {
            let code = exitCode(for: error)
            let text = fullMessage(for: error)
            let console = Console.standard(name: Program.name)
            console.conclude(code.isSuccess ? text : text.hidingKeysAndNumbers, isResult: code.isSuccess)
            Glibc.exit(console.reportFailure() ? ExitStatus.inputOutput.rawValue : code.rawValue)
        }
    }
}
#else
import Glibc
import JackdawConsole

/// The program of a build without the `Payments` trait.
@main
enum PayCommand {
    static func main() {
        Console.standard(name: "jackdaw-pay").message("built without payments; enable the package trait Payments")
        exit(ExitStatus.unavailable.rawValue)
    }
}
#endif
