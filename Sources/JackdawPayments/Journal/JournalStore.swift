// The protocol of stores, and their errors.

/// A durable store of attempts. One desk uses a store at a time.
///
/// A store keeps the text of a record so that it can be searched, and encrypts the sealed octets. It deletes no record that
/// ``AttemptRecord/isNeeded`` is true for.
public protocol JournalStore: Sendable {
    /// Writes a record, and replaces an earlier one with the same identifier. Either the whole record is durable when the
    /// call returns, or the call throws. After an error the store has the new record or the old one, never a part.
    func write(_ record: AttemptRecord) async throws(JournalError)

    /// Returns the records that a desk needs after a restart: those with ``AttemptRecord/isNeeded``, in ascending order of
    /// ``AttemptRecord/began`` and identifier, and those that cannot be read.
    func neededRecords() async throws(JournalError) -> NeededRecords

    /// Returns the record of an attempt; nil if there is none. Throws if it cannot be read.
    func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord?

    /// Returns the records of a sale, in ascending order of ``AttemptRecord/began`` and identifier. Throws if one of them
    /// cannot be read.
    func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord]

    /// Writes a note, and replaces an earlier one with the same name. It is durable as a record is. An SDK keeps in notes
    /// what its till must know after a restart, such as the configuration of a terminal. Never card data or a secret.
    /// - Parameters:
    ///   - text: the text, at most 4096 bytes.
    ///   - name: the name, 1 to 512 bytes of printable ASCII.
    /// - Throws: ``JournalError``; the store has the new text or the old one then.
    func writeNote(_ text: String, named name: String) async throws(JournalError)

    /// Returns the text of a note; nil if there is none. Throws if it cannot be read.
    func note(named name: String) async throws(JournalError) -> String?

    /// Removes a note, so that ``note(named:)`` returns nil; without one nothing happens. It is durable when the call returns.
    /// - Throws: ``JournalError``; the store may have the note then.
    func removeNote(named name: String) async throws(JournalError)
}

/// The records that a desk needs after a restart.
public struct NeededRecords: Sendable, Hashable {
    /// The records, in ascending order of ``AttemptRecord/began`` and identifier.
    public var records: [AttemptRecord]
    /// The records that cannot be read, and may be needed.
    public var unreadable: [UnreadableRecord]

    /// The answer of a journal.
    public init(_ records: [AttemptRecord], unreadable: [UnreadableRecord] = []) {
        self.records = records
        self.unreadable = unreadable
    }
}

/// A record that cannot be read, because it is damaged or a later program has written it.
public struct UnreadableRecord: Sendable, Hashable {
    /// The identifier of its attempt; nil if the journal does not have it.
    public let attempt: AttemptIdentifier?
    /// Its sale; nil if the journal does not have it.
    public let sale: SaleIdentifier?
    /// The reason why it cannot be read.
    public let error: JournalError

    /// What a journal knows of a record.
    public init(attempt: AttemptIdentifier?, sale: SaleIdentifier?, error: JournalError) {
        self.attempt = attempt
        self.sale = sale
        self.error = error
    }
}

extension JournalStore {
    /// The records that answer a desk's question: the attempt's own and those of a sale.
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - sale: the sale; nil for the attempt alone.
    /// - Returns: the records, each once.
    /// - Throws: ``JournalError`` of the store.
    public func records(
        of attempt: AttemptIdentifier, and sale: SaleIdentifier?
    ) async throws(JournalError) -> [AttemptRecord] {
        var records: [AttemptRecord] = []
        if let sale { records = try await self.records(of: sale) }
        if !records.contains(where: { $0.identifier == attempt }), let own = try await record(of: attempt) {
            records.append(own)
        }
        return records
    }
}

extension AttemptRecord {
    /// The order of records in a journal's answers.
    package static func isInOrder(_ left: AttemptRecord, _ right: AttemptRecord) -> Bool {
        (left.began.seconds, left.identifier.rawValue) < (right.began.seconds, right.identifier.rawValue)
    }
}

/// The error of a journal.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code.
        public let name: String

        /// A record cannot be read: it is damaged.
        public static let damaged = Code(name: "damaged")
        /// A later version of the program wrote the record.
        public static let newerVersion = Code(name: "newerVersion")
        /// The store has no room.
        public static let full = Code(name: "full")
        /// Another program or another object uses the store.
        public static let inUse = Code(name: "inUse")
        /// The store cannot be written, or its files or folder are not for this user alone.
        public static let notPermitted = Code(name: "notPermitted")
        /// The key is missing, or it is not the one with which the store was encrypted.
        public static let wrongKey = Code(name: "wrongKey")
        /// The store or the system reported an error; ``JournalError/cause`` has it.
        public static let system = Code(name: "system")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence for a person, without the content of a record.
    public let message: String
    /// The error underneath, as the store or the system reports it; nil without one.
    public let cause: String?

    /// An error of a store, which a caller can act on.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
