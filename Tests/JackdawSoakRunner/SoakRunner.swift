import Foundation
import JackdawSimulator
import JackdawSoak

/// Runs simulated tills from seeds, until one breaks a rule.
///
///     JackdawSoakRunner [--seed FIRST] [--count COUNT] [--days DAYS] [--sales LIST] [--faults LIST]
///                       [--history] [--record FOLDER] [--quiet]
///
/// A list has the numbers of the sales or faults that take place, with commas between them, or is `none`. With --history the
/// events of a run are printed, and with --record the payments of a sale that breaks a rule are written as recordings.
@main enum SoakRunner {
    private struct Arguments {
        var seed: UInt64 = 1
        var count: UInt64 = 1
        var days = 1
        var options = SoakOptions()
        var folder: String?
        var isQuiet = false

        init(_ arguments: [String]) throws(Usage) {
            var rest = arguments[...]
            func number<Value: FixedWidthInteger>() throws(Usage) -> Value {
                guard let value = rest.popFirst().flatMap({ Value($0) }), value >= 0 else { throw Usage() }
                return value
            }
            func list() throws(Usage) -> Set<Int> {
                guard let text = rest.popFirst() else { throw Usage() }
                guard text != "none" else { return [] }
                let numbers = text.split(separator: ",").map { Int($0) }
                guard !numbers.contains(nil) else { throw Usage() }
                return Set(numbers.compactMap(\.self))
            }
            while let option = rest.popFirst() {
                switch option {
                case "--seed": seed = try number()
                case "--count": count = try number()
                case "--days": days = try number()
                case "--sales": options.keptSales = try list()
                case "--faults": options.keptFaults = try list()
                case "--history": options.keepsHistory = true
                case "--record": folder = rest.popFirst()
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
            exit(run(arguments) ? 0 : 1)
        } catch {
            print(
                "usage: JackdawSoakRunner [--seed FIRST] [--count COUNT] [--days DAYS] [--sales LIST] [--faults LIST]")
            print("                         [--history] [--record FOLDER] [--quiet]")
            exit(64)
        }
    }

    /// - Returns: whether no rule was broken.
    private static func run(_ arguments: Arguments) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var summary = SoakSummary()
        for seed in arguments.seed..<(arguments.seed + arguments.count) {
            let run = SoakRun(seed: seed, days: arguments.days, arguments.options)
            let result = run.run()
            summary.add(result, days: arguments.days)
            if arguments.options.keepsHistory { show(result) }
            guard result.violation == nil else {
                report(run, result, arguments)
                break
            }
        }
        guard !arguments.isQuiet else { return summary.violations == 0 }
        for line in summary.lines { print(line) }
        let seconds = (clock.now - start) / .seconds(1)
        print(String(format: "%.1f s, %.1f days a second", seconds, Double(summary.days) / max(seconds, 0.001)))
        return summary.violations == 0
    }

    private static func show(_ result: SoakResult) {
        for entry in result.history.entries {
            print(String(format: "%12.3f  %@", entry.time / .seconds(1), entry.text))
        }
    }

    /// Reports a violation, and the command that shows a shorter history with it.
    private static func report(_ run: SoakRun, _ result: SoakResult, _ arguments: Arguments) {
        guard let violation = result.violation else { return }
        print("seed \(run.seed): \(violation)")
        guard !arguments.isQuiet else { return }
        var shorter = run
        if arguments.options.keptSales == nil, let shrinker = SoakShrinker(run, result) {
            shorter = shrinker.run
            let command = ([CommandLine.arguments[0]] + shorter.arguments).joined(separator: " ")
            print("shorter after \(shrinker.tries) runs: \(command) --history")
        }
        guard let folder = arguments.folder else { return }
        for recording in shorter.withHistory.run().recordings {
            let path = "\(folder)/soak-\(shorter.seed)-\(recording.attempt).jsonl"
            let isWritten = FileManager.default.createFile(
                atPath: path, contents: Data(recording.recording.octets), attributes: [.posixPermissions: 0o600])
            print(isWritten ? "jackdaw emv replay \(path)" : "\(path) cannot be written")
        }
    }
}
