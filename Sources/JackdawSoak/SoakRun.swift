package import JackdawPayments

/// A run of a simulated till from a seed. Equal seeds, days and options give equal histories, on every machine.
package struct SoakRun: Sendable {
    package let seed: UInt64
    /// The days on which sales take place, at least 1.
    package let days: Int
    package let options: SoakOptions

    /// A run that has not taken place.
    package init(seed: UInt64, days: Int, _ options: SoakOptions = SoakOptions()) {
        self.seed = seed
        self.days = max(days, 1)
        self.options = options
    }

    /// The arguments of the command that takes this run: `--seed 7 --days 1 --cash --sales 3 --faults 2,5`.
    package var arguments: [String] {
        func list(_ name: String, _ numbers: Set<Int>?) -> [String] {
            guard let numbers else { return [] }
            return [name, numbers.isEmpty ? "none" : numbers.sorted().map { "\($0)" }.joined(separator: ",")]
        }
        return ["--seed", "\(seed)", "--days", "\(days)"] + (options.paysCash ? ["--cash"] : [])
            + list("--sales", options.keptSales) + list("--faults", options.keptFaults)
    }

    /// The same run, whose result has the text of the history and recordings.
    package var withHistory: SoakRun {
        var options = options
        options.keepsHistory = true
        return SoakRun(seed: seed, days: days, options)
    }

    /// Takes the run to its end, or to the first violation.
    package func run() -> SoakResult {
        let plan = SoakPlan(seed: seed, days: days, options)
        let world = SoakWorld(plan, options)
        world.run()
        return SoakResult(world)
    }
}

/// The result of a run.
package struct SoakResult: Sendable {
    /// The first violation; nil without one.
    package let violation: SoakViolation?
    /// The history, with the hash of all its entries.
    package let history: SoakHistory
    /// The number of steps.
    package let steps: Int
    package let sales: Int
    /// The attempts by their states at the end.
    package let ends: [AttemptState: Int]
    /// The faults that happened, by their kinds.
    package let faults: [SoakFault.Kind: Int]
    /// The numbers of the sales that took place, and of the faults that happened.
    package let saleNumbers: Set<Int>
    package let faultNumbers: Set<Int>
    /// The recordings of the payments, or of those of the violation's sale; empty without the history.
    package let recordings: [SoakRecording]

    init(_ world: SoakWorld) {
        violation = world.checker.violation
        history = world.history
        steps = world.steps
        sales = world.nextSale
        ends = world.ends
        faults = world.struck
        saleNumbers = Set(world.plan.sales.prefix(world.nextSale).map(\.number))
        faultNumbers = world.struckNumbers
        recordings = world.keptRecordings
    }
}
