import Glibc

#if Payments
import JackdawReaders
#endif

/// A small till for `.ci/kills`, which kills it: docs/kills.md.
///
///     JackdawKillsTill --list
///     JackdawKillsTill --scenario NAME --journal DIR --host URL [--ca FILE] [--folder DIR] [--tag TAG]
///                      [--counter NUMBER] [--callback URL] [--recover] [--patient] [--times]
///
/// With --recover it goes on after a kill: it delivers the queue, and has each sale paid that is not. The status is 0 if all
/// is delivered, 2 if the desk did other than expected, 3 if an attempt is in doubt, and 4 if the till cannot work.
@main enum KillsTill {
    static func main() async {
        #if Payments
        guard let options = options() else {
            print(
                "usage: JackdawKillsTill --list | --scenario NAME --journal DIR --host URL [--ca FILE] [--folder DIR]")
            print("                        [--tag TAG] [--counter NUMBER] [--callback URL]")
            print("                        [--recover] [--patient] [--times]")
            exit(64)
        }
        guard let scenario = Scenario.all.first(where: { $0.name == options.scenario }) else {
            for scenario in Scenario.all {
                Till.show(
                    "scenario",
                    ["name": .text(scenario.name), "ends": .array(scenario.ends.map { .text($0) })])
            }
            return
        }
        do {
            try await Till(scenario, options).run()
        } catch {
            Till.show("error", ["reason": .text("\(error)")])
            exit((error as? TillError)?.status.rawValue ?? TillError.Status.unusable.rawValue)
        }
        #else
        print("JackdawKillsTill needs the trait Payments")
        #endif
    }

    #if Payments
    /// - Returns: nil if an argument is wrong; options without a scenario for `--list`.
    private static func options() -> Till.Options? {
        var options = Till.Options()
        var rest = CommandLine.arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--list": return Till.Options()
            case "--recover":
                options.isRecovery = true
                continue
            case "--patient":
                options.isPatient = true
                continue
            case "--times":
                options.showsTimes = true
                continue
            default: break
            }
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--scenario": options.scenario = value
            case "--journal": options.journal = value
            case "--host": options.host = value
            case "--ca": options.authority = value
            case "--folder": options.folder = value
            case "--tag": options.tag = value
            case "--counter":
                guard let number = Int(value), (0..<65_000).contains(number) else { return nil }
                options.counter = number
            case "--callback": options.callback = value
            default: return nil
            }
        }
        return Scenario.all.contains { $0.name == options.scenario } ? options : nil
    }
    #endif
}
