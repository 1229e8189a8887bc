#if Payments
import ArgumentParser
import JackdawConsole
import JackdawSoak
import JackdawSystem
import JackdawTransport

/// Simulates tills from seeds.
struct SoakVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Simulate a till for days in virtual time, with everything that can go wrong.",
        discussion: """
            A seed decides everything: sales, cards, faults of network, host, disk, reader and till. After each step \
            it is checked that no payment is lost, doubled or left in doubt. The same seed gives the same history \
            with the same version on every machine; docs/soak.md has faults and rules. Ends with 1 if a rule is \
            broken, after the command of a shorter history with the same violation.

            EXAMPLES
              jackdaw-pay soak --seed 7 --days 30
              jackdaw-pay soak --seed 1 --count 200
              jackdaw-pay soak --seed 7 --sales 3 --faults 2,5 --history
            """)

    @Option(help: ArgumentHelp("Seed of the first run.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Number of runs, each with the next seed.", valueName: "n"))
    var count: UInt64 = 1

    @Option(help: ArgumentHelp("Days of each run, 1 to 3650.", valueName: "n"))
    var days = 1

    @Option(
        help: ArgumentHelp("Sales that take place, by number: 3,7 or none. Default: all.", valueName: "list"),
        transform: read)
    var sales: SoakNumbers?

    @Option(
        help: ArgumentHelp("Faults that happen, by number: 2,5 or none. Default: all.", valueName: "list"),
        transform: read)
    var faults: SoakNumbers?

    @Flag(help: "Some sales are paid in cash; the others and the faults of a seed stay as they are.")
    var cash = false

    @Flag(help: "Print each event of the runs.")
    var history = false

    @Option(
        help: ArgumentHelp(
            "Write the payments of a broken rule to this directory, for 'jackdaw emv replay'.", valueName: "dir"))
    var record: String?

    private static func read(_ argument: String) throws -> SoakNumbers {
        guard let numbers = SoakNumbers(argument) else {
            throw ValidationError("Give numbers with commas between them, or none.")
        }
        return numbers
    }

    func validate() throws {
        guard (1...3650).contains(days) else { throw ValidationError("--days takes 1 to 3650.") }
        guard count > 0 else { throw ValidationError("--count takes 1 or more.") }
    }

    func work() throws(CommandError) -> ExitStatus {
        let console = Console.standard(name: Program.name)
        return console.status { () throws(CommandError) in try simulate(console) }
    }

    private func simulate(_ console: Console) throws(CommandError) -> ExitStatus {
        var options = SoakOptions()
        options.keptSales = sales?.numbers
        options.keptFaults = faults?.numbers
        options.keepsHistory = history
        options.paysCash = cash
        let directory = record.map { StateDirectory($0) }
        let clock = ContinuousClock()
        let start = clock.now
        let summary = try SoakBatch(seed: seed, count: count, days: days, options).run(
            command: "\(Program.name) soak", directory: record, isInterrupted: { Interruption.isRequested }
        ) { line in
            console.result(line)
            console.flush()
        } keep: { (name, content) throws(CommandError) in
            guard let directory else { return }
            do throws(LinkError) {
                try directory.locked { () throws(LinkError) in try directory.save(content, as: name) }
            } catch {
                throw CommandError(.inputOutput, error.description)
            }
        }
        for line in summary.lines(after: clock.now - start) { console.result(line) }
        if Interruption.isRequested { return .interrupted }
        return summary.violations == 0 ? .done : .nothingFound
    }
}
#endif
