/// Makes a history that breaks a rule shorter: it leaves out sales and faults, as long as the same rule is broken.
package struct SoakShrinker: Sendable {
    /// The shortest run so far that breaks the rule.
    package private(set) var run: SoakRun
    /// The number of runs that were tried.
    package private(set) var tries = 0

    private let rule: SoakViolation.Rule
    private let maxTries: Int

    /// - Parameters:
    ///   - run: the run.
    ///   - result: its result, which has a violation.
    ///   - maxTries: the most runs. Default: 1,000.
    package init?(_ run: SoakRun, _ result: SoakResult, maxTries: Int = 1000) {
        guard let violation = result.violation else { return nil }
        rule = violation.rule
        self.maxTries = maxTries
        self.run = run
        shrink(result)
    }

    private mutating func shrink(_ result: SoakResult) {
        // Sales and faults after the violation do not count.
        _ = attempt(sales: result.saleNumbers, faults: result.faultNumbers)
        guard run.options.keptSales != nil else { return }
        var before = -1
        while before != size {
            before = size
            remove(\.keptFaults)
            remove(\.keptSales)
        }
    }

    private var size: Int { (run.options.keptSales?.count ?? 0) + (run.options.keptFaults?.count ?? 0) }

    /// Leaves out parts of a list, large ones first.
    private mutating func remove(_ list: WritableKeyPath<SoakOptions, Set<Int>?>) {
        var width = (run.options[keyPath: list] ?? []).count
        while width > 0 {
            var start = 0
            while let numbers = run.options[keyPath: list]?.sorted(), start < numbers.count, tries < maxTries {
                var options = run.options
                options[keyPath: list] = Set(numbers[..<start] + numbers[min(start + width, numbers.count)...])
                if !attempt(sales: options.keptSales ?? [], faults: options.keptFaults ?? []) { start += width }
            }
            width /= 2
        }
    }

    /// Tries a run with some sales and faults, on as few days as they need.
    /// - Returns: whether it breaks the rule, and so is the shortest one now.
    private mutating func attempt(sales: Set<Int>, faults: Set<Int>) -> Bool {
        guard tries < maxTries else { return false }
        tries += 1
        var options = run.options
        (options.keptSales, options.keptFaults) = (sales, faults)
        let last = SoakPlan(seed: run.seed, days: run.days, options).sales.last?.time ?? .zero
        let days = min(run.days, Int(last.components.seconds / 86_400) + 1)
        let shorter = SoakRun(seed: run.seed, days: days, options)
        guard shorter.run().violation?.rule == rule else { return false }
        run = shorter
        return true
    }
}
