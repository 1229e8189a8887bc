import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Links over TCP, through this computer's own loopback.
@Suite struct TCPTests {
    private let devices = LinuxDevices()

    @Test(.timeLimit(.minutes(30)), arguments: ["127.0.0.1", "::1"])
    func bytesGoBothWaysAndEachDirectionEnds(host: String) async throws {
        let listener: TCPListener
        do {
            listener = try TCPListener(at: TCPAddress(host: host, port: 0))
        } catch {
            // A system without this family of addresses says so.
            #expect(host == "::1")
            #expect([.unsupported, .notFound].contains(error.code))
            return
        }
        #expect(listener.address.port != 0)
        let near = try await devices.connect(listener.address.link)
        #expect(near.link == listener.address.link)
        let far = try await listener.accept()
        #expect(far.link.description.hasPrefix("tcp:"))
        try await near.send([1, 2, 3])
        #expect(try await far.received() == [1, 2, 3])
        try await near.endSending()
        #expect(try await far.received() == nil)
        try await far.send([4])
        #expect(try await near.received() == [4])
        await far.close()
        #expect(try await near.received() == nil)
        await near.close()
        let error = await linkError { try await near.send([1, 2]) }
        #expect(error?.code == .disconnected)
        #expect(error?.undelivered == 2)
    }

    @Test(.timeLimit(.minutes(30))) func aNameIsLookedUp() async throws {
        let listener = try TCPListener()
        let lookup = HostLookup { host, port, isNumeric in
            guard !isNumeric else { return .failure(HostLookup.Failure(code: EAI_NONAME, message: "a name")) }
            return host == "reader.example" ? HostLookup.system("127.0.0.1", port, true) : .success([])
        }
        let connector = TCPConnector(loop: try EventLoop(), lookup: lookup)
        let link = try await connector.connect(to: TCPAddress(host: "reader.example", port: listener.address.port))
        #expect(link.link.description == "tcp:reader.example:\(listener.address.port)")
        let error = await linkError { _ = try await connector.connect(to: TCPAddress(host: "other", port: 1)) }
        #expect(error?.code == .notFound)
    }

    @Test(.timeLimit(.minutes(30))) func aPortWithoutAListenerRefuses() async throws {
        // Taken and not listened at: no other test gets it.
        let calls = SystemSocketCalls()
        let own = try #require(HostLookup().numeric("127.0.0.1", port: 0)?.first)
        let descriptor = try calls.socket(try #require(own.streamKind))
        defer { calls.close(descriptor) }
        try calls.bind(descriptor, to: own)
        let port = try #require(try calls.address(descriptor).network?.port)
        let error = await linkError { _ = try await devices.connect(TCPAddress(host: "127.0.0.1", port: port).link) }
        #expect(error?.code == .refused)
        #expect(error?.code.mayPass == true)
        #expect(error?.remedy != nil)
    }

    @Test func aPortThatIsTakenIsBusy() throws {
        let listener = try TCPListener()
        let error = #expect(throws: LinkError.self) { try TCPListener(at: listener.address) }
        #expect(error?.code == .busy)
    }

    @Test(arguments: ["0.0.0.0", "192.0.2.1", "::", "2001:db8::1"])
    func otherComputersAreRefusedByDefault(host: String) {
        let error = #expect(throws: LinkError.self) { try TCPListener(at: TCPAddress(host: host, port: 0)) }
        #expect(error?.code == .notPermitted)
        #expect(error?.remedy?.contains("127.0.0.1") == true)
    }

    @Test func otherComputersAreAcceptedIfRequested() throws {
        let listener = try TCPListener(at: TCPAddress(host: "0.0.0.0", port: 0), isOpenToOthers: true)
        #expect(listener.address.port != 0)
        let name = #expect(throws: LinkError.self) { try TCPListener(at: TCPAddress(host: "reader.example", port: 0)) }
        #expect(name?.code == .badName)
    }

    @Test func manyLinksLeaveNoDescriptorOpen() async throws {
        let listener = try TCPListener()
        let loop = try EventLoop()
        let connector = TCPConnector(loop: loop)
        func sockets() throws -> Int { try openDescriptors { $0.hasPrefix("socket:") } }
        // Other tests open and close theirs at the same time: only a leak makes it more by as many as there are rounds.
        let before = try sockets()
        for _ in 0..<200 {
            let near = try await connector.connect(to: listener.address)
            let far = try await listener.accept()
            await near.close()
            await far.close()
        }
        while try sockets() > before + 100 { await Task.yield() }
    }
}

/// Connecting over TCP, with every answer that the system has.
@Suite struct TCPFaultTests {
    private let loop: EventLoop
    private let calls = ScriptedSocketCalls()
    private let clock = ManualClock()
    private let address = TCPAddress(host: "192.0.2.7", port: 4000)

