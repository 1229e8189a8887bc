import JackdawEMV
import JackdawReaders

// Search and sums over the payments of a merchant.

extension Sandbox {
    /// The most payments of a page. The guide's demo uses 5; its release 1.6.219 advises at most 20.
    private static let maxPage: UInt64 = 100

    /// The payments of a merchant in the order of their numbers.
    private func payments(of caller: Caller) -> [SandboxPayment] {
        (0..<store.paymentCount).compactMap { store.payment($0 + 1) }
            .filter { $0.key.merchant == caller.merchant.identifier }
    }

    /// Searches. Names of the query: the Android archive. The values of `order_by` and `order`, the numbers of a
    /// timestamp (seconds since 1970 UTC), the meaning of `since_id` (the number in the books) and the answer's
    /// envelope have no source.
    func search(_ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> JSONValue {
        let page = try call.number("page") ?? 1
        let size = try call.number("per_page") ?? 20
        guard page >= 1, page <= 1_000_000 else { throw .invalid("page", "it must be 1 to 1000000") }
        guard size >= 1, size <= Self.maxPage else { throw .invalid("per_page", "it must be 1 to \(Self.maxPage)") }
        let since = try call.number("since_timestamp").map { Int64($0) * 1000 } ?? 0
        let until = try call.number("until_timestamp").map { Int64($0) * 1000 } ?? .max
        let sinceNumber = try call.number("since_id") ?? 0
        let state = try call.query("state") ?? "all"
        let text = try call.query("query") ?? ""
        var found = payments(of: caller).filter { payment in
            payment.facts.created >= since && payment.facts.created <= until && payment.number > sinceNumber
                && (state == "all" || state == payment.state.rawValue) && matches(payment, text, caller)
        }
        switch try call.query("order_by") ?? "created_at" {
        case "created_at":
            found.sort { ($0.facts.created, $0.number) < ($1.facts.created, $1.number) }
        case "id": break
        case "amount":
            found.sort { ($0.facts.amount.minorUnits, $0.number) < ($1.facts.amount.minorUnits, $1.number) }
        default: throw .invalid("order_by", "it must be created_at, id or amount")
        }
        switch try call.query("order") ?? "desc" {
        case "desc": found.reverse()
        case "asc": break
        default: throw .invalid("order", "it must be asc or desc")
        }
        let start = min(found.count, Int((page - 1) * size))
        let end = min(found.count, start + Int(size))
        return .object([
            "page": .money(page), "per_page": .money(size), "total": .whole(found.count),
            "payments": .array(found[start..<end].map { view($0, caller) }),
        ])
    }

    /// Whether a payment has a text: a date in quotes (`"2016/01/28"`), a year (`2014/`), an amount without decimals,
    /// an identifier or a customer's name (guide, chapter 5, and the demo of release 1.6.219). Names are hidden in the
    /// books, so that no search finds them.
    private func matches(_ payment: SandboxPayment, _ text: String, _ caller: Caller) -> Bool {
        guard !text.isEmpty else { return true }
        if text.utf8.contains(UInt8(ascii: "/")) {
            let date = text.filter { $0 != "\"" }
            let time = CivilTime(milliseconds: payment.facts.created, offset: caller.merchant.offset)
            return !date.isEmpty && time.slashed.hasPrefix(date)
        }
        if text.wholeNumber == wire(payment.facts.amount.minorUnits, payment.currency) { return true }
        return payment.key.uniqueID == text || payment.facts.reference == text
    }

    // MARK: sums by period

    /// The sums of a group of payments.
    private struct Sums {
        var count: UInt64 = 0
        var turnover: UInt64 = 0
        var least: UInt64 = .max
        var most: UInt64 = 0
        var states: [String: Int] = [:]

        mutating func add(_ payment: SandboxPayment) {
            states[payment.state.rawValue, default: 0] += 1
            guard payment.booked > 0 else { return }
            count += 1
            turnover += payment.booked
            least = min(least, payment.booked)
            most = max(most, payment.booked)
        }
    }

    /// The sums of a merchant's payments between two dates, by period. Source: the Android archive has the names of
    /// query and answer, the SDK's headers the keys of periods; where `only` may have several names, they are separated
    /// by commas. The nesting of the answer, the meaning of a turnover (the money that the merchant keeps) and the
    /// values of `subgroup` have no source. One currency a request, as the answer has one: the first of the merchant,
    /// or `currency`, which is beyond version 3.
    func totals(_ call: SandboxCall, _ caller: Caller) throws(WireRefusal) -> JSONValue {
        guard let first = CivilTime.dayNumber(dashed: try call.query("start_date") ?? "") else {
            throw .invalid("start_date", "it must be a date: 2026-01-28")
        }
        guard let last = CivilTime.dayNumber(dashed: try call.query("end_date") ?? "") else {
            throw .invalid("end_date", "it must be a date: 2026-01-28")
        }
        let code = try call.query("currency") ?? caller.merchant.currencies[0].alphabeticCode
        guard let currency = caller.merchant.currencies.first(where: { $0.alphabeticCode == code }) else {
            throw .invalid("currency", "the merchant does not take it")
        }
        let group = try call.query("group") ?? "day"
        guard ["day", "month", "quarter", "year"].contains(group) else {
            throw .invalid("group", "it must be day, month, quarter or year")
        }
        let known = ["turnover", "statuses", "average", "min", "max"]
        let only = (try call.query("only") ?? "turnover").split(separator: ",").map { String($0) }
        guard only.allSatisfy({ known.contains($0) }) else {
            throw .invalid("only", "it must be of \(known.joined(separator: ", "))")
        }
        let subgroup = try call.query("subgroup")
        guard subgroup == nil || subgroup == "status" else { throw .invalid("subgroup", "it must be status") }
        var sums: [String: Sums] = [:]
        var byState: [String: [String: Sums]] = [:]
        for payment in payments(of: caller) where payment.facts.amount.currencyCode == currency.numericCode {
            let time = CivilTime(milliseconds: payment.facts.created, offset: caller.merchant.offset)
            guard time.dayNumber >= max(first, caller.user.created), time.dayNumber <= last else { continue }
            let key = time.key(of: group)
            sums[key, default: Sums()].add(payment)
            byState[key, default: [:]][payment.state.rawValue, default: Sums()].add(payment)
        }
        func json(_ sums: Sums) -> [String: JSONValue] {
            var members: [String: JSONValue] = [:]
            func money(_ units: UInt64) -> JSONValue { .money(wire(units, currency)) }
            if only.contains("turnover") { members["turnover"] = money(sums.turnover) }
            if only.contains("statuses") { members["statuses"] = .object(sums.states.mapValues { .whole($0) }) }
            if only.contains("average") { members["average"] = money(sums.count == 0 ? 0 : sums.turnover / sums.count) }
            if only.contains("min") { members["min"] = money(sums.count == 0 ? 0 : sums.least) }
            if only.contains("max") { members["max"] = money(sums.most) }
            return members
        }
        return .object([
            "currency": .text(currency.alphabeticCode),
            "totals": .object(
                Dictionary(
                    uniqueKeysWithValues: sums.map { key, sum in
                        var members = json(sum)
                        if subgroup != nil {
                            members["status"] = .object((byState[key] ?? [:]).mapValues { .object(json($0)) })
                        }
                        return (key, JSONValue.object(members))
                    })),
        ])
    }
}

extension CivilTime {
    /// The key of a period: `2016/01/28`, `2016/01`, `2016/Q1`, `2016`.
    fileprivate func key(of group: String) -> String {
        switch group {
        case "day": slashed
        case "month": String(slashed.dropLast(3))
        case "quarter": "\(slashed.prefix(4))/Q\(quarter)"
        default: String(slashed.prefix(4))
        }
    }
}
