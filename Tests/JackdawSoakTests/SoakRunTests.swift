import JackdawPayments
import JackdawSimulator
import Testing

@testable import JackdawSoak

/// Simulated days of a till. `make soak` runs many more.
@Suite struct SoakRunTests {
    private static func options(history: Bool = false) -> SoakOptions {
        var options = SoakOptions()
        options.sales = 5...12
        options.maxFaults = 40
        options.keepsHistory = history
        return options
    }

    @Test func simulatedDaysBreakNoRule() {
        var summary = SoakSummary()
        for seed in UInt64(1)...40 {
            let result = SoakRun(seed: seed, days: 1, Self.options()).run()
            #expect(result.violation == nil, "seed \(seed)")
            summary.add(result, days: 1)
        }
        // Nearly all ends and faults occur.
        #expect(summary.ends.keys.count >= 5)
        #expect(summary.ends[.approved] ?? 0 > summary.sales / 3)
        #expect(summary.faults.keys.count > SoakFault.Kind.allCases.count * 3 / 4)
    }

    @Test func daysWithCashBreakNoRule() throws {
        var options = Self.options(history: true)
        options.paysCash = true
        var calls = 0
        for seed in UInt64(1)...30 {
            let result = SoakRun(seed: seed, days: 1, options).run()
            #expect(result.violation == nil, "seed \(seed)")
            calls += result.history.entries.count { $0.text.contains(" cash ") }
        }
        #expect(calls > 20)
    }

    @Test func runsOfSeedsAddUp() {
        var lines: [String] = []
        var summary = SoakSummary()
        for seed in UInt64(3)...5 {
            let result = SoakRun(seed: seed, days: 1, Self.options(history: true)).run()
            lines += result.history.entries.map { "\($0)" }
            summary.add(result, days: 1)
        }
        var printed: [String] = []
        let batch = SoakBatch(seed: 3, count: 3, days: 1, Self.options(history: true))
        let sums = batch.run(command: nil) { printed.append($0) }
        #expect(printed == lines)
        #expect(sums.hash == summary.hash && sums.steps == summary.steps && sums.runs == 3)
        #expect(batch.run(command: nil, isInterrupted: { true }) { _ in }.runs == 0)
        #expect(SoakHistory.Entry(time: .milliseconds(61_007), text: "start").description == "      61.007  start")
    }

    @Test func simulatedDaysFollowOneAnother() {
        let result = SoakRun(seed: 3, days: 4, Self.options()).run()
        #expect(result.violation == nil)
        #expect(result.sales >= 20)
    }

    @Test(arguments: [UInt64(1), 7, 12])
    func theSameSeedIsTheSameHistory(seed: UInt64) {
        let (first, second) = (
            SoakRun(seed: seed, days: 1, Self.options(history: true)).run(),
            SoakRun(seed: seed, days: 1, Self.options(history: true)).run()
        )
        #expect(first.history.hash == second.history.hash)
        #expect(first.history.entries == second.history.entries)
        #expect(SoakRun(seed: seed, days: 1, Self.options()).run().history.hash == first.history.hash)
        #expect(SoakRun(seed: seed + 1, days: 1, Self.options()).run().history.hash != first.history.hash)
    }

    /// The answer to a payment is lost, and the till is suspended, with a clock that does not count the time.
    @Test func timeThatTheTillsClockDoesNotCountEndsNoRequest() throws {
        var options = SoakOptions()
        options.keepsHistory = true
        let plans = (UInt64(1)...20).map { SoakPlan(seed: $0, days: 1, options) }
        let whole = try #require(plans.first { $0.sales.contains { $0.way == .swipe } })
        let sale = try #require(whole.sales.first { $0.way == .swipe })
        (options.keptSales, options.keptFaults) = ([sale.number], [])
        let plan = SoakPlan(seed: whole.seed, days: 1, options)
        let world = SoakWorld(plan, options)
        // The answer to the login passes.
        world.armed = [(0, SoakFault(kind: .loseAnswer, time: sale.time, point: .now, skips: 1, size: 0))]
        world.begin()
        var now = sale.time
        while world.struck[.loseAnswer] == nil, now < sale.time + .seconds(60) {
            now += .milliseconds(50)
            world.run(until: now)
        }
        world.meet((1, SoakFault(kind: .suspend, time: now, point: .now, skips: 0, size: 100)))
        world.run(until: now + .seconds(3_600))
        let asked = try #require(world.history.entries.first { $0.text.hasPrefix("ask ") })
        let failed = try #require(world.history.entries.first { $0.text.hasPrefix("failure ") })
        #expect(failed.text.hasSuffix(" noAnswer"))
        #expect(failed.time - asked.time == plan.clientLimit + .seconds(301))
    }

    @Test func faultsThatFindNoOccasionChangeNothing() {
        for seed in UInt64(1)...5 {
            let whole = SoakRun(seed: seed, days: 1, Self.options()).run()
            var options = Self.options()
            (options.keptSales, options.keptFaults) = (whole.saleNumbers, whole.faultNumbers)
            let part = SoakRun(seed: seed, days: 1, options).run()
            #expect(part.faults == whole.faults, "seed \(seed)")
            #expect(part.sales == whole.sales)
        }
    }

    @Test func recordingsOfPaymentsAreReplayed() throws {
        var count = 0
        for seed in UInt64(1)...4 {
            for recording in SoakRun(seed: seed, days: 1, Self.options(history: true)).run().recordings {
                count += 1
                let read = try PaymentRecording(recording.recording.octets)
                #expect(read == recording.recording)
                #expect(PaymentReplay(read).difference == nil, "\(recording.attempt)")
            }
        }
        #expect(count > 30)
    }
}
