import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Connecting to a channel, with every answer that the system has.
@Suite struct RFCOMMConnectorTests {
    private let loop: EventLoop
    private let calls = ScriptedSocketCalls.bluetooth()
    private let clock = ManualClock()
    private let connector: RFCOMMConnector
    private let address: RFCOMMAddress

    init() throws {
        loop = try EventLoop()
        connector = RFCOMMConnector(loop: loop, calls: calls, clock: clock)
        address = RFCOMMAddress(device: calls.device, channel: 3)
    }

    /// What each number of the system means to who connects.
    private static let codes: [(Int32, LinkError.Code)] = [
        (ECONNREFUSED, .refused), (EHOSTDOWN, .outOfRange), (ETIMEDOUT, .timedOut), (EHOSTUNREACH, .adapterOff),
        (ENETDOWN, .adapterOff), (ENODEV, .adapterOff), (EADDRNOTAVAIL, .adapterOff), (EAFNOSUPPORT, .system),
        (EPROTONOSUPPORT, .unsupported), (EPERM, .notPermitted), (EACCES, .rejected), (EBADE, .pairedElsewhere),
        (ELOOP, .rejected),
        (EOPNOTSUPP, .unsupported), (ENOMEM, .system), (EPROTO, .system), (ENOSYS, .system),
    ]

    /// What each number means where there is not even a socket.
    private static let socketCodes: [(Int32, LinkError.Code)] = [
        (EAFNOSUPPORT, .unsupported), (EPROTONOSUPPORT, .unsupported), (ESOCKTNOSUPPORT, .unsupported),
        (EPERM, .notPermitted), (EACCES, .notPermitted), (EMFILE, .system), (ENOMEM, .system),
    ]

    @Test(arguments: codes) func eachRefusalAtOnce(number: Int32, code: LinkError.Code) async {
        calls.fail(.connect, number)
        await expectFailure(number, code)
    }

    @Test(arguments: codes) func eachRefusalLater(number: Int32, code: LinkError.Code) async {
        calls.fail(.connect, EINPROGRESS)
        calls.fail(.pendingFailure, number)
        await expectFailure(number, code)
    }

    /// The channel of a link that was closed a moment ago.
    @Test(arguments: [EBUSY, ECONNRESET]) func aChannelInUseIsTriedAgain(number: Int32) async throws {
        calls.fail(.connect, number, number)
        async let link = connector.connect(to: address)
        for pause in RFCOMMConnector.pauses.prefix(2) { await passAfter(pause) }
        #expect(try await link.link == address.link)
        #expect(calls.count(.connect) == 3)
        await (try await link).close()
        #expect(calls.openCount == 0)
    }

    @Test(arguments: [(EBUSY, LinkError.Code.busy), (EALREADY, .busy), (EMLINK, .busy), (ECONNRESET, .disconnected)])
    func aChannelThatStaysInUseFails(number: Int32, code: LinkError.Code) async {
        for _ in 0...RFCOMMConnector.pauses.count {
            calls.fail(.connect, EINPROGRESS)
            calls.fail(.pendingFailure, number)
        }
        async let failure: Void = expectFailure(number, code)
        for pause in RFCOMMConnector.pauses { await passAfter(pause) }
        await failure
        #expect(calls.count(.connect) == RFCOMMConnector.pauses.count + 1)
    }

    /// Lets time pass once a task waits, besides the task that limits the duration.
    private func passAfter(_ pause: Duration) async {
        await clock.sleepers(2)
        clock.advance(by: pause)
    }

    @Test(arguments: socketCodes) func noSocket(number: Int32, code: LinkError.Code) async {
        calls.fail(.socket, number)
        await expectFailure(number, code)
    }

    /// A device of which the radio says that it lacks something (`EPROTONOSUPPORT`) says nothing about this kernel.
    @Test func aDeviceThatLacksSomethingIsNoKernelThatDoes() async {
        calls.fail(.connect, EPROTONOSUPPORT)
        let device = await linkError { _ = try await connector.connect(to: address) }
        calls.fail(.socket, EPROTONOSUPPORT)
        let kernel = await linkError { _ = try await connector.connect(to: address) }
        #expect(device?.message.contains("kernel") == false)
        #expect(kernel?.message.contains("kernel") == true)
    }

    /// Where a program may not use the kernel's sockets, bluetoothd can connect for it.
    @Test(arguments: [EAFNOSUPPORT, EPROTONOSUPPORT, EPERM, EACCES]) func missingSocketsSuggestTheRouteOverBluetoothd(
        number: Int32
    ) async {
        calls.fail(.socket, number)
        let error = await linkError { _ = try await connector.connect(to: address) }
        #expect(error?.remedy?.contains("--route bluetoothd") == true)
        #expect(error?.code.mayPass == false)
    }

    @Test func noSecurity() async {
        calls.fail(.setOption, EPERM)
        await expectFailure(EPERM, .notPermitted)
        #expect(calls.count(.connect) == 0)
    }

    @Test func aQuestionThatFails() async {
        calls.fail(.connect, EINPROGRESS)
        calls.fail(.isConnected, EIO)
        await expectFailure(EIO, .system)
    }

