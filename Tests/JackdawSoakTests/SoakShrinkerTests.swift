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

    @Test func aRunWithoutViolationIsNotShrunk() {
        var options = SoakOptions()
        (options.sales, options.maxFaults) = (1...2, 1)
        let run = SoakRun(seed: 1, days: 1, options)
        #expect(SoakShrinker(run, run.run()) == nil)
    }
}
