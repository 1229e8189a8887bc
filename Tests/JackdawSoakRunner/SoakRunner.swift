import Foundation
import JackdawSimulator
import JackdawSoak
import JackdawSystem
import JackdawTransport

/// Runs simulated tills from seeds, until one breaks a rule: `jackdaw-pay soak` without the rest of that command, which
/// takes longer to build.
///
///     JackdawSoakRunner [--seed FIRST] [--count COUNT] [--days DAYS] [--cash] [--sales LIST] [--faults LIST]
///                       [--history] [--record DIR] [--quiet]
///
/// A list has the numbers of the sales or faults that take place, with commas between them, or is `none`. With --record the
/// payments of a broken rule are written to a directory, for `jackdaw emv replay`.
@main enum SoakRunner {
    private struct Arguments {
        var seed: UInt64 = 1
        var count: UInt64 = 1
        var days = 1
        var options = SoakOptions()
        var record: String?
        var isQuiet = false

        init(_ arguments: [String]) throws(Usage) {
            var rest = arguments[...]
            func number<Value: FixedWidthInteger>() throws(Usage) -> Value {
                guard let value = rest.popFirst().flatMap({ Value($0) }), value >= 0 else { throw Usage() }
                return value
            }
            func list() throws(Usage) -> Set<Int> {
                guard let list = rest.popFirst().flatMap({ SoakNumbers($0) }) else { throw Usage() }
                return list.numbers
            }
            while let option = rest.popFirst() {
                switch option {
                case "--seed": seed = try number()
                case "--count": count = try number()
                case "--days": days = try number()
                case "--sales": options.keptSales = try list()
                case "--faults": options.keptFaults = try list()
                case "--cash": options.paysCash = true
                case "--history": options.keepsHistory = true
                case "--record":
                    guard let directory = rest.popFirst() else { throw Usage() }
                    record = directory
                case "--quiet": isQuiet = true
                default: throw Usage()
                }
            }
        }
    }

    private struct Usage: Error {}

    static func main() {
        do throws(Usage) {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            do throws(LinkError) { exit(try run(arguments) ? 0 : 1) } catch {
                print(error.description)
                exit(74)
            }
        } catch {
            print(
                "usage: JackdawSoakRunner [--seed FIRST] [--count COUNT] [--days DAYS] [--cash] [--sales LIST]")
            print("                         [--faults LIST] [--history] [--record DIR] [--quiet]")
            exit(64)
        }
    }

    /// - Returns: whether no rule was broken.
    /// - Throws: `LinkError` if a recording cannot be written.
    private static func run(_ arguments: Arguments) throws(LinkError) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        let batch = SoakBatch(
            seed: arguments.seed, count: arguments.count, days: arguments.days, arguments.options)
        let directory = arguments.record.map { StateDirectory($0) }
        let summary = try batch.run(
            command: arguments.isQuiet ? nil : CommandLine.arguments[0], directory: arguments.record
        ) {
            print($0)
        } keep: { (name, content) throws(LinkError) in
            guard let directory else { return }
            try directory.locked { () throws(LinkError) in try directory.save(content, as: name) }
        }
        if !arguments.isQuiet { for line in summary.lines(after: clock.now - start) { print(line) } }
        return summary.violations == 0
    }
}
