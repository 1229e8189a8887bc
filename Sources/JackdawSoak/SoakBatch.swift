import JackdawSimulator

/// Simulated tills from one seed after the other, until one breaks a rule.
package struct SoakBatch: Sendable {
    /// The seed of the first run.
    package let seed: UInt64
    /// The number of runs, at least 1.
    package let count: UInt64
    /// The days of each run, at least 1.
    package let days: Int
    package let options: SoakOptions

    /// Runs that have not taken place.
    package init(seed: UInt64, count: UInt64, days: Int, _ options: SoakOptions = SoakOptions()) {
        self.seed = seed
        self.count = max(count, 1)
        self.days = max(days, 1)
        self.options = options
    }

    /// Takes the runs.
    /// - Parameters:
    ///   - command: the command that takes a run whose arguments follow (``SoakRun/arguments``); nil for a report without
    ///     a shorter history, which takes less time.
    ///   - directory: the directory of the recordings, as the command names it; nil for none. Default: none.
    ///   - isInterrupted: whether no further run is wanted. Default: never.
    ///   - print: receives the lines of the report.
    ///   - keep: receives the recordings of the payments of a broken rule, if they have a directory: a file's name and
    ///     its content.
    /// - Returns: the sums of all runs.
    /// - Throws: the error of `keep`.
    package func run<Failure: Error>(
        command: String?, directory: String? = nil, isInterrupted: () -> Bool = { false }, print: (String) -> Void,
        keep: (_ name: String, _ content: [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> SoakSummary {
        var summary = SoakSummary()
        var next = seed
        for _ in 0..<count where !isInterrupted() {
            let run = SoakRun(seed: next, days: days, options)
            let result = run.run()
            summary.add(result, days: days)
            if options.keepsHistory { for entry in result.history.entries { print("\(entry)") } }
            if let violation = result.violation {
                print("seed \(next): \(violation)")
                guard let command else { break }
                let shorter = shortened(run, result, command, directory ?? "soak-\(next)", print)
                guard let directory else { break }
                for recording in shorter.withHistory.run().recordings {
                    let name = "soak-\(next)-\(recording.attempt).jsonl"
                    try keep(name, recording.recording.octets)
                    print("jackdaw emv replay \(directory)/\(name)")
                }
                break
            }
            next &+= 1
        }
        return summary
    }

    /// Takes the runs without recordings.
    package func run(
        command: String?, isInterrupted: () -> Bool = { false }, print: (String) -> Void
    ) -> SoakSummary {
        run(command: command, isInterrupted: isInterrupted, print: print) { _, _ in }
    }

    /// A shorter run that breaks the same rule, if some sales and faults were not chosen already. Prints the command that
    /// shows its history and records its payments.
    private func shortened(
        _ run: SoakRun, _ result: SoakResult, _ command: String, _ directory: String, _ print: (String) -> Void
    ) -> SoakRun {
        guard options.keptSales == nil, let shrinker = SoakShrinker(run, result) else { return run }
        let arguments = shrinker.run.arguments.joined(separator: " ")
        print("shorter after \(shrinker.tries) runs: \(command) \(arguments) --history --record \(directory)")
        return shrinker.run
    }
}

/// The numbers of a list: `2,5`, or `none`.
package struct SoakNumbers: Sendable, Hashable {
    package let numbers: Set<Int>

    /// - Returns: nil for another text.
    package init?(_ text: String) {
        guard text != "none" else {
            numbers = []
            return
        }
        let read = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard !read.contains(where: { $0.map { $0 < 0 } ?? true }) else { return nil }
        numbers = Set(read.compactMap(\.self))
    }
}
