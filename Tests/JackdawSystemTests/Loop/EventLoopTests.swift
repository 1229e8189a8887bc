import Glibc
import JackdawSystem
import Testing

/// The thread that waits for descriptors.
@Suite struct EventLoopTests {
    /// Two ends of a pipe of bytes.
    private func pair() -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends)
        precondition(result == 0)
        return (ends[0], ends[1])
    }

    /// Counts bytes on a loop.
    private actor Counter {
        private let loop: EventLoop
        private(set) var log: [Int] = []
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) { self.loop = loop }

        func append(_ value: Int) { log.append(value) }
        func isOnLoop() { loop.checkIsolated() }
    }

    @Test func actorsRunOnTheLoopOneAfterTheOther() async throws {
        let loop = try EventLoop()
        let counter = Counter(loop)
        await counter.isOnLoop()
        await withTaskGroup { group in
            for value in 0..<200 { group.addTask { await counter.append(value) } }
        }
        #expect(await counter.log.sorted() == Array(0..<200))
    }

    @Test func watchersAreCalledOnTheLoop() async throws {
        let loop = try EventLoop()
        let (here, there) = pair()
        defer {
            close(here)
            close(there)
        }
        let counter = Counter(loop)
        let (calls, continuation) = AsyncStream.makeStream(of: Readiness.self)
        let watch = try loop.watch(here, for: .reading) { readiness in
            counter.assumeIsolated { $0.append(Int(readiness.rawValue)) }
            var byte: UInt8 = 0
            _ = unsafe read(here, &byte, 1)
            continuation.yield(readiness)
        }
        var byte: UInt8 = 7
        _ = unsafe write(there, &byte, 1)
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next() == .reading)
        loop.change(watch, to: .writing)
        #expect(await iterator.next() == .writing)
        loop.unwatch(watch)
        // The descriptor may be watched again, by another.
        let next = try loop.watch(here, for: .writing) { _ in continuation.yield([]) }
        while await iterator.next() != [] {}
        loop.unwatch(next)
    }

    @Test func theEndOfTheOtherSideIsReportedToEveryWatcher() async throws {
        let loop = try EventLoop()
        let (here, there) = pair()
        defer { close(here) }
        let (calls, continuation) = AsyncStream.makeStream(of: Readiness.self)
        let watch = try loop.watch(here, for: []) { continuation.yield($0) }
        close(there)
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next() == [.reading, .writing])
        loop.unwatch(watch)
    }

    @Test func invalidDescriptorsAreNotWatched() throws {
        let loop = try EventLoop()
        #expect(throws: SystemFailure(code: EBADF)) { try loop.watch(-1, for: .reading) { _ in } }
    }

    @Test func aReleasedLoopEnds() async throws {
        weak var held: EventLoop?
        do {
            let loop = try EventLoop()
            held = loop
            await Counter(loop).isOnLoop()
            await Task(executorPreference: LoopTaskExecutor(loop)) {}.value
        }
        // Its thread may hold it to the end of its turn, and not while it waits.
        while held != nil { await Task.yield() }
    }

    @Test func jobsThatFollowEachOtherLeaveTimeForDescriptors() async throws {
        let loop = try EventLoop()
        let (here, there) = pair()
        defer {
            close(here)
            close(there)
        }
        let spinning = Task(executorPreference: LoopTaskExecutor(loop)) {
            while !Task.isCancelled { await Task.yield() }
        }
        // On the loop itself: another waiting thread may not get a turn while a core spins.
        let watch = try loop.watch(here, for: .reading) { _ in
            spinning.cancel()
            // Left there, it would keep the loop busy until this test has its turn again.
            var byte: UInt8 = 0
            _ = unsafe read(here, &byte, 1)
        }
        var byte: UInt8 = 7
        _ = unsafe write(there, &byte, 1)
        await spinning.value
        loop.unwatch(watch)
    }
}
