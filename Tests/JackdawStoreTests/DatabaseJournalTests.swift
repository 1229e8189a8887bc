#if Payments
import Foundation
import GRDB
import JackdawCards
import JackdawJournalTestSupport
import JackdawPayments
import JackdawTestSupport
import Testing

@testable import JackdawStore

@Suite struct DatabaseJournalTests {
    @Test func theDatabaseIsAStore() async throws {
        #expect(try await JournalConformance { try await TestJournal() }.violations() == [])
    }

    /// The store of a folder, which lives as long as the store.
    private struct TestJournal: FolderStore {
        let folder: JournalFolder
        let store: DatabaseJournal

        init() async throws {
            folder = try JournalFolder()
            store = try await folder.open()
        }

        func write(_ record: AttemptRecord) async throws(JournalError) { try await store.write(record) }
    }

    @Test func recordsStayAfterClosing() async throws {
        let folder = try JournalFolder()
        let record = try SampleRecords.approved("A1", sealed: [1, 2, 3])
        let store = try await folder.open()
        try await store.write(record)
        await store.close()
        await #expect(throws: JournalError.self) { try await store.write(record) }
        #expect(try await folder.open().neededRecords().records == [record])
    }

    @Test func aCancelledTaskWritesItsRecord() async throws {
        let folder = try JournalFolder()
        let store = try await folder.open()
        let record = try SampleRecords.open("A1")
        try await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.write(record)
        }.value
        #expect(try await store.record(of: record.identifier) == record)
    }

    @Test func filesAreForThisUserAlone() async throws {
        let folder = try JournalFolder()
        let store = try await folder.open()
        try await store.write(SampleRecords.open("A1"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(
            names == [
                "journal.sqlite", "journal.sqlite-shm", "journal.sqlite-wal", "journal.sqlite.key",
                "journal.sqlite.lock",
            ])
        for name in names {
            let facts = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
            #expect((facts[.posixPermissions] as? Int) == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test func oneJournalUsesAFileAtATime() async throws {
        let folder = try JournalFolder()
        let store = try await folder.open()
        #expect(await folder.openingError()?.code == .inUse)
        await store.close()
        #expect(await folder.openingError() == nil)
    }

    @Test(arguments: ["", "-wal", "-shm", ".lock", ".key"])
    func linksAndFilesOfOthersAreRefused(_ ending: String) async throws {
        let folder = try JournalFolder()
        #expect(await folder.openingError() == nil)
        let (path, target) = (folder.journal + ending, folder.path + "/target")
        if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.moveItem(atPath: path, toPath: target)
        } else {
            #expect(
                FileManager.default.createFile(atPath: target, contents: nil, attributes: [.posixPermissions: 0o600]))
        }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(await folder.openingError()?.code == .notPermitted)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.linkItem(atPath: target, toPath: path)
        #expect(await folder.openingError()?.code == .notPermitted)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: target, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(await folder.openingError()?.code == .notPermitted)
    }

    @Test func aFolderInWhichOthersWriteIsRefused() async throws {
        let folder = try JournalFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.path)
        #expect(await folder.openingError()?.code == .notPermitted)
    }

    @Test func theSealedOctetsAreEncrypted() async throws {
        let folder = try JournalFolder()
        let store = try await folder.open()
        let secret = Array("the sealed octets of a card".utf8)
        for number in 0..<3 { try await store.write(SampleRecords.approved("A1", sealed: secret, tries: number)) }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
            #expect(bytes.range(of: Data(secret)) == nil, "\(name)")
        }
        await store.close()
        let sealed = try Self.sealed(folder)
        // AES-GCM adds a form, a nonce and a tag.
        #expect(sealed.count == secret.count + 1 + 12 + 16)
    }

    private static func sealed(_ folder: JournalFolder) throws -> Data {
        try change(folder) { try Data.fetchOne($0, sql: "SELECT sealed FROM record") } ?? Data()
    }

    /// Changes a closed journal in another way than the store does.
    @discardableResult
    private static func change<Value>(_ folder: JournalFolder, _ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: folder.journal)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { try body($0) }
    }

    @Test func theSameRecordIsEncryptedWithAnotherNonce() async throws {
        let folder = try JournalFolder()
        var seen: Set<Data> = []
        for _ in 0..<3 {
            let store = try await folder.open()
            try await store.write(SampleRecords.approved("A1", sealed: [1, 2, 3]))
            await store.close()
            seen.insert(try Self.sealed(folder).dropFirst().prefix(12))
        }
        #expect(seen.count == 3)
    }

    @Test(arguments: [
        "UPDATE record SET text = replace(text, '1050', '1051')",
        "UPDATE record SET sealed = CAST(sealed || x'00' AS BLOB)",
        "UPDATE record SET sealed = x''",
        "UPDATE record SET attempt = 'A9'",
        "UPDATE record SET sale = 'S9'",
        "UPDATE record SET state = 'open'",
        "UPDATE record SET text = '{'",
        "UPDATE record SET sealed = (SELECT other.sealed FROM record AS other WHERE other.attempt = 'A2')",
        "UPDATE record SET text = (SELECT other.text FROM record AS other WHERE other.attempt = 'A2')",
    ])
    func aChangedRecordIsDamaged(_ statement: String) async throws {
        let folder = try JournalFolder()
        var store = try await folder.open()
        let other = try SampleRecords.approved("A2", sale: "S2", sealed: [4, 5, 6])
        try await store.write(SampleRecords.approved("A1", sale: "S1", sealed: [1, 2, 3]))
        try await store.write(other)
        await store.close()
        try Self.change(folder) { try $0.execute(sql: statement + " WHERE attempt = 'A1'") }
        store = try await folder.open()
        // Columns that hide the record from its sale.
        guard !statement.contains("SET sale"), !statement.contains("SET state") else {
            let error = await #expect(throws: JournalError.self) { try await store.neededRecords() }
            #expect(error?.code == .damaged)
            return
        }
        let needed = try await store.neededRecords()
        #expect(needed.records == [other])
        #expect(needed.unreadable.map(\.error.code) == [.damaged])
        #expect(needed.unreadable.map(\.sale?.rawValue) == ["S1"])
        let error = await #expect(throws: JournalError.self) {
            try await store.records(of: SaleIdentifier(rawValue: "S1")!)
        }
        #expect(error?.code == .damaged)
    }

    @Test func anotherKeyIsRefused() async throws {
        let folder = try JournalFolder()
        #expect(await folder.openingError() == nil)
        let path = folder.journal + ".key"
        func replaceKey(_ text: String) throws {
            try FileManager.default.removeItem(atPath: path)
            let data = Data(text.utf8)
            #expect(
                FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600]))
        }
        for text in [String(repeating: "5c", count: 32), String(repeating: "5c", count: 31), "", "no key"] {
            try replaceKey(text)
            #expect(await folder.openingError()?.code == .wrongKey)
        }
        // A journal with records never gets a new key.
        try FileManager.default.removeItem(atPath: path)
        #expect(await folder.openingError()?.code == .wrongKey)
    }

    @Test func aPublishedTestKeyIsNoKey() async throws {
        let folder = try JournalFolder()
        // The example of ANSI X9.24-3, repeated.
        let published = "FEDCBA9876543210F1F1F1F1F1F1F1F1FEDCBA9876543210F1F1F1F1F1F1F1F1"
        let file = SecretFile(path: folder.path + "/key")
        try file.write(SecretText(copying: Array(published.utf8).span))
        let error = await #expect(throws: JournalError.self) {
            try await DatabaseJournal.open(folder.journal, key: file)
        }
        #expect(error?.code == .wrongKey)
    }

    @Test func theKeyMayComeFromAnotherFile() async throws {
        let folder = try JournalFolder()
        let file = SecretFile(path: folder.path + "/key")
        try file.write(SecretText(copying: Array(String(repeating: "5C", count: 32).utf8).span))
        let store = try await DatabaseJournal.open(folder.journal, key: file)
        try await store.write(SampleRecords.open("A1"))
        await store.close()
        #expect(!FileManager.default.fileExists(atPath: folder.journal + ".key"))
        let again = try await DatabaseJournal.open(folder.journal, key: file)
        #expect(try await again.neededRecords().records.count == 1)
    }

    private static let next = JournalSchema([
        { try JournalSchema.current.migrate($0, from: 0) },
        { _ in },
        { try $0.execute(sql: "ALTER TABLE record ADD COLUMN note TEXT") },
    ])

    @Test func anOlderJournalIsBroughtToTheVersionOfTheProgram() async throws {
        let folder = try JournalFolder()
        let record = try SampleRecords.approved("A1", sealed: [1, 2, 3])
        let old = try await folder.open()
        try await old.write(record)
        await old.close()
        let new = try await DatabaseJournal.open(folder.journal, key: nil, schema: Self.next)
        #expect(try await new.neededRecords().records == [record])
        await new.close()
        #expect(await folder.openingError()?.code == .newerVersion)
        let again = try await DatabaseJournal.open(folder.journal, key: nil, schema: Self.next)
        #expect(try await again.neededRecords().records == [record])
    }

    @Test func aJournalWithoutNotesGetsThem() async throws {
        let folder = try JournalFolder()
        let record = try SampleRecords.approved("A1", sealed: [1, 2, 3])
        let old = try await folder.open()
        try await old.write(record)
        await old.close()
        // The first version of the tables.
        try Self.change(folder) { try $0.execute(sql: "DROP TABLE note; PRAGMA user_version = 1") }
        let new = try await folder.open()
        #expect(try await new.neededRecords().records == [record])
        #expect(try await new.note(named: "terminal") == nil)
        try await new.writeNote("1", named: "terminal")
        await new.close()
        let again = try await folder.open()
        #expect(try await again.note(named: "terminal") == "1")
    }

    @Test func aRemovedNoteIsGone() async throws {
        let folder = try JournalFolder()
        let store = try await folder.open()
        for name in ["terminal", "other"] { try await store.writeNote("1", named: name) }
        try await store.removeNote(named: "terminal")
        try await store.removeNote(named: "none")
        #expect(try await store.note(named: "terminal") == nil)
        await store.close()
        let again = try await folder.open()
        #expect(try await again.note(named: "terminal") == nil)
        #expect(try await again.note(named: "other") == "1")
    }

    @Test(arguments: ["text = '2'", "name = 'other'", "sealed = x'01'"])
    func aChangedNoteIsDamaged(change: String) async throws {
        let folder = try JournalFolder()
        let store = try await folder.open()
        try await store.writeNote("1", named: "terminal")
        await store.close()
        try Self.change(folder) { try $0.execute(sql: "UPDATE note SET \(change)") }
        let again = try await folder.open()
        let name = change.hasPrefix("name") ? "other" : "terminal"
        let error = await #expect(throws: JournalError.self) { try await again.note(named: name) }
        #expect(error?.code == .damaged)
    }

    @Test func aMigrationThatFailsChangesNothing() async throws {
        let folder = try JournalFolder()
        #expect(await folder.openingError() == nil)
        let broken = JournalSchema([
            { _ in },
            { _ in },
            { database in
                try database.execute(sql: "ALTER TABLE record ADD COLUMN note TEXT")
                try database.execute(sql: "no statement")
            },
        ])
        await #expect(throws: JournalError.self) {
            try await DatabaseJournal.open(folder.journal, key: nil, schema: broken)
        }
        #expect(await folder.openingError() == nil)
    }

    @Test(arguments: ["CREATE TABLE other (a)", "PRAGMA user_version = 1"])
    func anotherDatabaseIsNoJournal(_ statement: String) async throws {
        let folder = try JournalFolder()
        try SecretFile(path: folder.journal + ".key").write(
            SecretText(copying: Array(String(repeating: "5C", count: 32).utf8).span))
        try Self.change(folder) { try $0.execute(sql: statement) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.journal)
        #expect(await folder.openingError()?.code == .damaged)
    }

    @Test(arguments: [
        (ResultCode.SQLITE_CORRUPT, JournalError.Code.damaged), (.SQLITE_CORRUPT_INDEX, .damaged),
        (.SQLITE_NOTADB, .damaged), (.SQLITE_ERROR, .damaged), (.SQLITE_FULL, .full), (.SQLITE_READONLY, .notPermitted),
        (.SQLITE_READONLY_DBMOVED, .notPermitted), (.SQLITE_PERM, .notPermitted), (.SQLITE_BUSY, .inUse),
        (.SQLITE_LOCKED, .inUse), (.SQLITE_IOERR, .system), (.SQLITE_CANTOPEN, .system), (.SQLITE_NOMEM, .system),
    ])
    func codesOfSQLite(_ code: ResultCode, _ expected: JournalError.Code) {
        let error = JournalError(DatabaseError(resultCode: code, message: "4111111111111111"))
        #expect(error.code == expected)
        #expect(!error.description.contains("4111"))
    }
}
#endif
