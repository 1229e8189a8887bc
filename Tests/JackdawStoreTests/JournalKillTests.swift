#if Payments
import Foundation
import JackdawJournalTestSupport
import JackdawPayments
import JackdawStore
import JackdawTestSupport
import Testing

/// A program that writes a journal is killed within its calls of the file system, again and again, and the next one always
/// finds each record that was acknowledged. `JACKDAW_KILLS` sets the number of kills.
@Suite struct JournalKillTests {
    private static let kills = ProcessInfo.processInfo.environment["JACKDAW_KILLS"].flatMap { Int($0) } ?? 8

    /// The record of a write. Each attempt is written again and again, with a number that counts the writes.
    private static func record(_ number: Int) throws -> AttemptRecord {
        let sealed = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 5 * 3_000)
        return try SampleRecords.approved("A\(number % 7)", sealed: sealed, tries: number)
    }

    /// The number of the last write that was acknowledged; 0 if none was.
    private static func acknowledged(in folder: JournalFolder) -> Int {
        let text = (try? String(contentsOfFile: folder.path + "/acknowledged", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int($0) }.last ?? 0
    }

    @Test func acknowledgedRecordsSurviveKills() async throws {
        let folder = try JournalFolder()
        var random = SeededRandom(seed: UInt64(Self.kills))
        for _ in 0..<Self.kills {
            let effect = Int.random(in: 0..<3, using: &random)
            let operation = Int.random(in: 1...60, using: &random)
            try await #require(processExitsWith: .signal(SIGKILL)) {
                [path = folder.path as String, effect = effect as Int, operation = operation as Int] in
                let folder = try JournalFolder(at: path)
                folder.arm(.all, [.killBefore, .killHalf, .killAfter][effect], at: operation)
                let store = try await folder.open()
                let first = JournalKillTests.acknowledged(in: folder) + 1
                let log = unsafe open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
                for number in first..<first + 1_000 {
                    try await store.write(try JournalKillTests.record(number))
                    let line = Array("\(number)\n".utf8)
                    guard unsafe write(log, line, line.count) == line.count else { return }
                }
            }
            let last = Self.acknowledged(in: folder)
            let store = try await folder.open()
            for number in max(1, last - 6)..<last + 1 {
                let expected = try Self.record(number)
                let found = try await store.record(of: expected.identifier)
                // The write after the last acknowledged one may be there.
                let isNext = try number + 7 == last + 1 && found == Self.record(number + 7)
                #expect(found == expected || isNext, "after write \(last)")
            }
            await store.close()
        }
        #expect(Self.acknowledged(in: folder) > 0)
    }
}
#endif