    /// A socket that another program has connected, and that may wait when it is released.
    @Test func aConnectedSocketIsTakenOver() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let connector = RFCOMMConnector(loop: loop)
        let link = try #require(try connector.adopt(ends[0], as: address) as? SocketLink)
        #expect(link.link == address.link)
        #expect(fcntl(ends[0], F_GETFL, 0) & O_NONBLOCK != 0)
        #expect(fcntl(ends[0], F_GETFD, 0) & FD_CLOEXEC != 0)
        try await link.send([1, 2, 3])
        var bytes: [UInt8] = [0, 0, 0, 0]
        #expect(unsafe read(ends[1], &bytes, 4) == 3)
        #expect(unsafe write(ends[1], bytes, 2) == 2)
        let received = try await link.receive(2)
        #expect(received == [1, 2])
        await link.close()
        #expect(unsafe read(ends[1], &bytes, 4) == 0)
        close(ends[1])
    }

    @Test func onlyConnectedStreamSocketsAreAdopted() async throws {
        let connector = RFCOMMConnector(loop: loop)
        let lone = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let file = unsafe open("/dev/null", O_RDWR)
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let cases: [(Int32, Int32)] = [
            (lone, ENOTCONN), (file, ENOTSOCK), (-1, EBADF), (ends[0], ESOCKTNOSUPPORT),
        ]
        for (descriptor, number) in cases {
            let error = await linkError { _ = try connector.adopt(descriptor, as: address) }
            #expect(error?.code == .system)
            #expect(error?.underlying == SystemFailure(code: number).message)
        }
    }

    private func expectFailure(_ number: Int32, _ code: LinkError.Code) async {
        let error = await linkError { _ = try await connector.connect(to: address) }
        #expect(error?.code == code)
        #expect(error?.underlying == SystemFailure(code: number).message)
        #expect(error?.link == address.link.description)
        #expect(error?.remedy != nil || [.system, .unsupported].contains(code))
        #expect(calls.openCount == 0)
        #expect(!calls.wasClosedTwice)
    }

    @Test(arguments: [false, true]) func aLinkCarriesBytesOnceItIsConnected(atOnce: Bool) async throws {
        if !atOnce { calls.fail(.connect, EINPROGRESS) }
        let link = try await connector.connect(to: address)
        #expect(link.link == address.link)
        #expect(calls.addresses == [.rfcomm(calls.device, channel: 3)])
        try await link.send([1, 2])
        let far = try #require(calls.made.first)
        #expect(far.receive() == [1, 2])
        await link.close()
        #expect(calls.openCount == 0)
    }

    @Test func spuriousWakeUpsDoNotCountAsConnected() async throws {
        calls.fail(.connect, EINPROGRESS)
        calls.fail(.isConnected, ENOTCONN, ENOTCONN, ENOTCONN)
        _ = try await connector.connect(to: address)
        #expect(calls.count(.isConnected) == 4)
    }

    @Test func aLinkThatEndsBeforeItBeganAndDoesNotSayWhy() async {
        let attempts = RFCOMMConnector.pauses.count + 1
        for _ in 0..<attempts {
            calls.fail(.connect, EINPROGRESS)
            calls.fail(.isConnected, ENOTCONN)
        }
        calls.onSocket { _, pair in pair.far.end(both: true) }
        async let failure: Void = expectFailure(ENOTCONN, .disconnected)
        for pause in RFCOMMConnector.pauses { await passAfter(pause) }
        await failure
        #expect(calls.count(.isConnected) == attempts)
    }

    /// A device that does not answer: the socket is not ready, since it has no room.
    private func silence() {
        calls.fail(.connect, EINPROGRESS)
        calls.onSocket { _, pair in
            let block = [UInt8](repeating: 0, count: 4_096)
            while unsafe send(pair.near, block, block.count, Int32(MSG_NOSIGNAL)) > 0 {}
        }
    }

    @Test func theTimeIsOver() async {
        silence()
        let task = Task { [connector, address] in try await connector.connect(to: address, within: .seconds(8)) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(7))
        #expect(clock.nextDeadline?.offset == .seconds(8))
        clock.advance(by: .seconds(1))
        let error = await linkError { _ = try await task.value }
        #expect(error?.code == .timedOut)
        #expect(error?.remedy != nil)
        #expect(calls.openCount == 0)
    }

    @Test(arguments: [false, true]) func aConnectionAttemptCanBeCancelled(later: Bool) async {
        silence()
        let task = Task { [connector, address] in try await connector.connect(to: address) }
        if later {
            await clock.sleepers(1)
            while calls.count(.connect) == 0 { await Task.yield() }
        }
        task.cancel()
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
        #expect(calls.openCount == 0)
        #expect(clock.nextDeadline == nil)
    }

    @Test func cancellationAtTheMomentOfConnectionLeavesNoSocket() async {
        for _ in 0..<100 {
            calls.fail(.connect, EINPROGRESS)
            let task = Task { [connector, address] in try await connector.connect(to: address, within: nil) }
            await Task.yield()
            task.cancel()
            // Either is right, and neither leaves anything behind.
            let error = await linkError { await (try task.value).close() }
            #expect(error == nil || error?.code == .cancelled)
        }
        while calls.openCount > 0 { await Task.yield() }
        #expect(!calls.wasClosedTwice)
    }

    @Test func manyConnectionsLeaveNoDescriptorAndNoTimer() async throws {
        for round in 0..<200 {
            calls.fail(.connect, EINPROGRESS)
            calls.fail(.pendingFailure, round % 3 == 0 ? EHOSTDOWN : 0)
            calls.fail(.isConnected, round % 3 == 1 && round % 2 == 0 ? ENOTCONN : 0)
            _ = try? await connector.connect(to: address)
        }
        while calls.openCount > 0 { await Task.yield() }
        #expect(clock.nextDeadline == nil)
        #expect(!calls.wasClosedTwice)
    }

    @Test func thisSystemSaysWhetherItHasBluetooth() async throws {
        let connector = try RFCOMMConnector()
        let nobody = RFCOMMAddress(device: calls.device, channel: 1)
        // Without a kernel that has it, without an adapter, or without such a device: never a link.
        let error = await linkError { _ = try await connector.connect(to: nobody, within: .seconds(0)) }
        #expect(error != nil)
    }
}
