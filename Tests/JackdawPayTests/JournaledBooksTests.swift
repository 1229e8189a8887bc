#if Payments
import Foundation
import JackdawConsole
import JackdawPayments
import JackdawSandbox
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_pay

/// Books in a file.
struct JournaledBooksTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var directory: String { folder.path }
    private var path: String { "\(directory)/\(JournaledBooks.fileName)" }

    private static func change(_ number: Int) -> SandboxChange {
        SandboxChange(.closed(SandboxKey(merchant: "1", uniqueID: "id-\(number)"), time: 1))
    }

    private static func isClosed(_ number: Int, in books: some SandboxStore) -> Bool {
        books.entry(SandboxKey(merchant: "1", uniqueID: "id-\(number)"))?.content == .closed
    }

    private func write(_ changes: [SandboxChange]) throws {
        var books = try JournaledBooks(directory: directory)
        for change in changes { try books.write(change) }
    }

    private func content() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func replace(_ bytes: [UInt8]) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    private func status(_ body: () throws -> Void) -> JackdawConsole.ExitStatus? {
        do {
            try body()
            return nil
        } catch let error as CommandError { return error.status } catch { return .usage }
    }

    @Test func changesAreThereAfterARestart() throws {
        try write([Self.change(1), SandboxChange(.password(user: "1", hash: "h"))])
        let books = try JournaledBooks(directory: directory)
        #expect(Self.isClosed(1, in: books))
        #expect(books.passwordHash(ofUser: "1") == "h")
    }

    @Test func theFileIsForThisUserAlone() throws {
        try write([Self.change(1)])
        #expect(try folder.mode(JournaledBooks.fileName) == 0o600)
        unsafe chmod(path, 0o644)
        #expect(self.status { _ = try JournaledBooks(directory: directory) } == .noInput)
    }

    @Test func linksAreNotFollowed() throws {
        let other = "\(directory)/other"
        try Data().write(to: URL(fileURLWithPath: other))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        #expect(status { _ = try JournaledBooks(directory: directory) } == .inputOutput)
    }

    @Test func oneProcessUsesTheBooksAtATime() throws {
        let books = try JournaledBooks(directory: directory)
        #expect(status { _ = try JournaledBooks(directory: directory) } == .unavailable)
        #expect(books.paymentCount == 0)
    }

    /// The end of the file after a loss of power: the last entry was written in part.
    @Test func aTornEntryIsCutOff() throws {
        try write([Self.change(1), Self.change(2)])
        let whole = try content()
        let last = Self.change(2).encoded.count + 1
        for length in (whole.count - last)..<whole.count {
            try replace(Array(whole.prefix(length)))
            do {
                var books = try JournaledBooks(directory: directory)
                #expect(Self.isClosed(1, in: books))
                #expect(!Self.isClosed(2, in: books))
                try books.write(Self.change(3))
            }
            let again = try JournaledBooks(directory: directory)
            #expect(Self.isClosed(1, in: again) && Self.isClosed(3, in: again) && !Self.isClosed(2, in: again))
        }
    }

    /// A program that is being started has copies of all descriptors until it runs.
    @Test func aCopyOfTheDescriptorHoldsNoLock() throws {
        func copyDescriptor() throws -> Int32 {
            let books = try JournaledBooks(directory: directory)
            return withExtendedLifetime(books) { dup(books.file.descriptor) }
        }
        let copy = try copyDescriptor()
        try #require(copy >= 0)
        defer { close(copy) }
        _ = try JournaledBooks(directory: directory)
    }

    /// A block that was not written is zero, also before the end of the line.
    @Test func aLastLineOfZeroesIsCutOff() throws {
        try write([Self.change(1)])
        try replace(try content() + [UInt8](repeating: 0, count: 40) + Array("}}\n".utf8))
        let books = try JournaledBooks(directory: directory)
        #expect(Self.isClosed(1, in: books))
    }

    @Test func aTornHeaderIsWrittenAgain() throws {
        try write([])
        for length in 0...JournaledBooks.header.count {
            try replace(Array(JournaledBooks.header.prefix(length)))
            try write([Self.change(1)])
            #expect(Self.isClosed(1, in: try JournaledBooks(directory: directory)))
        }
    }

    @Test func damageBeforeTheEndIsAnError() throws {
        try write([Self.change(1), Self.change(2)])
        var bytes = try content()
        bytes[JournaledBooks.header.count + 2] = 0
        try replace(bytes)
        #expect(status { _ = try JournaledBooks(directory: directory) } == .badData)
        #expect(try content() == bytes)
    }

    @Test func contradictionsAreErrors() throws {
        try write([Self.change(1)])
        try replace(try content() + Self.change(1).encoded + [UInt8(ascii: "\n")])
        #expect(status { _ = try JournaledBooks(directory: directory) } == .badData)
    }

    @Test(arguments: [
        "{\"format\":\"jackdaw-sandbox-books\",\"version\":2}\n", "text of another program", "\n", "{}\n{}\n",
    ])
    func filesOfOthersStayAsTheyAre(text: String) throws {
        try write([])
        try replace(Array(text.utf8))
        #expect(status { _ = try JournaledBooks(directory: directory) } == .badData)
        #expect(try content() == Array(text.utf8))
    }

    @Test func aFullDiskLeavesTheBooksAsBefore() throws {
        let isFull = Shared(false)
        var calls = BooksFile.Calls()
        let write = calls.write
        calls.write = { bytes, descriptor throws(SystemFailure) in
            if isFull.with({ $0 }) {
                try write(Array(bytes.prefix(5)), descriptor)
                throw SystemFailure(code: ENOSPC)
            }
            try write(bytes, descriptor)
        }
        var books = try JournaledBooks(directory: directory, calls: calls)
        try books.write(Self.change(1))
        isFull.with { $0 = true }
        let error = #expect(throws: SandboxStoreError.self) { try books.write(Self.change(2)) }
        #expect(error?.code == .notWritten)
        #expect(!Self.isClosed(2, in: books))
        isFull.with { $0 = false }
        try books.write(Self.change(3))
        let expected = JournaledBooks.header + Array("\n".utf8) + Self.change(1).encoded + Array("\n".utf8)
        #expect(try content() == expected + Self.change(3).encoded + Array("\n".utf8))
    }

    /// After fsync reports an error, it is not known what is on the disk.
    @Test func afterAFailedSyncNothingIsWritten() throws {
        let fails = Shared(false)
        var calls = BooksFile.Calls()
        calls.sync = { _ throws(SystemFailure) in
            if fails.with({ $0 }) { throw SystemFailure(code: EIO) }
        }
        var books = try JournaledBooks(directory: directory, calls: calls)
        let before = try content()
        fails.with { $0 = true }
        for number in 1...2 {
            let error = #expect(throws: SandboxStoreError.self) { try books.write(Self.change(number)) }
            #expect(error?.code == .notWritten)
            fails.with { $0 = false }
        }
        #expect(!Self.isClosed(1, in: books))
        #expect(books.file.isBroken)
        // A restart does not find what this process denied.
        #expect(try content() == before)
    }

    /// What the memory has may differ from what a restart reads, so no request is answered from it.
    @Test func brokenBooksAnswerNothing() async throws {
        let fails = Shared(false)
        var calls = BooksFile.Calls()
        calls.sync = { _ throws(SystemFailure) in
            if fails.with({ $0 }) { throw SystemFailure(code: EIO) }
        }
        let books = try JournaledBooks(directory: directory, calls: calls)
        let host = SandboxHost(
            try PayFixture.machine(store: books), now: { PayFixture.start }, booksFailed: { books.file.isBroken })
        func answers(_ path: String) async -> Bool {
            let output = await host.receive(HTTPRequest(.get, "/v3/\(path)"), from: "127.0.0.1")
            if case .silent = output.reply { return false }
            return true
        }
        #expect(await answers("user.json"))
        fails.with { $0 = true }
        var other = books
        #expect(throws: SandboxStoreError.self) { try other.write(Self.change(1)) }
        #expect(await !answers("user.json"))
    }

    @Test func anyBytesGiveBooksOrAnError() throws {
        try write([Self.change(1), Self.change(2)])
        let whole = try content()
        var random = SeededRandom(seed: 30)
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try replace(bytes)
            let status = status { _ = try JournaledBooks(directory: directory) }
            #expect(status == nil || status == .badData)
        }
    }
}
#endif
