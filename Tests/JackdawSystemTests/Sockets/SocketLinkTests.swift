import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

/// A link over a socket, when all goes well and when the two ends end.
@Suite struct SocketLinkTests {
    private let loop: EventLoop
    private let calls = ScriptedSocketCalls()

    init() throws { loop = try EventLoop() }

    /// The whole megabyte where the blocks are as large as readers send them; a part of it where it
    /// takes a turn for each byte.
    @Test(arguments: [(1, 1 << 15), (7, 1 << 17), (240, 1 << 20), (1 << 20, 1 << 20)])
    func sentBytesAreEchoed(block: Int, total: Int) async throws {
        let (near, far) = calls.give()
        let link = try SocketLink.make(near, loop, calls)
        let echo = try SocketLink.make(dup(far.descriptor), loop, SystemSocketCalls())
        var random = SeededRandom(seed: 0x5eed)
        let sent = (0..<total).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        async let echoing: Void = {
            while let bytes = try await echo.receive() { try await echo.send(bytes) }
        }()
        async let sending: Void = {
            for start in stride(from: 0, to: sent.count, by: block) {
                try await link.send(Array(sent[start..<min(start + block, sent.count)]))
            }
        }()
        let received = try await link.receive(sent.count)
        try await sending
        #expect(received == sent)
        try await link.endSending()
        try await echoing
    }

    @Test func oneDirectionEndsAndTheOtherContinues() async throws {
        let (link, far) = try calls.link(loop)
        try await link.send([1, 2, 3])
        try await link.endSending()
        #expect(far.receive() == [1, 2, 3])
        #expect(far.receive() == [])
        far.send([4, 5])
        #expect(try await link.receive() == [4, 5])
        far.end()
        #expect(try await link.receive() == nil)
        #expect(try await link.receive() == nil)
        let error = await linkError { try await link.send([6, 7]) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 2)
    }

    @Test func aLinkThatEndsAsAWholeKeepsItsOneEndUntilTheLinkIsClosed() async throws {
        let (link, far) = try calls.link(loop, .indivisible)
        try await link.endSending()
        #expect(calls.count(.endSending) == 0)
        #expect(await linkError { try await link.send([1]) }?.undelivered == 1)
        far.send([4, 5])
        #expect(try await link.receive() == [4, 5])
        await link.close()
        #expect(far.receive() == [])
    }

    @Test func theDeviceCanBeSentToAfterItEnded() async throws {
        let (link, far) = try calls.link(loop)
        far.end()
        #expect(try await link.receive() == nil)
        try await link.send([1, 2])
        #expect(far.receive() == [1, 2])
    }

    @Test func bytesBeforeTheEndAreReceived() async throws {
        let (link, far) = try calls.link(loop)
        far.send([1, 2, 3])
        far.end(both: true)
        #expect(try await link.receive(100) == [1, 2, 3])
        // The system reports such an end for ever; it is not watched.
        await link.watches([])
        let count = calls.count(.receive)
        try await settle()
        #expect(calls.count(.receive) == count)
    }

    /// Lets the loop go round several times.
    private func settle() async throws {
        let (other, far) = calls.give()
        for _ in 0..<20 {
            far.send([1])
            _ = try await loop.wait(other, for: .reading)
            var byte: [UInt8] = [0]
            _ = try SystemSocketCalls().receive(other, into: &byte, 0..<1)
        }
        calls.close(other)
    }

    @Test func theDeviceIsHeldBackWithoutAReceiver() async throws {
        let (link, far) = try calls.link(loop)
        var sent = far.fill()
        // The loop reads ahead until it has no room, and asks the system no more.
        while link.state.withLock({ $0.filling.hasRoom }) {
            await Task.yield()
            sent += far.fill()
        }
        await link.watches([])
        sent += far.fill()
        let count = calls.count(.receive)
        try await settle()
        #expect(far.send([1]) == -1)
        #expect(calls.count(.receive) == count)
        #expect(try await link.receive(sent).count == sent)
        await link.watches(.reading)
        far.send([9])
        #expect(try await link.receive() == [9])
    }

