#if Payments
internal import GRDB
import JackdawPayments

/// The tables of a journal and their versions. A later version opens the files of all earlier ones.
struct JournalSchema: Sendable {
    typealias Migration = @Sendable (Database) throws -> Void

    /// The changes from each version to the next; the first one makes the tables in an empty file.
    private let migrations: [Migration]

    init(_ migrations: [Migration]) { self.migrations = migrations }

    /// The version of this program: 2. Version 1 has no notes.
    static let current = JournalSchema([makeTables, makeNotes])

    /// `JKDW`, in the header of the file, so that no other database is taken for a journal.
    private static let application = 0x4A4B_4457

    /// Checks that a file is a journal of this version or an earlier one, or empty. Changes nothing.
    /// - Returns: the version of the file; 0 if it is empty.
    /// - Throws: `JournalError` with `newerVersion` or `damaged`, or an error of SQLite.
    func check(_ database: Database) throws -> Int {
        let version = try Self.number(database, "PRAGMA user_version")
        let application = try Self.number(database, "PRAGMA application_id")
        if version == 0, application == 0, try Self.number(database, "SELECT count(*) FROM sqlite_master") == 0 {
            return 0
        }
        guard application == Self.application, version > 0 else {
            throw JournalError(.damaged, "The file is not a journal.")
        }
        guard version <= migrations.count else {
            throw JournalError(
                .newerVersion,
                "The journal has version \(version); this program reads versions up to \(migrations.count). Use the "
                    + "program that wrote it, or a later one.")
        }
        return version
    }

    /// Brings a journal to this version, in one transaction.
    /// - Parameters:
    ///   - database: the file.
    ///   - version: the version of the file, of ``check(_:)``.
    /// - Throws: an error of SQLite; the file then has the version that it had.
    func migrate(_ database: Database, from version: Int) throws {
        guard version < migrations.count else { return }
        try database.inTransaction(.immediate) {
            for migration in migrations[version...] { try migration(database) }
            try database.execute(sql: "PRAGMA application_id = \(Self.application)")
            try database.execute(sql: "PRAGMA user_version = \(migrations.count)")
            return .commit
        }
    }

    /// Checks the structure of the whole file.
    /// - Throws: `JournalError` with `damaged`, or an error of SQLite.
    static func checkIntegrity(_ database: Database) throws {
        let answer = try DatabaseValue.fetchOne(database, sql: "PRAGMA integrity_check(1)")
        guard let answer, case .string("ok") = answer.storage else {
            throw JournalError(.damaged, "The journal is damaged.", cause: "SQLite's check of the file found errors")
        }
    }

    private static func number(_ database: Database, _ query: String) throws -> Int {
        guard let value = try DatabaseValue.fetchOne(database, sql: query), case .int64(let number) = value.storage
        else { throw JournalError(.damaged, "The journal is damaged.", cause: "no answer to \(query)") }
        return Int(number)
    }

    /// The columns beside the text are copies of members of it, for the queries.
    private static let makeTables: Migration = { database in
        try database.execute(
            sql: """
                CREATE TABLE record (
                    attempt TEXT NOT NULL PRIMARY KEY,
                    sale TEXT NOT NULL,
                    state TEXT NOT NULL,
                    needed INTEGER NOT NULL,
                    text TEXT NOT NULL,
                    sealed BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX recordOfSale ON record (sale);
                CREATE INDEX recordNeeded ON record (attempt) WHERE needed;
                CREATE INDEX recordNeedingAttention ON record (attempt) WHERE state = 'needsAttention';
                CREATE TABLE keyCheck (sealed BLOB NOT NULL) STRICT;
                """)
    }

    private static let makeNotes: Migration = { database in
        try database.execute(
            sql: """
                CREATE TABLE note (
                    name TEXT NOT NULL PRIMARY KEY,
                    text TEXT NOT NULL,
                    sealed BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
#endif
