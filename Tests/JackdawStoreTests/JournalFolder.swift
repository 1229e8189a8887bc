#if Payments
import CFaultVFS
import Foundation
import JackdawPayments
import JackdawStore

/// A folder with a journal, which is removed at the end; and the faults of the file system in it.
final class JournalFolder: Sendable {
    let path: String
    private let plan: Int32

    var journal: String { path + "/journal.sqlite" }

    convenience init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "jackdaw-journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // SQLite hands paths without links to its file system.
        try self.init(at: url.resolvingSymlinksInPath().path)
    }

    /// A folder that exists.
    init(at path: String) throws {
        self.path = path
        guard jackdaw_fault_register() == 0 else { throw CocoaError(.featureUnsupported) }
        plan = unsafe jackdaw_fault_add(path + "/")
        guard plan >= 0 else { throw CocoaError(.featureUnsupported) }
    }

    deinit {
        jackdaw_fault_remove(plan)
        try? FileManager.default.removeItem(atPath: path)
    }

    func open() async throws(JournalError) -> DatabaseJournal { try await DatabaseJournal.open(journal) }

    /// The error of opening the journal; nil if it opens.
    func openingError() async -> JournalError? {
        do throws(JournalError) {
            await (try open()).close()
            return nil
        } catch {
            return error
        }
    }

    struct Operations: OptionSet {
        let rawValue: Int32
        static let write = Operations(rawValue: Int32(JACKDAW_FAULT_WRITE.rawValue))
        static let sync = Operations(rawValue: Int32(JACKDAW_FAULT_SYNC.rawValue))
        static let truncate = Operations(rawValue: Int32(JACKDAW_FAULT_TRUNCATE.rawValue))
        static let all: Operations = [.write, .sync, .truncate]
    }

    enum Effect: CaseIterable {
        case error, torn, full, killBefore, killHalf, killAfter

        fileprivate var number: Int32 {
            let effect =
                switch self {
                case .error: JACKDAW_FAULT_ERROR
                case .torn: JACKDAW_FAULT_TORN
                case .full: JACKDAW_FAULT_FULL
                case .killBefore: JACKDAW_FAULT_KILL_BEFORE
                case .killHalf: JACKDAW_FAULT_KILL_HALF
                case .killAfter: JACKDAW_FAULT_KILL_AFTER
                }
            return Int32(effect.rawValue)
        }
    }

    /// Lets the operation with a number, from 1, have an effect; with `repeats` also those after it.
    func arm(_ operations: Operations, _ effect: Effect, at number: Int, repeats: Bool = false) {
        jackdaw_fault_arm(plan, operations.rawValue, effect.number, number, repeats ? 1 : 0)
    }

    func disarm() { arm(.all, .error, at: 0) }

    var hasFired: Bool { jackdaw_fault_fired(plan) != 0 }

    func keepDurable() { jackdaw_fault_keep_durable(plan) }

    /// A folder with the files that a loss of power would leave now.
    func afterLossOfPower() throws -> JournalFolder {
        let other = try JournalFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".durable") {
            try FileManager.default.copyItem(
                atPath: "\(path)/\(name)", toPath: "\(other.path)/\(name.dropLast(".durable".count))")
        }
        // The key is written before the first record.
        try FileManager.default.copyItem(atPath: journal + ".key", toPath: other.journal + ".key")
        return other
    }
}

/// The store of a folder, which reads as its database does.
protocol FolderStore: JournalStore {
    var store: DatabaseJournal { get }
}

extension FolderStore {
    func neededRecords() async throws(JournalError) -> NeededRecords { try await store.neededRecords() }
    func record(of attempt: AttemptIdentifier) async throws(JournalError) -> AttemptRecord? {
        try await store.record(of: attempt)
    }
    func records(of sale: SaleIdentifier) async throws(JournalError) -> [AttemptRecord] {
        try await store.records(of: sale)
    }
    func writeNote(_ text: String, named name: String) async throws(JournalError) {
        try await store.writeNote(text, named: name)
    }
    func note(named name: String) async throws(JournalError) -> String? { try await store.note(named: name) }
    func removeNote(named name: String) async throws(JournalError) { try await store.removeNote(named: name) }
}
#endif
