#if Payments
import Foundation
internal import GRDB
import Glibc
public import JackdawPayments
import JackdawSystem

/// A journal in a file of SQLite.
///
/// A record is durable when ``write(_:)`` returns: the file is in WAL mode, and each write is synchronised. One journal
/// uses a file at a time, by a lock on `PATH.lock`. All files have mode 0600, and none is opened through a link. The
/// sealed octets of a record are encrypted by AES-256-GCM, which also finds each change of a record's text.
public final class DatabaseJournal: JournalStore {
    // The connection is closed before the lock is released.
    private let queue: DatabaseQueue
    private let lock: FileLock
    private let key: JournalKey

    private init(queue: DatabaseQueue, lock: FileLock, key: JournalKey) {
        self.queue = queue
        self.lock = lock
        self.key = key
    }

    /// Opens a journal, and makes it if there is no file. The whole file is checked.
    /// - Parameters:
    ///   - path: the path of the file, in a folder in which no other user may write.
    ///   - key: a file with the key, 64 hexadecimal digits; nil for the file `PATH.key`, which is made with the journal.
    /// - Returns: the journal, which is in use until it is closed or released.
    /// - Throws: `JournalError` with `inUse`, `notPermitted`, `newerVersion`, `damaged`, `wrongKey`, `full` or `system`.
    public static func open(_ path: String, key: SecretFile? = nil) async throws(JournalError) -> DatabaseJournal {
        try await open(path, key: key, schema: .current)
    }

    static func open(
        _ path: String, key: SecretFile?, schema: JournalSchema
    ) async throws(JournalError) -> DatabaseJournal {
        let result: Result<DatabaseJournal, JournalError>
        do throws(SystemFailure) {
            result = try await WorkerThread.run(name: "journal") {
                Self.result { try openNow(path, key: key, schema: schema) }
            }
        } catch {
            throw JournalError(.system, "No thread can be made.", cause: error.message)
        }
        return try result.get()
    }

