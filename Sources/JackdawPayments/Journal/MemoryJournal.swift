import JackdawTransport

/// A journal in memory, for tests and for simulations. It keeps the encoded records, as a store on a disk does.
public final class MemoryJournal: JournalStore {
    /// The faults of a write.
    package enum Fault: Sendable {
        case none
        /// The write fails, and the old record stays.
        case notWritten
        /// The write fails after the new record was written.
        case writtenAnyway
    }

    private let contents = Lock<[AttemptIdentifier: EncodedRecord]>([:])
    private let notes = Lock<[String: String]>([:])
    private let fault: @Sendable (AttemptRecord) -> Fault

    /// An empty journal, whose writes do not fail.
    public init() { fault = { _ in .none } }

    /// An empty journal whose writes may fail.
    /// - Parameter fault: decides on each write.
    package init(fault: @escaping @Sendable (AttemptRecord) -> Fault) { self.fault = fault }

    public func write(_ record: AttemptRecord) async throws(JournalError) { try writeNow(record) }

    public func neededRecords() async throws(JournalError) -> NeededRecords { NeededRecords(try all { $0.isNeeded }) }

    public func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord? {
        try recordNow(of: attempt)
    }

    public func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord] {
        try all { $0.request.sale == sale }
    }

    public func writeNote(_ text: String, named name: String) async throws(JournalError) {
        notes.withLock { $0[name] = text }
    }

    public func note(named name: String) async throws(JournalError) -> String? { notes.withLock { $0[name] } }

    public func removeNote(named name: String) async throws(JournalError) { notes.withLock { $0[name] = nil } }

    /// The names of all notes, in ascending order.
    package var noteNames: [String] { notes.withLock { $0.keys.sorted() } }

    /// Writes a record without suspending, for a simulation on one queue of events.
    package func writeNow(_ record: AttemptRecord) throws(JournalError) {
        let fault = fault(record)
        let encoded = record.encoded
        if fault != .notWritten { contents.withLock { $0[record.identifier] = encoded } }
        guard fault == .none else { throw JournalError(.system, "The write failed, as the test wants it.") }
    }

    /// Reads a record without suspending.
    package func recordNow(of attempt: AttemptIdentifier) throws(JournalError) -> AttemptRecord? {
        guard let encoded = contents.withLock({ $0[attempt] }) else { return nil }
        return try AttemptRecord(decoding: encoded)
    }

    /// The records that a condition selects, in the order of journals.
    package func all(_ isSelected: (AttemptRecord) -> Bool) throws(JournalError) -> [AttemptRecord] {
        var records: [AttemptRecord] = []
        for encoded in contents.withLock({ Array($0.values) }) {
            let record = try AttemptRecord(decoding: encoded)
            if isSelected(record) { records.append(record) }
        }
        return records.sorted(by: AttemptRecord.isInOrder)
    }
}
