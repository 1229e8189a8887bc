import JackdawSimulator
import JackdawSoak
import Testing

@Suite struct SoakShrinkerTests {
    /// A run that ends while an attempt is under way breaks the rule that nothing stays in doubt.
    private static func cutRun(_ seed: UInt64) -> SoakRun {
        var options = SoakOptions()
        options.sales = 20...30
        // Three seconds after the begin of a sale its attempt is under way.
        let sales = SoakPlan(seed: seed, days: 1, options).sales
        options.limit = sales[sales.count / 2].time + .seconds(3)
        return SoakRun(seed: seed, days: 1, options)
    }

    @Test func aHistoryIsMadeShorter() throws {
        var count = 0
        for seed in UInt64(1)...6 {
            let run = Self.cutRun(seed)
            let result = run.run()
            guard let violation = result.violation else { continue }
            count += 1
            let shrinker = try #require(SoakShrinker(run, result, maxTries: 200))
            let short = shrinker.run.run()
            #expect(short.violation?.rule == violation.rule)
            #expect(short.saleNumbers.count <= 2)
            #expect((shrinker.run.options.keptFaults ?? []).count <= result.faultNumbers.count)
        }
        #expect(count > 0)
    }

    @Test func thePrintedCommandRecordsAHistoryThatCanBeReplayed() throws {
        let seed = try #require((UInt64(1)...6).first { Self.cutRun($0).run().violation != nil })
        var options = Self.cutRun(seed).options
        var lines: [String] = []
        _ = SoakBatch(seed: seed, count: 1, days: 1, options).run(command: "soak") { lines.append($0) }
        let command = try #require(lines.last?.split(separator: " "))
        func value(_ name: String) throws -> String {
            let place = try #require(command.firstIndex { $0 == name })
            return String(command[place + 1])
        }
        options.keptSales = SoakNumbers(try value("--sales"))?.numbers
        options.keptFaults = SoakNumbers(try value("--faults"))?.numbers
        let directory = try value("--record")
        #expect(command.contains("--history"))
        lines = []
        var files: [String: [UInt8]] = [:]
        _ = SoakBatch(seed: seed, count: 1, days: 1, options).run(command: "soak", directory: directory) {
            lines.append($0)
        } keep: { (name, content) throws(Never) in
            files[name] = content
        }
        #expect(!files.isEmpty)
        #expect(
            lines.suffix(files.count).sorted() == files.keys.map { "jackdaw emv replay \(directory)/\($0)" }.sorted())
        for content in files.values { #expect(PaymentReplay(try PaymentRecording(content)).difference == nil) }
    }

    @Test func aRunWithoutViolationIsNotShrunk() {
        var options = SoakOptions()
        (options.sales, options.maxFaults) = (1...2, 1)
        let run = SoakRun(seed: 1, days: 1, options)
        #expect(SoakShrinker(run, run.run()) == nil)
    }
}
