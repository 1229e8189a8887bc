import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

/// A link over a socket, when the system, the device or the caller is not kind to it.
@Suite struct SocketLinkFaultTests {
    private let loop: EventLoop
    private let calls = ScriptedSocketCalls()

    init() throws { loop = try EventLoop() }

    @Test(arguments: [ECONNRESET, ETIMEDOUT, ENOTCONN, ECONNABORTED, ENETDOWN, EIO])
    func bytesBeforeALossAreReceivedAndTheReasonFollows(code: Int32) async throws {
        calls.fail(.receive, 0, code)
        let (link, far) = try calls.link(loop)
        far.send([1, 2, 3])
        #expect(try await link.receive() == [1, 2, 3])
        far.send([4])
        for _ in 0..<3 {
            let error = await linkError { _ = try await link.receive() }
            #expect(error?.code == .disconnected)
            #expect(error?.underlying == SystemFailure(code: code).message)
        }
        await link.watches([])
    }

    @Test func theErrorOfSendingIsAlsoThatOfReceiving() async throws {
        calls.fail(.send, ECONNRESET)
        let (link, far) = try calls.link(loop)
        let error = await linkError { try await link.send([1, 2, 3]) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 3)
        // The system has reported the reason, and now only reports the end of the device.
        far.end()
        let later = await linkError { _ = try await link.receive() }
        #expect(later?.underlying == error?.underlying)
    }

    @Test func aDeviceThatEndedInGoodOrderIsNoLossToTheReceiver() async throws {
        calls.fail(.send, EPIPE)
        let (link, far) = try calls.link(loop)
        far.send([1])
        far.end()
        #expect(await linkError { try await link.send([2]) }?.undelivered == 1)
        #expect(try await link.receive() == [1])
        #expect(try await link.receive() == nil)
    }

    @Test(arguments: [1, 2, 3, 100]) func shortWritesAndReadsLoseNothing(count: Int) async throws {
        calls.limit(.send, to: count)
        calls.limit(.receive, to: count)
        let (link, far) = try calls.link(loop)
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try await link.send(bytes)
        #expect(far.receive() == bytes)
        #expect(calls.count(.send) == (200 + count - 1) / count)
        far.send(bytes)
        #expect(try await link.receive(200) == bytes)
    }

