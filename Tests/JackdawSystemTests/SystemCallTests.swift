import Glibc
import JackdawSystem
import JackdawTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SystemCallTests {
    /// More than the pipe holds: each time that it is full, the writer waits for the reader.
    @Test func allIsWrittenToAPipeThatDoesNotBlock() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let outcome = Shared<Result<Void, SystemFailure>?>(nil)
        try WorkerThread(name: "test-write") {
            outcome.with { $0 = Result { () throws(SystemFailure) in try writeAll(bytes, to: writing) } }
            close(writing)
        }.detach()
        var found: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1_000)
        while true {
            let count = unsafe read(reading, &block, block.count)
            guard count > 0 else { break }
            found += block.prefix(count)
        }
        #expect(found == bytes)
        #expect(throws: Never.self) { try outcome.with { $0 }?.get() }
    }

    @Test func aFailureKeepsItsNumber() throws {
        let full = unsafe open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        #expect(throws: SystemFailure(code: ENOSPC)) { try writeAll([1], to: full) }
        #expect(throws: SystemFailure(code: EBADF)) { try writeAll([1], to: -1) }
    }
}
