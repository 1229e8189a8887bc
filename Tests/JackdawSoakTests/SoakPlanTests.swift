import Accept
import JackdawSoak
import Testing

@Suite struct SoakPlanTests {
    @Test func fewerDaysAreTheBeginningOfMore() {
        let (short, long) = (SoakPlan(seed: 5, days: 2, SoakOptions()), SoakPlan(seed: 5, days: 5, SoakOptions()))
        #expect(short.sales == Array(long.sales.prefix(short.sales.count)))
        #expect(short.reversals == long.reversals && short.clientLimit == long.clientLimit)
        let ends = Duration.seconds(2 * 86_400)
        #expect(short.faults.map(\.number) == long.faults.filter { $0.fault.time < ends }.map(\.number))
    }

    @Test func salesAndFaultsStayWithoutOthers() throws {
        let whole = SoakPlan(seed: 9, days: 1, SoakOptions())
        var options = SoakOptions()
        let sale = try #require(whole.sales.last)
        (options.keptSales, options.keptFaults) = ([sale.number], [])
        let part = SoakPlan(seed: 9, days: 1, options)
        #expect(part.sales == [sale])
        #expect(part.faults.isEmpty)
    }

    @Test func withCashTheOtherSalesStay() {
        var options = SoakOptions()
        let cards = SoakPlan(seed: 9, days: 3, options)
        options.paysCash = true
        let cash = SoakPlan(seed: 9, days: 3, options)
        let changed = zip(cards.sales, cash.sales).filter { $0 != $1 }.map(\.1)
        #expect(!changed.isEmpty && changed.count < cash.sales.count / 3)
        #expect(changed.allSatisfy { $0.way == .cash && !$0.isAuthorisation })
        #expect(!cards.sales.contains { $0.way == .cash } && cards.sales.count == cash.sales.count)
        #expect(cards.faults.map(\.number) == cash.faults.map(\.number))
    }

    @Test func listsOfNumbersAreRead() {
        #expect(SoakNumbers("2,5,2")?.numbers == [2, 5])
        #expect(SoakNumbers("none")?.numbers == [])
        for text in ["", "2,", "-1", "a", "2 5", "99999999999999999999"] {
            #expect(SoakNumbers(text) == nil, "\(text)")
        }
    }

    @Test func argumentsNameTheRun() {
        var options = SoakOptions()
        #expect(SoakRun(seed: 7, days: 30, options).arguments == ["--seed", "7", "--days", "30"])
        (options.keptSales, options.keptFaults, options.paysCash) = ([3, 1], [], true)
        #expect(
            SoakRun(seed: 7, days: 1, options).arguments
                == ["--seed", "7", "--days", "1", "--cash", "--sales", "1,3", "--faults", "none"])
    }
}