    private static func openNow(_ path: String, key: SecretFile?, schema: JournalSchema) throws -> DatabaseJournal {
        try PrivateFile.checkFolder(of: path)
        let lock = try FileLock(path + ".lock")
        let isNew = try makeFile(path)
        let keyFile = key ?? SecretFile(path: path + ".key")
        // A key is never made for a journal that has records of another key.
        if isNew, key == nil, try !PrivateFile.check(keyFile.path) { try JournalKey.make(in: keyFile) }
        let key = try JournalKey(from: keyFile)
        let queue: DatabaseQueue
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                let version = try schema.check(database)
                try setUp(database)
                try JournalSchema.checkIntegrity(database)
                try schema.migrate(database, from: version)
                try check(key, database)
            }
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY {
            // The system allowed to write the file: its header has a format that SQLite only reads.
            throw JournalError(.damaged, "The journal is damaged.", cause: "SQLite 8, unknown format of the file")
        }
        return DatabaseJournal(queue: queue, lock: lock, key: key)
    }

    /// Makes the file of the database, if there is none, and checks those that belong to it.
    /// - Returns: whether the file is empty.
    private static func makeFile(_ path: String) throws -> Bool {
        // SQLite gives the files beside it the same mode.
        let file = try PrivateFile.open(path, O_RDWR | O_CREAT)
        // SQLite has not opened the file yet: closing it later would release SQLite's locks.
        defer { Glibc.close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { throw FileFault.last(path) }
        for ending in ["-wal", "-shm", "-journal"] { _ = try PrivateFile.check(path + ending) }
        try PrivateFile.syncFolder(of: path)
        return facts.st_size == 0
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        // A person may read the file with another program.
        configuration.busyMode = .timeout(5)
        configuration.label = "journal"
        return configuration
    }

    private static func setUp(_ database: Database) throws {
        let mode = try DatabaseValue.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard let mode, case .string("wal") = mode.storage else {
            throw JournalError(.system, "The journal cannot be put into WAL mode.")
        }
        try database.execute(
            sql: """
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = ON;
                PRAGMA trusted_schema = OFF;
                PRAGMA cell_size_check = ON;
                """)
    }

    /// Checks that the key is that of the records, or keeps a proof of a new one.
    private static func check(_ key: JournalKey, _ database: Database) throws {
        let proof = EncodedRecord(text: [], sealed: HTTPBody())
        if let row = try Row.fetchOne(database, sql: "SELECT sealed FROM keyCheck") {
            do throws(JournalError) {
                _ = try key.decrypt(bytes(row, 0), of: "", text: proof.text)
            } catch {
                // If a record fits the key, the proof is damaged.
                let first = try Row.fetchOne(database, sql: "\(selection) LIMIT 1")
                if let first, (try? record(first, key)) != nil {
                    throw JournalError(.damaged, "The journal is damaged.", cause: "its proof of the key is")
                }
                throw JournalError(.wrongKey, "The key is not that of the journal.")
            }
        } else {
            guard try Row.fetchOne(database, sql: "SELECT 1 FROM record UNION SELECT 1 FROM note") == nil else {
                throw JournalError(.damaged, "The journal is damaged.", cause: "it has no proof of its key")
            }
            let sealed = try key.encrypt(proof, of: "")
            try database.execute(sql: "INSERT INTO keyCheck (sealed) VALUES (?)", arguments: [Data(sealed)])
        }
    }

    /// Closes the file. A later call of another method throws `system`.
    public func close() async {
        let queue = queue
        let isClosed = try? await WorkerThread.run(name: "journal") { (try? queue.close()) != nil }
        // The lock of a file that is still open is released with the object.
        if isClosed == true { lock.release() }
    }

    public func write(_ record: AttemptRecord) async throws(JournalError) {
        let encoded = record.encoded
        let attempt = record.identifier.rawValue
        let sealed = Data(try key.encrypt(encoded, of: attempt))
        try await perform { database in
            try database.cachedStatement(
                sql: """
                    INSERT INTO record (attempt, sale, state, needed, text, sealed) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (attempt) DO UPDATE SET sale = excluded.sale, state = excluded.state,
                        needed = excluded.needed, text = excluded.text, sealed = excluded.sealed
                    """
            ).execute(arguments: [
                attempt, record.request.sale.rawValue, record.state.rawValue, record.isNeeded,
                String(decoding: encoded.text, as: UTF8.self), sealed,
            ])
        }
    }

    public func neededRecords() async throws(JournalError) -> NeededRecords {
        let key = key
        var needed = try await perform { database in
            var needed = NeededRecords([])
            let rows = try Row.fetchAll(database.cachedStatement(sql: "\(Self.selection) WHERE needed"))
            for row in rows {
                let record: AttemptRecord
                do throws(JournalError) { record = try Self.decode(row, key) } catch {
                    needed.unreadable.append(
                        UnreadableRecord(
                            attempt: Self.string(row, 0).flatMap { AttemptIdentifier(rawValue: $0) },
                            sale: Self.string(row, 1).flatMap { SaleIdentifier(rawValue: $0) }, error: error))
                    continue
                }
                // Wrong columns would hide a record from its sale: then none is trusted.
                try Self.check(row, record)
                needed.records.append(record)
            }
            return needed
        }
        needed.records.sort(by: AttemptRecord.isInOrder)
        return needed
    }

    public func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord? {
        try await records("attempt = ?", [attempt.rawValue]).first
    }

    public func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord] {
        try await records("sale = ?", [sale.rawValue])
    }

    public func writeNote(_ text: String, named name: String) async throws(JournalError) {
        let sealed = Data(try key.encrypt(Self.proof(of: text), of: Self.owner(ofNote: name)))
        try await perform { database in
            try database.cachedStatement(
                sql: """
                    INSERT INTO note (name, text, sealed) VALUES (?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET text = excluded.text, sealed = excluded.sealed
                    """
            ).execute(arguments: [name, text, sealed])
        }
    }

    public func note(named name: String) async throws(JournalError) -> String? {
        let key = key
        return try await perform { database in
            let row = try Row.fetchOne(
                database.cachedStatement(sql: "SELECT CAST(text AS BLOB), sealed FROM note WHERE name = ?"),
                arguments: [name])
            guard let row else { return nil }
            let text = Self.bytes(row, 0)
            _ = try key.decrypt(Self.bytes(row, 1), of: Self.owner(ofNote: name), text: text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    public func removeNote(named name: String) async throws(JournalError) {
        try await perform { database in
            try database.cachedStatement(sql: "DELETE FROM note WHERE name = ?").execute(arguments: [name])
        }
    }

    /// The record whose encryption proves that a note was not changed.
    private static func proof(of text: String) -> EncodedRecord {
        EncodedRecord(text: Array(text.utf8), sealed: HTTPBody())
    }

    /// The owner of a note's proof: no identifier of an attempt has a space.
    private static func owner(ofNote name: String) -> String { "note " + name }

    /// The records that a condition of SQL selects, in the order of journals.
    private func records(_ condition: String, _ values: [String]) async throws(JournalError) -> [AttemptRecord] {
        let key = key
        let records = try await perform { database in
            try Row.fetchAll(
                database.cachedStatement(sql: "\(Self.selection) WHERE \(condition)"),
                arguments: StatementArguments(values)
            ).map { row in try Self.record(row, key) }
        }
        return records.sorted(by: AttemptRecord.isInOrder)
    }

    /// The columns that ``record(_:_:)`` reads. The text comes as bytes: in a string, bytes that are not UTF-8 would be
    /// replaced.
    private static let selection = "SELECT attempt, sale, state, needed, CAST(text AS BLOB), sealed FROM record"

    private static func record(_ row: Row, _ key: JournalKey) throws(JournalError) -> AttemptRecord {
        let record = try decode(row, key)
        try check(row, record)
        return record
    }

    private static func decode(_ row: Row, _ key: JournalKey) throws(JournalError) -> AttemptRecord {
        let text = bytes(row, 4)
        let sealed = try key.decrypt(bytes(row, 5), of: string(row, 0) ?? "", text: text)
        return try AttemptRecord(decoding: EncodedRecord(text: text, sealed: sealed))
    }

    private static func check(_ row: Row, _ record: AttemptRecord) throws(JournalError) {
        let columns = [string(row, 0), string(row, 1), string(row, 2)]
        guard columns == [record.identifier.rawValue, record.request.sale.rawValue, record.state.rawValue],
            row[3] as DatabaseValue == record.isNeeded.databaseValue
        else {
            throw JournalError(.damaged, "A record of the journal is damaged.", cause: "its columns contradict it")
        }
    }

    /// A value of a row as text; nil if it is none. The types of a damaged file are not those of the table.
    private static func string(_ row: Row, _ index: Int) -> String? {
        guard case .string(let text) = (row[index] as DatabaseValue).storage else { return nil }
        return text
    }

    /// A value of a row as bytes; empty if it is none.
    private static func bytes(_ row: Row, _ index: Int) -> [UInt8] {
        guard case .blob(let bytes) = (row[index] as DatabaseValue).storage else { return [] }
        return Array(bytes)
    }

    /// Runs a body on the thread of the database, to its end even if the task is cancelled.
    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalError) -> Value {
        let result: Result<Value, JournalError> = await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { database in
                continuation.resume(returning: Self.result { try body(database) })
            }
        }
        return try result.get()
    }

    private static func result<Value>(_ body: () throws -> Value) -> Result<Value, JournalError> {
        do {
            return .success(try body())
        } catch {
            return .failure(JournalError(error))
        }
    }
}

/// A lock on a file, which another program of any user of the file would wait for (`flock`).
private final class FileLock: Sendable {
    private let file: Int32

    /// Takes the lock, without waiting.
    /// - Throws: `JournalError` with `inUse`, or ``FileFault``.
    init(_ path: String) throws {
        file = try PrivateFile.open(path, O_RDWR | O_CREAT)
        guard retried({ flock(file, LOCK_EX | LOCK_NB) }) == 0 else {
            let failure = SystemFailure.last
            guard failure.code == EWOULDBLOCK else { throw FileFault(.system, path, failure.message) }
            throw JournalError(.inUse, "Another program uses the journal: it holds \(path).")
        }
    }

    deinit {
        // A program that is just being started has a copy of the descriptor, which would hold the lock.
        release()
        close(file)
    }

    /// Releases the lock before the end of the object.
    func release() { flock(file, LOCK_UN) }
}
#endif
