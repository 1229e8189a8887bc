#if Payments
import Foundation
import JackdawJournalTestSupport
import JackdawPayments
import JackdawStore
import JackdawTestSupport
import Testing

/// The journal with errors of the file system.
@Suite struct JournalFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let operations: JournalFolder.Operations
        let effect: JournalFolder.Effect
        let repeats: Bool

        var testDescription: String {
            "\(effect) in \(operations.rawValue)\(repeats ? ", again and again" : "")"
        }
    }

    private static let faults: [Fault] = [false, true].flatMap { repeats in
        [
            Fault(operations: .write, effect: .error, repeats: repeats),
            Fault(operations: .write, effect: .torn, repeats: repeats),
            Fault(operations: .write, effect: .full, repeats: repeats),
            Fault(operations: .sync, effect: .error, repeats: repeats),
            Fault(operations: [.sync, .truncate], effect: .error, repeats: repeats),
        ]
    }

    /// What a store may have of an attempt: the record that was acknowledged last, or one whose write failed after it.
    private struct Expected {
        private var allowed: [AttemptIdentifier: [AttemptRecord?]] = [:]

        /// Writes a record, and notes the result.
        /// - Returns: the error; nil if the store has acknowledged the record.
        mutating func write(_ record: AttemptRecord, to store: any JournalStore) async
            -> JournalError?
        {
            do throws(JournalError) {
                try await store.write(record)
                allowed[record.identifier] = [record]
                return nil
            } catch {
                allowed[record.identifier, default: [nil]].append(record)
                return error
            }
        }

        /// Whether a store has an allowed record of each attempt.
        func holds(in store: any JournalStore) async throws -> Bool {
            for (attempt, records) in allowed {
                guard try await records.contains(store.record(of: attempt)) else { return false }
            }
            return true
        }
    }

    /// A store in which each write fails at first, with another error each time, and is then repeated.
    private final class FailingJournal: FolderStore {
        private let folder: JournalFolder
        let store: DatabaseJournal
        private let writes = Shared(0)

        init() async throws {
            folder = try JournalFolder()
            store = try await folder.open()
        }

        func write(_ record: AttemptRecord) async throws(JournalError) {
            let number = writes.with { number in
                number += 1
                return number
            }
            let fault = faults[number % faults.count]
            folder.arm(fault.operations, fault.effect, at: 1, repeats: fault.repeats)
            let before = try await store.record(of: record.identifier)
            do throws(JournalError) {
                try await store.write(record)
                // SQLite has no reason for some operations in a write.
                guard folder.hasFired else { return }
                throw JournalError(.system, "A write with an error of the file system succeeded.")
            } catch {
                guard folder.hasFired else { throw error }
                folder.disarm()
                let after = try await store.record(of: record.identifier)
                guard after == before || after == record else {
                    throw JournalError(.damaged, "A failed write left another record.")
                }
                try await store.write(record)
            }
        }
    }

    @Test func aStoreWhoseWritesFailAndAreRepeatedIsAStore() async throws {
        #expect(try await JournalConformance { try await FailingJournal() }.violations() == [])
    }

    @Test(arguments: faults)
    func anErrorLeavesTheOldRecordOrTheNewOne(_ fault: Fault) async throws {
        for number in 1... {
            let folder = try JournalFolder()
            let store = try await folder.open()
            var expected = Expected()
            for name in ["A1", "A2"] {
                #expect(await expected.write(try SampleRecords.open(name), to: store) == nil)
            }
            folder.arm(fault.operations, fault.effect, at: number, repeats: fault.repeats)
            for name in ["A1", "A3"] {
                let record = try SampleRecords.approved(name, sealed: Array(repeating: 7, count: 9_000))
                let error = await expected.write(record, to: store)
                #expect(error == nil || error?.code == (fault.effect == .full ? .full : .system))
            }
            await store.close()
            let hasFired = folder.hasFired
            folder.disarm()
            let again = try await folder.open()
            #expect(try await expected.holds(in: again), "after operation \(number)")
            #expect(await expected.write(try SampleRecords.open("A2", sale: "S2"), to: again) == nil)
            #expect(try await expected.holds(in: again))
            await again.close()
            guard hasFired else { break }
        }
    }

    @Test(arguments: faults)
    func theStoreGoesOnAfterAnError(_ fault: Fault) async throws {
        for number in 1..<8 {
            let folder = try JournalFolder()
            let store = try await folder.open()
            var expected = Expected()
            folder.arm(fault.operations, fault.effect, at: number, repeats: fault.repeats)
            for name in ["A1", "A2"] {
                _ = await expected.write(try SampleRecords.open(name), to: store)
            }
            folder.disarm()
            #expect(try await expected.holds(in: store))
            #expect(await expected.write(try SampleRecords.open("A1", sale: "S2"), to: store) == nil)
            #expect(await expected.write(try SampleRecords.open("A3"), to: store) == nil)
            #expect(try await expected.holds(in: store))
            await store.close()
            let again = try await folder.open()
            #expect(try await expected.holds(in: again), "after operation \(number)")
            await again.close()
        }
    }

    @Test(arguments: faults)
    func anErrorWhileAJournalIsMadeLeavesOneThatOpens(_ fault: Fault) async throws {
        for number in 1... {
            let folder = try JournalFolder()
            folder.arm(fault.operations, fault.effect, at: number, repeats: fault.repeats)
            let error = await folder.openingError()
            let hasFired = folder.hasFired
            if let error { #expect(error.code == (fault.effect == .full ? .full : .system)) }
            folder.disarm()
            #expect(await folder.openingError() == nil, "after operation \(number)")
            guard hasFired else { break }
        }
    }

    /// Fails if a write returns before the disk has it, as it does with `PRAGMA synchronous = NORMAL`.
    @Test func whatIsAcknowledgedSurvivesALossOfPower() async throws {
        let folder = try JournalFolder()
        folder.keepDurable()
        let store = try await folder.open()
        var expected = Expected()
        // Enough for SQLite to move the records from its log into the file, which it does from 1,000 pages on.
        for number in 0..<150 {
            let sealed = [UInt8](
                repeating: UInt8(number), count: number.isMultiple(of: 10) ? 0 : 40_000)
            let record = try SampleRecords.approved("A\(number % 20)", sealed: sealed, tries: number)
            #expect(await expected.write(record, to: store) == nil)
            guard number < 5 || number.isMultiple(of: 25) else { continue }
            let other = try folder.afterLossOfPower()
            let left = try await other.open()
            #expect(try await expected.holds(in: left), "after write \(number)")
            await left.close()
        }
        await store.close()
    }

    private func makeFile() async throws -> (
        file: Data, folder: JournalFolder, records: [AttemptRecord]
    ) {
        let folder = try JournalFolder()
        let store = try await folder.open()
        for number in 0..<30 {
            let sealed = [UInt8](repeating: UInt8(number), count: number * 100)
            try await store.write(
                SampleRecords.approved("A\(number)", sale: "S\(number / 3)", sealed: sealed))
        }
        let records = try await store.neededRecords().records
        await store.close()
        return (try Data(contentsOf: URL(filePath: folder.journal)), folder, records)
    }

    /// Reads everything in a journal.
    /// - Returns: the code of the first error; nil if the records are those that were written.
    private func read(_ folder: JournalFolder, _ records: [AttemptRecord]) async -> JournalError
        .Code?
    {
        do throws(JournalError) {
            let store = try await folder.open()
            do throws(JournalError) {
                let needed = try await store.neededRecords()
                if let unreadable = needed.unreadable.first { throw unreadable.error }
                #expect(needed.records == records)
                for record in records {
                    let found = try await store.record(of: record.identifier)
                    #expect(found == record)
                    let ofSale = try await store.records(of: record.request.sale)
                    #expect(ofSale.contains(record))
                }
                await store.close()
                return nil
            } catch {
                await store.close()
                return error.code
            }
        } catch {
            return error.code
        }
    }

    @Test func damageIsFound() async throws {
        let (file, original, records) = try await makeFile()
        var random = SeededRandom(seed: 1)
        var codes: [JournalError.Code?: Int] = [:]
        for _ in 0..<100 {
            var bytes = file
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes = bytes.prefix(Int.random(in: 1..<bytes.count, using: &random))
            case 1:
                let start = Int.random(in: bytes.indices, using: &random)
                let end = min(bytes.count, start + Int.random(in: 1...4_096, using: &random))
                bytes.replaceSubrange(start..<end, with: Data(count: end - start))
            case 2:
                // A byte of the header.
                bytes[Int.random(in: 0..<100, using: &random)] = UInt8.random(in: 0...255, using: &random)
            default:
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
            }
            let folder = try JournalFolder()
            let key = try Data(contentsOf: URL(filePath: original.journal + ".key"))
            for (path, data) in [(folder.journal, bytes), (folder.journal + ".key", key)] {
                #expect(
                    FileManager.default.createFile(
                        atPath: path, contents: data, attributes: [.posixPermissions: 0o600]))
            }
            codes[await read(folder, records), default: 0] += 1
        }
        let others = codes.keys.filter { ![nil, .damaged, .newerVersion].contains($0) }
        #expect(others.isEmpty)
        #expect(codes[.damaged, default: 0] > 60)
    }
}
#endif