    init() throws { loop = try EventLoop(name: "test") }

    private func connector(_ lookup: HostLookup = HostLookup()) -> TCPConnector {
        TCPConnector(loop: loop, lookup: lookup, calls: calls, clock: clock)
    }

    /// They are reported, and the next one is taken.
    @Test func connectionsThatCannotBeWatchedAreReported() async throws {
        let listener = try TCPListener(
            at: TCPAddress(host: "127.0.0.1", port: 0), isOpenToOthers: false, loop: loop, calls: calls)
        calls.arriveUnwatchable()
        let far = calls.arrive()
        let reported = Shared<[Int32]>([])
        let link = try await listener.accept { failure in reported.with { $0.append(failure.code) } }
        #expect(reported.with { $0 } == [EPERM])
        try await link.send([5])
        #expect(far.receive() == [5])
        await link.close()
        #expect(calls.openCount == 1)
    }

    private static let codes: [(Int32, LinkError.Code)] = [
        (ECONNREFUSED, .refused), (EHOSTUNREACH, .outOfRange), (ENETUNREACH, .outOfRange), (ENETDOWN, .outOfRange),
        (EHOSTDOWN, .outOfRange), (ETIMEDOUT, .timedOut), (EACCES, .notPermitted), (EPERM, .notPermitted),
        (EADDRINUSE, .busy), (EADDRNOTAVAIL, .notFound), (EAFNOSUPPORT, .unsupported), (ECONNRESET, .disconnected),
        (ENOMEM, .system),
    ]

    @Test(arguments: codes, [false, true])
    func eachRefusal(_ refusal: (number: Int32, code: LinkError.Code), later: Bool) async {
        if later {
            calls.fail(.connect, EINPROGRESS)
            calls.fail(.pendingFailure, refusal.number)
        } else {
            calls.fail(.connect, refusal.number)
        }
        let error = await linkError { _ = try await connector().connect(to: address) }
        #expect(error?.code == refusal.code)
        #expect(error?.underlying == SystemFailure(code: refusal.number).message)
        #expect(error?.link == "tcp:192.0.2.7:4000")
        #expect(error?.remedy != nil || [.system, .unsupported].contains(refusal.code))
        #expect(calls.openCount == 0)
        #expect(!calls.wasClosedTwice)
    }

    @Test(arguments: [
        (EACCES, LinkError.Code.notPermitted), (EAFNOSUPPORT, .unsupported), (EMFILE, .system),
    ])
    func noSocket(number: Int32, code: LinkError.Code) async {
        calls.fail(.socket, number)
        #expect(await linkError { _ = try await connector().connect(to: address) }?.code == code)
    }

    @Test func anOptionThatFailsLeavesNoDescriptor() async {
        calls.fail(.setOption, 0, ENOPROTOOPT)
        #expect(await linkError { _ = try await connector().connect(to: address) }?.code == .system)
        #expect(calls.openCount == 0)
    }

