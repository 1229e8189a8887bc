package import JackdawPayments

/// The contract of `JournalStore`, for any store.
package struct JournalConformance: Sendable {
    /// Makes an empty store.
    private let make: @Sendable () async throws -> any JournalStore

    package init(_ make: @escaping @Sendable () async throws -> any JournalStore) { self.make = make }

    /// Checks the contract.
    /// - Returns: the violations; empty if there is none.
    /// - Throws: the error of a store.
    package func violations() async throws -> [String] {
        var violations: [String] = []
        func check(_ isRight: Bool, _ rule: String) { if !isRight { violations.append(rule) } }
        try await checkRecords(check)
        try await checkNeeded(check)
        try await checkNotes(check)
        return violations
    }

    private func checkRecords(_ check: (Bool, String) -> Void) async throws {
        let store = try await make()
        var first = try SampleRecords.open("A1")
        let (attempt, sale) = (first.identifier, first.request.sale)
        check(try await store.record(of: attempt) == nil, "an empty store has no record")
        check(try await store.records(of: sale).isEmpty, "an empty store has no sale")
        try await store.write(first)
        check(try await store.record(of: attempt) == first, "a record is read as it was written")
        first.state = .approved
        first.delivery = Delivery(.completion, octets: HTTPBody(copying: Array("sealed".utf8).span))
        try await store.write(first)
        try await store.write(first)
        let earlier = try SampleRecords.open(
            "A2", on: RecordedTime(seconds: SampleRecords.date.seconds - 1, offset: 0))
        let other = try SampleRecords.open("A0", sale: "S2")
        try await store.write(earlier)
        try await store.write(other)
        check(try await store.records(of: sale) == [earlier, first], "the records of a sale are in order")
        check(try await store.record(of: attempt)?.delivery == first.delivery, "the sealed octets are kept")
        check(
            try await store.records(of: other.identifier, and: sale) == [earlier, first, other],
            "an attempt of another sale is added")
        check(try await store.records(of: attempt, and: sale) == [earlier, first], "each record is there once")
        check(try await store.records(of: attempt, and: nil) == [first], "an attempt alone")
    }

    private func checkNotes(_ check: (Bool, String) -> Void) async throws {
        let store = try await make()
        check(try await store.note(named: "a") == nil, "an empty store has no note")
        try await store.writeNote("first", named: "a")
        try await store.writeNote("", named: "b")
        try await store.writeNote("second, with \u{e9}", named: "a")
        check(try await store.note(named: "a") == "second, with \u{e9}", "the last note of a name is kept")
        check(try await store.note(named: "b") == "", "a note may be empty")
        check(try await store.neededRecords().records.isEmpty, "a note is no record")
    }

    private func checkNeeded(_ check: (Bool, String) -> Void) async throws {
        let store = try await make()
        for state in AttemptState.allCases { try await store.write(SampleRecords.inState(state)) }
        try await store.write(SampleRecords.approved("z"))
        let needed = try await store.neededRecords().records.map(\.identifier.rawValue)
        check(
            needed == ["asked", "needsAttention", "open", "reversing", "unknown", "z"],
            "records that are not over, or that the host has not received, are needed")
        var over = try SampleRecords.approved("z")
        over.delivery = nil
        try await store.write(over)
        check(try await !store.neededRecords().records.contains(over), "a record that is over is not needed")
        check(try await store.record(of: over.identifier) == over, "a record that is over stays")
    }
}
