package import JackdawPayments

/// The sums of many runs.
package struct SoakSummary: Sendable {
    package private(set) var runs = 0
    package private(set) var days = 0
    package private(set) var sales = 0
    package private(set) var steps = 0
    package private(set) var violations = 0
    /// The attempts by their states at the end.
    package private(set) var ends: [AttemptState: Int] = [:]
    /// The faults that happened, by their kinds.
    package private(set) var faults: [SoakFault.Kind: Int] = [:]
    /// The hash of the hashes of all histories, in their order.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ result: SoakResult, days: Int) {
        runs += 1
        self.days += days
        sales += result.sales
        steps += result.steps
        if result.violation != nil { violations += 1 }
        ends.merge(result.ends, uniquingKeysWith: +)
        faults.merge(result.faults, uniquingKeysWith: +)
        hash = (hash ^ result.history.hash) &* 0x100_0000_01B3
    }

    /// The sums in a few lines for people.
    /// - Parameter time: the time that the runs took, on a real clock.
    /// - Returns: the lines; only the last one has the time.
    package func lines(after time: Duration) -> [String] {
        let attempts = ends.values.reduce(0, +)
        return [
            "\(runs) runs, \(days) days, \(sales) sales, \(attempts) attempts, \(steps) steps, \(violations) violations",
            "ends: " + Self.list(ends.map { ($0.key.rawValue, $0.value) }),
            "faults: " + Self.list(faults.map { ($0.key.rawValue, $0.value) }),
            "history " + hash.sixteenDigits,
            "\(tenths(time / .seconds(1))) s, \(tenths(Double(days) / max(time / .seconds(1), 0.001))) days a second",
        ]
    }

    private func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func list(_ counts: [(String, Int)]) -> String {
        counts.sorted { $0.0 < $1.0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension UInt64 {
    /// The number in 16 hexadecimal digits.
    package var sixteenDigits: String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