    @Test func theNextAddressIsTriedAndTheLastReasonIsReported() async throws {
        let lookup = HostLookup { _, port, isNumeric in
            guard !isNumeric else { return .success([]) }
            let hosts = ["192.0.2.1", "192.0.2.2"]
            return .success(hosts.flatMap { (try? HostLookup.system($0, port, true).get()) ?? [] })
        }
        let named = TCPAddress(host: "reader", port: 4000)
        calls.fail(.connect, ECONNREFUSED)
        _ = try await connector(lookup).connect(to: named)
        #expect(calls.addresses.map { $0.network?.host } == ["192.0.2.1", "192.0.2.2"])
        #expect(calls.options.contains { $0.name == TCP_NODELAY })
        calls.fail(.connect, ECONNREFUSED, EHOSTUNREACH)
        #expect(await linkError { _ = try await connector(lookup).connect(to: named) }?.code == .outOfRange)
    }

    @Test(arguments: [(EAI_NONAME, LinkError.Code.notFound), (EAI_AGAIN, .notFound), (EAI_FAIL, .system)])
    func noAddress(number: Int32, code: LinkError.Code) async {
        let lookup = HostLookup { _, _, _ in .failure(HostLookup.Failure(code: number, message: "words")) }
        let error = await linkError { _ = try await connector(lookup).connect(to: TCPAddress(host: "a", port: 1)) }
        #expect(error?.code == code)
        #expect(error?.underlying == "words")
        #expect(error?.remedy != nil)
    }

    /// A host that does not answer: the socket is not ready, since it has no room.
    private func silence() {
        calls.fail(.connect, EINPROGRESS)
        calls.onSocket { _, pair in
            let block = [UInt8](repeating: 0, count: 4_096)
            while unsafe send(pair.near, block, block.count, Int32(MSG_NOSIGNAL)) > 0 {}
        }
    }

    @Test(.timeLimit(.minutes(30))) func theTimeIsOver() async {
        silence()
        let task = Task { [address] in try await connector().connect(to: address, within: .seconds(8)) }
        while calls.count(.connect) == 0 { await Task.yield() }
        while clock.nextDeadline?.offset != .seconds(8) { await Task.yield() }
        clock.advance(by: .seconds(8))
        let error = await linkError { _ = try await task.value }
        #expect(error?.code == .timedOut)
        #expect(error?.code.mayPass == true)
        #expect(calls.openCount == 0)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func aSilentNameServerEndsWithTheTimeLimit(isCancelled: Bool) async throws {
        let end = try WakeUp()
        let lookup = HostLookup { _, _, isNumeric in
            if !isNumeric { _ = end.wait(milliseconds: -1) }
            return .success([])
        }
        let task = Task { try await connector(lookup).connect(to: TCPAddress(host: "a", port: 1)) }
        await clock.sleepers(1)
        if isCancelled { task.cancel() } else { clock.advance(by: .seconds(10)) }
        #expect(await linkError { _ = try await task.value }?.code == (isCancelled ? .cancelled : .timedOut))
        end.ring()
    }

    @Test(.timeLimit(.minutes(30))) func aConnectionAttemptCanBeCancelled() async {
        silence()
        let task = Task { [address] in try await connector().connect(to: address) }
        while calls.count(.connect) == 0 { await Task.yield() }
        task.cancel()
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
        #expect(calls.openCount == 0)
    }

    @Test(arguments: [ScriptedSocketCalls.Call.setOption, .bind, .listen, .address])
    func noFaultOfListeningLeavesADescriptor(call: ScriptedSocketCalls.Call) async {
        calls.fail(call, EADDRINUSE)
        let error = await linkError {
            _ = try TCPListener(
                at: TCPAddress(host: "127.0.0.1", port: 4000), isOpenToOthers: false, loop: loop, calls: calls)
        }
        #expect(error?.code == .busy)
        #expect(error?.link == "tcp:127.0.0.1:4000")
        #expect(calls.openCount == 0)
    }

    @Test func connectionsThatEndBeforeTheirLinkIsMadeAreSkipped() async throws {
        let listener = try TCPListener(
            at: TCPAddress(host: "localhost", port: 4000), isOpenToOthers: false, loop: loop, calls: calls)
        calls.fail(.setOption, EINVAL)
        _ = calls.arrive()
        let far = calls.arrive()
        let link = try await listener.accept()
        try await link.send([5])
        #expect(far.receive() == [5])
        await link.close()
        #expect(calls.openCount == 1)
    }
}