    @Test func receivedBytesAreOverwritten() async throws {
        let (link, far) = try calls.link(loop)
        far.send(Array("a test card".utf8))
        var address: UInt = 0
        let count = 11
        _ = try await link.receive { bytes in
            unsafe bytes.withUnsafeBytes { address = UInt(bitPattern: $0.baseAddress) }
        }
        #expect(try processMemory(at: address, count: count) == [UInt8](repeating: 0, count: count))
    }

    @Test func packetsStayWhole() async throws {
        let (link, far) = try calls.link(loop, .packets(size: 512))
        for packet in [[1], [2, 3], [], [4, 5, 6]] as [[UInt8]] { far.send(packet) }
        #expect(try await link.receive() == [1])
        #expect(try await link.receive() == [2, 3])
        #expect(try await link.receive() == [4, 5, 6])
        try await link.send([7, 8])
        try await link.send([9])
        #expect(far.receive() == [7, 8])
        #expect(far.receive() == [9])
        let error = await linkError { try await link.send([UInt8](repeating: 0, count: 513)) }
        #expect(error?.code == .unsupported)
        #expect(error?.undelivered == 513)
        // An empty packet before the end hides nothing after it.
        far.send([])
        far.send([10])
        far.end(both: true)
        #expect(try await link.receive() == [10])
        #expect(try await link.receive() == nil)
    }

    @Test func packetsAreHeldBackWithoutAReceiver() async throws {
        let (link, far) = try calls.link(loop, .packets(size: 20))
        var sent = 0
        while sent < 2_000 {
            guard far.send([UInt8(sent & 0xff), UInt8(sent >> 8)]) == 2 else {
                #expect(try await link.receive() != nil)
                break
            }
            sent += 1
        }
        // One was received where the system had no room for all.
        let first = sent < 2_000 ? 1 : 0
        for number in first..<sent {
            #expect(try await link.receive() == [UInt8(number & 0xff), UInt8(number >> 8)])
        }
    }

    @Test func aReleasedLinkIsClosed() async throws {
        do {
            let (link, far) = try calls.link(loop)
            far.send([1])
            _ = try await link.receive()
        }
        // The loop may hold it a moment longer.
        while calls.openCount > 0 { await Task.yield() }
        #expect(!calls.wasClosedTwice)
    }

    @Test func aTaskThatPrefersTheLoopReceivesThere() async throws {
        let (link, far) = try calls.link(loop)
        let loop = loop
        let task = Task(executorPreference: LoopTaskExecutor(loop)) {
            var isThere = true
            for _ in 0..<3 {
                _ = try await link.receive()
                isThere = isThere && loop.isHere
                try await link.send([0])
            }
            return isThere
        }
        for _ in 0..<3 {
            await link.waited(.receiver)
            far.send([1])
            while far.receive(1) == nil { await Task.yield() }
        }
        #expect(try await task.value)
    }

    /// What ends a wait in the loop's own thread, where nothing else would.
    @Test(arguments: ["cancelled", "closed", "ended", "reset"]) func aWaitInTheLoopEnds(way: String) async throws {
        let (link, far) = try calls.link(loop)
        let task = Task(executorPreference: LoopTaskExecutor(loop)) {
            await linkError { _ = try await link.receive() }
        }
        await link.waited(.receiver)
        switch way {
        case "cancelled": task.cancel()
        case "closed": await link.close()
        case "ended": far.end()
        default:
            calls.fail(.receive, ECONNRESET)
            far.send([1])
        }
        #expect(await task.value?.code == (way == "ended" ? nil : way == "cancelled" ? .cancelled : .disconnected))
        await link.close()
    }

    /// Several tasks receive in one thread, and another computes there.
    @Test func tasksThatPreferTheLoopShareIt() async throws {
        let links = try (0..<3).map { _ in try calls.link(loop) }
        let executor = LoopTaskExecutor(loop)
        let receivers = links.map { link, _ in
            Task(executorPreference: executor) { try await link.receive(300) }
        }
        let other = Task(executorPreference: executor) { for _ in 0..<1_000 { await Task.yield() } }
        for value in UInt8(0)..<100 { for (_, far) in links { far.send([value, value, value]) } }
        let expected = (UInt8(0)..<100).flatMap { [$0, $0, $0] }
        for receiver in receivers { #expect(try await receiver.value == expected) }
        await other.value
        for (link, _) in links { await link.close() }
    }
}
