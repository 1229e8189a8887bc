import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Taking links at a channel.
@Suite struct RFCOMMListenerTests {
    private let loop: EventLoop
    private let calls = ScriptedSocketCalls.bluetooth()

    init() throws { loop = try EventLoop() }

    private func listener(_ channel: UInt8? = nil) throws -> RFCOMMListener {
        try RFCOMMListener(channel: channel, security: .medium, loop: loop, calls: calls)
    }

    @Test func linksAreAcceptedInTheirOrder() async throws {
        let listener = try listener()
        #expect(listener.channel == 7)
        #expect(calls.addresses == [.rfcomm(BluetoothAddress(bytes: [0, 0, 0, 0, 0, 0]), channel: 0)])
        let first = calls.arrive()
        let link = try await listener.accept()
        #expect(link.link.description == "rfcomm:F0:F1:F2:F3:F4:F5/7")
        let waiting = Task { try await listener.accept() }
        while calls.count(.accept) < 2 { await Task.yield() }
        let second = calls.arrive()
        try await link.send([1])
        try await waiting.value.send([2])
        #expect(first.receive() == [1])
        #expect(second.receive() == [2])
    }

    @Test(arguments: [ScriptedSocketCalls.Call.setOption, .bind, .listen, .address])
    func noFaultLeavesADescriptor(call: ScriptedSocketCalls.Call) async {
        calls.fail(call, EADDRINUSE)
        #expect(await linkError { _ = try listener(3) }?.code == .busy)
        #expect(calls.openCount == 0)
    }

    @Test(arguments: [(EAFNOSUPPORT, LinkError.Code.unsupported), (EACCES, .notPermitted), (EMFILE, .system)])
    func errorsOfTheSocketHaveTheirCode(number: Int32, code: LinkError.Code) async {
        calls.fail(.socket, number)
        let error = await linkError { _ = try listener(3) }
        #expect(error?.code == code)
        #expect(error?.link == "rfcomm:3")
        #expect(calls.openCount == 0)
    }

    @Test func connectionsThatEndBeforeAcceptAreSkipped() async throws {
        let listener = try listener(3)
        calls.fail(.accept, ECONNABORTED)
        calls.fail(.peer, ENOTCONN)
        _ = calls.arrive()
        let far = calls.arrive()
        let link = try await listener.accept()
        try await link.send([5])
        #expect(far.receive() == [5])
        await link.close()
        #expect(calls.openCount == 1)
    }

    /// They are reported, and the next one is taken.
    @Test func shortagesOfDescriptorsAreRetried() async throws {
        let listener = try listener(3)
        calls.fail(.accept, EMFILE, EMFILE)
        calls.arriveUnwatchable()
        let far = calls.arrive()
        let reported = Shared<[Int32]>([])
        let link = try await listener.accept { failure in reported.with { $0.append(failure.code) } }
        #expect(reported.with { $0 } == [EMFILE, EPERM])
        try await link.send([5])
        #expect(far.receive() == [5])
        await link.close()
        #expect(calls.openCount == 1)
    }

    @Test func errorsOfAcceptThrow() async throws {
        let listener = try listener(3)
        calls.fail(.accept, EBADF)
        #expect(await linkError { _ = try await listener.accept() }?.code == .system)
    }

    @Test func acceptCanBeCancelledAndRepeated() async throws {
        let listener = try listener(3)
        let task = Task { try await listener.accept() }
        while calls.count(.accept) == 0 { await Task.yield() }
        task.cancel()
        #expect(await linkError { _ = try await task.value }?.code == .cancelled)
        // And taken up again.
        _ = calls.arrive()
        _ = try await listener.accept()
    }

    @Test func aReleasedListenerIsClosed() throws {
        do { _ = try listener(3) }
        #expect(calls.openCount == 0)
    }
}
