import JackdawEMV
import JackdawPayments
import Testing

/// The contract of ``JournalStore``, for any store.
struct JournalConformance {
    /// Makes an empty store.
    let make: @Sendable () async throws -> any JournalStore

    func check() async throws {
        try await checkRecords()
        try await checkNeeded()
    }

    private func checkRecords() async throws {
        let store = try await make()
        #expect(try await store.record(of: attempt("A1")) == nil)
        #expect(try await store.records(of: sale("S1")).isEmpty)
        var first = try sampleRecord("A1")
        try await store.write(first)
        #expect(try await store.record(of: attempt("A1")) == first)
        first.state = .approved
        first.delivery = Delivery(.completion, octets: HTTPBody("sealed"))
        try await store.write(first)
        try await store.write(first)
        let earlier = AttemptRecord(
            attempt("A2"), first.request, on: RecordedTime(seconds: date.seconds - 1, offset: 0))
        let other = AttemptRecord(attempt("A0"), try purchase("S2"), on: date)
        try await store.write(earlier)
        try await store.write(other)
        #expect(try await store.records(of: sale("S1")) == [earlier, first])
        #expect(try await store.record(of: attempt("A1"))?.delivery?.octets.text == "sealed")
        #expect(try await store.records(of: attempt("A0"), and: sale("S1")) == [earlier, first, other])
        #expect(try await store.records(of: attempt("A1"), and: sale("S1")) == [earlier, first])
        #expect(try await store.records(of: attempt("A1"), and: nil) == [first])
    }

    private func checkNeeded() async throws {
        let store = try await make()
        for state in AttemptState.allCases {
            var record = AttemptRecord(attempt(state.rawValue), try purchase(state.rawValue), on: date)
            record.state = state
            if state.isFinal { record.flow?.outcome = .failedKernel }
            if state == .unknown || state == .reversing { record.delivery = Delivery(.reversal(.timeout)) }
            if state == .needsAttention { record.attention = Attention(ReasonText("no"), since: date) }
            try await store.write(record)
        }
        var queued = AttemptRecord(attempt("z"), try purchase("z"), on: date)
        queued.state = .approved
        queued.flow?.outcome = .approvedOffline
        queued.delivery = Delivery(.advice)
        try await store.write(queued)
        #expect(
            try await store.neededRecords().map(\.identifier.rawValue)
                == ["asked", "needsAttention", "open", "reversing", "unknown", "z"])
        #expect(try await store.recordsNeedingAttention().map(\.identifier.rawValue) == ["needsAttention"])
    }
}

@Suite struct JournalConformanceTests {
    @Test func theMemoryJournalIsAStore() async throws {
        try await JournalConformance { MemoryJournal() }.check()
    }

    @Test func aFailedWriteLeavesTheOldRecordOrTheNewOne() async throws {
        for fault in [MemoryJournal.Fault.notWritten, .writtenAnyway] {
            let store = MemoryJournal { $0.state == .open ? .none : fault }
            let old = try sampleRecord()
            var new = old
            new.state = .asked
            try await store.write(old)
            await #expect(throws: JournalError.self) { try await store.write(new) }
            #expect(try await store.record(of: old.identifier) == (fault == .notWritten ? old : new))
        }
    }
}
