import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

/// Search and sums. Names of the query are those of the Android archive, keys of periods those of the iOS SDK's headers
/// (release 1.6.219); the payments are examples of this project.
@Suite struct SandboxSearchTests {
    /// Payments of 28 January, 29 January, 1 April 2016 and 2 January 2017, and one of another merchant.
    private func fixture() throws -> SandboxFixture {
        var fixture = try SandboxFixture.loggedIn()
        fixture.pay("a", 1000)
        fixture.now += .seconds(86_400)
        fixture.logIn()
        fixture.pay("b", 3000, counter: 2)
        fixture.pay("c", 5105, counter: 3)
        fixture.now += .seconds(63 * 86_400)
        fixture.logIn()
        fixture.pay("d", 2000, counter: 4)
        fixture.act("reverse", "d")
        fixture.logIn("other")
        fixture.pay("e", 7000, counter: 5)
        fixture.now += .seconds(276 * 86_400)
        fixture.logIn()
        fixture.pay("f", 1000, counter: 6)
        return fixture
    }

    private func found(_ query: [(String, String)], _ fixture: inout SandboxFixture) -> String {
        let reply = fixture.send(.get, "payments/search.json", query: query)
        guard case .array(let payments)? = reply.json["payments"] else { return "\(reply.status)" }
        return payments.compactMap { $0["unique_id"]?.text }.joined()
    }

    @Test(
        arguments: [
            ([], "fdcba"), ([("order", "asc")], "abcdf"), ([("order_by", "amount"), ("order", "asc")], "afdbc"),
            ([("order_by", "id")], "fdcba"), ([("per_page", "2")], "fd"), ([("per_page", "2"), ("page", "3")], "a"),
            ([("page", "4"), ("per_page", "2")], ""), ([("state", "approved")], "fba"), ([("state", "rejected")], "c"),
            ([("state", "reversed")], "d"), ([("state", "all")], "fdcba"), ([("since_id", "3")], "fd"),
            ([("since_timestamp", "1454078827")], "fdcb"), ([("until_timestamp", "1454078827")], "cba"),
            ([("query", "\"2016/01/28\"")], "a"), ([("query", "2016/")], "dcba"), ([("query", "2017/")], "f"),
            ([("query", "1000")], "fa"), ([("query", "b")], "b"), ([("query", "2014/")], ""),
            ([("page", "0")], "422"), ([("per_page", "101")], "422"), ([("page", "x")], "422"),
            ([("order", "up")], "422"), ([("order_by", "card")], "422"), ([("since_id", "-1")], "422"),
            ([("since_timestamp", "99999999999999999")], "422"),
        ] as [([(String, String)], String)])
    func aSearchFindsThePaymentsOfTheMerchant(_ query: [(String, String)], _ wanted: String) throws {
        var fixture = try fixture()
        #expect(found(query, &fixture) == wanted)
    }

    private func totals(_ query: [(String, String)], _ fixture: inout SandboxFixture) -> SandboxFixture.Reply {
        let dates = [("start_date", "2016-01-01"), ("end_date", "2017-12-31")]
        return fixture.send(.get, "payments/total_sums.json", query: dates + query)
    }

    @Test func sumsAreByPeriod() throws {
        var fixture = try fixture()
        func keys(_ group: String) -> [String] {
            guard case .object(let totals)? = totals([("group", group)], &fixture).json["totals"] else { return [] }
            return totals.keys.sorted()
        }
        #expect(keys("day") == ["2016/01/28", "2016/01/29", "2016/04/01", "2017/01/02"])
        #expect(keys("month") == ["2016/01", "2016/04", "2017/01"])
        #expect(keys("quarter") == ["2016/Q1", "2016/Q2", "2017/Q1"])
        #expect(keys("year") == ["2016", "2017"])
        #expect(totals([("group", "week")], &fixture).status == 422)
        let json = totals([("group", "year")], &fixture).json
        #expect(json["currency"] == .text("EUR"))
        #expect(json["totals"]?["2016"] == .object(["turnover": .number(4000)]))
    }

    @Test func sumsHaveTheValuesThatAreAskedFor() throws {
        var fixture = try fixture()
        let query = [("group", "year"), ("only", "turnover,statuses,average,min,max"), ("subgroup", "status")]
        let sums = totals(query, &fixture).json["totals"]?["2016"]
        #expect(sums?["turnover"] == .number(4000))
        #expect(sums?["average"] == .number(2000))
        #expect(sums?["min"] == .number(1000))
        #expect(sums?["max"] == .number(3000))
        #expect(
            sums?["statuses"] == .object(["approved": .number(2), "rejected": .number(1), "reversed": .number(1)]))
        #expect(sums?["status"]?["approved"]?["turnover"] == .number(4000))
        #expect(sums?["status"]?["reversed"]?["turnover"] == .number(0))
        #expect(totals([("only", "sum")], &fixture).status == 422)
    }

    @Test(arguments: [
        ("2016-01-28", "2016-01-28", 200), ("2016-01-28", "", 422), ("2016-02-30", "2016-03-01", 422),
        ("2016-1-28", "2016-03-01", 422), ("x", "2016-03-01", 422), ("1969-01-01", "2016-03-01", 422),
    ])
    func sumsNeedDates(_ start: String, _ end: String, _ status: Int) throws {
        var fixture = try fixture()
        let query = [("start_date", start), ("end_date", end)]
        #expect(fixture.send(.get, "payments/total_sums.json", query: query).status == status)
    }

    /// Guide, chapter 6.1: only dates after the account's creation.
    @Test func sumsBeginWithTheAccount() throws {
        let text = SandboxDirectory.readyText.replacing(
            "\"created\": \"2016-01-01\"", with: "\"created\": \"2016-01-29\"")
        var fixture = try SandboxFixture(directory: SandboxDirectory(json: Array(text.utf8)))
        fixture.logIn()
        fixture.pay("a")
        fixture.now += .seconds(86_400)
        fixture.logIn()
        fixture.pay("b", 2000, counter: 2)
        let json = totals([], &fixture).json
        #expect(json["totals"] == .object(["2016/01/29": .object(["turnover": .number(2000)])]))
    }
}