    @Test func noStormOfFullBuffersLosesAnything() async throws {
        calls.fail(.send, EAGAIN, EAGAIN, EAGAIN, 0, EAGAIN, EAGAIN, 0, EAGAIN)
        calls.fail(.receive, EAGAIN, EAGAIN, 0, EAGAIN, EAGAIN, EAGAIN)
        calls.limit(.send, to: 4)
        calls.limit(.receive, to: 4)
        let (link, far) = try calls.link(loop)
        try await link.send([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(far.receive() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        // Each time the system said so, the loop was asked once, and no other call was made.
        #expect(calls.count(.send) == 9)
        far.send([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(try await link.receive(10) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(calls.count(.receive) == 8)
    }

    @Test func closingEndsWaitingSendersAndReceivers() async throws {
        let (link, far) = try calls.link(loop)
        let filled = try await fill(link)
        let receiving = Task { try await link.receive() }
        let sending = Task { try await link.send([UInt8](repeating: 1, count: 50)) }
        await link.waited(.receiver)
        await link.waited(.sender)
        await link.close()
        await link.close()
        #expect(await linkError { _ = try await receiving.value }?.code == .disconnected)
        let error = await linkError { try await sending.value }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 50)
        #expect(await linkError { _ = try await link.receive() }?.code == .disconnected)
        #expect(await linkError { try await link.send([1]) }?.undelivered == 1)
        try await link.endSending()
        #expect(calls.openCount == 0)
        #expect(!calls.wasClosedTwice)
        #expect(far.receive()?.count == filled)
    }

    /// A terminal's may take long, and the loop goes on.
    @Test(.timeLimit(.minutes(30))) func noLockIsHeldWhileTheSystemCloses() async throws {
        let (link, _) = try calls.link(loop)
        let watched = Shared<Readiness?>(nil)
        calls.onClose { [weak link] in
            let interest = link?.state.withLock { $0.interest }
            watched.with { $0 = interest }
        }
        await link.close()
        #expect(watched.with { $0 } == [])
        #expect(calls.openCount == 0)
    }

    /// Sends until the system takes no more.
    /// - Returns: how many bytes it took.
    private func fill(_ link: SocketLink) async throws -> Int {
        let most = 1 << 22
        let task = Task { try await link.send([UInt8](repeating: 0x55, count: most)) }
        await link.waited(.sender)
        task.cancel()
        let error = await linkError { try await task.value }
        #expect(error?.code == .cancelled)
        return most - (error?.undelivered ?? 0)
    }

    @Test func aCancelledReceiverLosesNoBytes() async throws {
        let (link, far) = try calls.link(loop)
        for round in 0..<50 as Range<UInt8> {
            let task = Task { try await link.receive() }
            if round % 2 == 0 { await link.waited(.receiver) }
            task.cancel()
            if round % 3 == 0 { far.send([round]) }
            var received: [UInt8] = []
            do {
                received = try await task.value ?? []
            } catch {
                #expect((error as? LinkError)?.code == .cancelled)
            }
            if round % 3 == 0, received.isEmpty { received = try await link.receive() ?? [] }
            #expect(received == (round % 3 == 0 ? [round] : []))
        }
    }

    @Test func aTaskThatWasCancelledBeforeReceivesNothing() async throws {
        let (link, far) = try calls.link(loop)
        far.send([1])
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return try await link.receive()
        }
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
        #expect(try await link.receive() == [1])
    }

    @Test func aCancelledSenderReportsUndeliveredBytes() async throws {
        let (link, far) = try calls.link(loop)
        let sent = try await fill(link)
        var received = 0
        while received < sent { received += far.receive()?.count ?? 0 }
        #expect(received == sent)
        #expect(far.receive() == nil)
        // The link is as open as before.
        try await link.send([1, 2])
        #expect(far.receive() == [1, 2])
    }

    @Test func theDeviceEndsWhileSomeoneSends() async throws {
        let (link, far) = try calls.link(loop)
        let sent = try await fill(link)
        let sending = Task { try await link.send([UInt8](repeating: 1, count: 70)) }
        await link.waited(.sender)
        far.end(both: true)
        let error = await linkError { try await sending.value }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 70)
        #expect(far.receive()?.count == sent)
    }

    @Test func anErrorOfEndingThrows() async throws {
        calls.fail(.endSending, ENOTCONN)
        let (link, _) = try calls.link(loop)
        #expect(await linkError { try await link.endSending() }?.code == .disconnected)
    }

    @Test func packetsBeforeALossAreReceived() async throws {
        calls.fail(.receive, 0, 0, ECONNRESET)
        let (near, far) = calls.give(packets: true)
        far.send([1])
        far.send([2, 3])
        far.send([4])
        let link = try SocketLink.make(near, loop, calls, .packets(size: 20))
        #expect(try await link.receive() == [1])
        #expect(try await link.receive() == [2, 3])
        #expect(await linkError { _ = try await link.receive() }?.code == .disconnected)
    }

    @Test func aDescriptorThatCannotBeWatchedIsClosed() throws {
        let (near, far) = calls.give()
        // A file is always ready, and epoll takes none.
        let file = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        dup2(file, near)
        close(file)
        #expect(throws: LinkError.self) { try SocketLink.make(near, loop, calls) }
        #expect(calls.openCount == 0)
        _ = far
    }

    /// It was not watched while no task received, and can no longer be watched for room to send.
    @Test(.timeLimit(.minutes(30))) func aSenderDoesNotWaitForAnUnwatchableDescriptor() async throws {
        let (near, far) = calls.give()
        let link = try SocketLink.make(near, loop, calls)
        far.send([UInt8](repeating: 7, count: ReadAhead.capacity))
        await link.watches([])
        let file = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        dup2(file, near)
        close(file)
        calls.fail(.send, EAGAIN, EAGAIN)
        let error = await linkError { try await link.send([1, 2]) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 2)
        // What was read before is still there.
        #expect(try await link.receive(ReadAhead.capacity).count == ReadAhead.capacity)
        #expect(await linkError { _ = try await link.receive() }?.code == .disconnected)
    }

    @Test func manyLinksLeaveNoDescriptorOpen() async throws {
        for round in 0..<300 {
            let (link, far) = try calls.link(loop)
            far.send([1])
            if round % 3 == 0 { _ = try await link.receive() }
            if round % 2 == 0 { await link.close() }
        }
        while calls.openCount > 0 { await Task.yield() }
        #expect(!calls.wasClosedTwice)
    }
}
