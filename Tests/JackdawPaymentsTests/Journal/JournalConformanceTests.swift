import JackdawJournalTestSupport
import JackdawPayments
import Testing

@Suite struct JournalConformanceTests {
    @Test func theMemoryJournalIsAStore() async throws {
        #expect(try await JournalConformance { MemoryJournal() }.violations() == [])
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
