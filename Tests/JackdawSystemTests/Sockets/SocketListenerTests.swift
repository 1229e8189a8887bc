import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

/// What a listener does when the system is short of something.
@Suite struct SocketListenerTests {
    private let calls = ScriptedSocketCalls()

    private func listener() throws -> SocketListener {
        let failures = SocketFailures(
            noSocket: { .system($0, link: $1, "no socket") }, notConnected: { .system($0, link: $1, "no link") },
            lost: { failure, link, _ in .system(failure, link: link, "lost") })
        return try SocketListener(
            at: SocketAddress(bytes: []), SocketKind(domain: AF_UNIX, type: 1, protocolNumber: 0), options: [],
            link: "test:1", failures: failures, loop: EventLoop(), calls: calls)
    }

    @Test func shortagesOfDescriptorsAreRetried() async throws {
        let listener = try listener()
        let shortages = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
        // The first look does not show whether a connection waits.
        for code in [EMFILE] + shortages { calls.fail(.accept, code) }
        let far = calls.arrive()
        let clock = LeapingClock()
        let reported = Shared<[Int32]>([])
        let (descriptor, _) = try await listener.accept(clock: clock) { failure in
            reported.with { $0.append(failure.code) }
        }
        #expect(reported.with { $0 } == shortages)
        #expect(clock.now.offset == .milliseconds(100 * shortages.count))
        _ = try calls.send(descriptor, [7].span)
        #expect(far.receive() == [7])
        calls.close(descriptor)
    }

    @Test(.timeLimit(.minutes(30))) func aShortageWithoutAConnectionIsNone() async throws {
        let listener = try listener()
        calls.fail(.accept, EMFILE)
        let task = Task {
            try await listener.accept(clock: ManualClock()) { failure in Issue.record("\(failure)") }
        }
        while calls.count(.accept) == 0 { await Task.yield() }
        let far = calls.arrive()
        let (descriptor, _) = try await task.value
        _ = try calls.send(descriptor, [7].span)
        #expect(far.receive() == [7])
        calls.close(descriptor)
    }

    /// libdispatch traps if it finds no free descriptor.
    @Test(.timeLimit(.minutes(30))) func connectionsLeaveDescriptorsFree() async {
        await #expect(processExitsWith: .success) {
            let calls = SystemSocketCalls()
            let kind = SocketKind(domain: AF_INET, type: 1, protocolNumber: 0)
            let listening = try calls.socket(kind)
            try calls.listen(listening, backlog: 64)
            let address = try calls.address(listening)
            for _ in 0..<20 { try? calls.connect(try calls.socket(kind), to: address) }
            // Descriptors that the process inherited may be open above these: fill all numbers below the limit.
            let highest = (0..<65_536).last { fcntl($0, F_GETFD) >= 0 } ?? 0
            var last: Int32 = 0
            while last <= highest { last = dup(listening) }
            let count = rlim_t(last) + 10
            var limit = rlimit(rlim_cur: count, rlim_max: count)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var accepted: [Int32] = []
            do throws(SystemFailure) {
                while true {
                    var entry = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
                    _ = unsafe poll(&entry, 1, -1)
                    accepted.append(try calls.accept(listening))
                }
            } catch {
                #expect(error.code == EMFILE)
            }
            #expect(!accepted.isEmpty)
            #expect(accepted.allSatisfy { $0 < last + 6 })
        }
    }

    @Test func otherFaultsEndIt() async throws {
        let listener = try listener()
        calls.fail(.accept, EBADF)
        #expect(await linkError { _ = try await listener.accept() }?.code == .system)
    }

    @Test(.timeLimit(.minutes(30))) func aWaitDuringAShortageCanBeCancelled() async throws {
        let listener = try listener()
        for _ in 0..<1_000 { calls.fail(.accept, EMFILE) }
        _ = calls.arrive()
        let clock = ManualClock()
        let task = Task { try await listener.accept(clock: clock) }
        await clock.sleepers(1)
        task.cancel()
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
    }
}
