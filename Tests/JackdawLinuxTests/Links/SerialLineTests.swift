import Glibc
import JackdawSystem
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Serial lines and pairs of terminals.
@Suite struct SerialLineTests {
    private let devices = LinuxDevices()
    private let loop: EventLoop
    private let calls = ScriptedTerminalCalls()

    init() throws { loop = try EventLoop(name: "test") }

    /// So many bytes, in whatever pieces they come.
    private func received(_ link: any Transport, _ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try await link.received() { bytes += more }
        return bytes
    }

    @Test(.timeLimit(.minutes(30))) func readersComeAndGoAndEveryByteIsItself() async throws {
        let pair = try PseudoTerminal()
        #expect(pair.transport.link.description == "pty:\(pair.path)")
        // No program has connected yet, and that is not the end.
        let waiting = Task { try await received(pair.transport, 256) }
        let bytes = (0...255).map { UInt8($0) }
        for round in 0..<3 {
            let reader = try await devices.connect(LinkName(.pty, pair.path))
            try await reader.send(bytes)
            let came = round == 0 ? try await waiting.value : try await received(pair.transport, 256)
            #expect(came == bytes)
            try await pair.transport.send(bytes)
            #expect(try await received(reader, 256) == bytes)
            try await reader.endSending()
            await reader.close()
        }
        await pair.transport.close()
        #expect(await linkError { _ = try await pair.transport.received() }?.code == .disconnected)
    }

    @Test(.timeLimit(.minutes(30))) func aLineThatIsHungUpIsLost() async throws {
        let pair = try PseudoTerminal()
        let reader = try await devices.connect(LinkName(.pty, pair.path))
        let receiving = Task { try await reader.received() }
        await pair.transport.close()
        let error = await linkError { _ = try await receiving.value }
        #expect(error?.code == .disconnected)
        #expect(error?.remedy != nil)
        #expect(await linkError { try await reader.send([1]) }?.undelivered == 1)
        await reader.close()
        let gone = await linkError { _ = try await devices.connect(LinkName(.pty, pair.path)) }
        #expect(gone?.code == .notFound)
    }

    @Test func aLineThatIsTakenIsBusy() async throws {
        let pair = try PseudoTerminal()
        let name = LinkName(.pty, pair.path)
        let reader = try await devices.connect(name)
        let error = await linkError { _ = try await devices.connect(name) }
        #expect(error?.code == .busy)
        #expect(error?.code.mayPass == true)
        await reader.close()
        await (try await devices.connect(name)).close()
    }

    @Test(arguments: [
        ("/nowhere/at/all", LinkError.Code.notFound), ("/dev", .unsupported), ("/dev/null", .unsupported),
        ("/proc/self/status", .notPermitted),
    ])
    func pathsThatAreNoLinesAreRefused(path: String, code: LinkError.Code) async {
        let error = await linkError { _ = try await devices.connect(LinkName(.pty, path)) }
        // Who may write everything gets as far as seeing that it is none.
        #expect(error?.code == code || (path.hasPrefix("/proc") && error?.code == .unsupported))
        #expect(error?.link == "pty:\(path)")
        #expect(error?.remedy != nil)
    }

    @Test(arguments: [
        (ENOENT, LinkError.Code.notFound), (ENXIO, .notFound), (ENODEV, .notFound), (EACCES, .notPermitted),
        (EPERM, .notPermitted), (EBUSY, .busy), (EIO, .disconnected), (EMFILE, .system), (ENOTTY, .unsupported),
    ])
    func eachRefusal(number: Int32, code: LinkError.Code) {
        calls.fail(.open, number)
        let error = #expect(throws: LinkError.self) {
            try SerialLine(loop: loop, calls: calls).open(LinkName(.pty, "/dev/ttyUSB0"))
        }
        #expect(error?.code == code)
        #expect(error?.underlying == SystemFailure(code: number).message)
        #expect(error?.remedy != nil || code == .system)
    }

    @Test(arguments: [
        (ScriptedTerminalCalls.Call.lock, EAGAIN, LinkError.Code.busy), (.makeRaw, ENOTTY, .unsupported),
        (.discardInput, EIO, .disconnected),
    ])
    func noFaultLeavesADescriptor(call: ScriptedTerminalCalls.Call, number: Int32, code: LinkError.Code) {
        calls.fail(call, number)
        let error = #expect(throws: LinkError.self) {
            try SerialLine(loop: loop, calls: calls).open(LinkName(.pty, "/dev/ttyUSB0"))
        }
        #expect(error?.code == code)
        #expect(calls.sockets.openCount == 0)
        // Nothing was changed for another program that has it.
        if call == .lock { #expect(calls.log == [.open, .lock]) }
    }

    @Test(arguments: [ScriptedTerminalCalls.Call.openMaster, .unlock, .open, .makeRaw])
    func noFaultOfAPairLeavesADescriptor(call: ScriptedTerminalCalls.Call) {
        calls.fail(call, EMFILE)
        let error = #expect(throws: LinkError.self) { try PseudoTerminal(loop: loop, calls: calls) }
        #expect(error?.code == .system)
        #expect(calls.sockets.openCount == 0)
        #expect(!calls.sockets.wasClosedTwice)
    }

    @Test func aPairClosesBothItsEnds() async throws {
        let pair = try PseudoTerminal(loop: loop, calls: calls)
        #expect(calls.sockets.openCount == 2)
        await pair.transport.close()
        await pair.transport.close()
        #expect(calls.sockets.openCount == 0)
        #expect(!calls.sockets.wasClosedTwice)
    }

    @Test func manyPairsLeaveNoDescriptorOpen() async throws {
        func terminals() throws -> Int { try openDescriptors { $0.hasPrefix("/dev/pt") } }
        let before = try terminals()
        for _ in 0..<100 {
            let pair = try PseudoTerminal(loop: loop, calls: SystemTerminalCalls())
            let reader = try SerialLine(loop: loop).open(LinkName(.pty, pair.path))
            await reader.close()
            await pair.transport.close()
        }
        // Other tests have some, and never so many.
        while try terminals() > before + 50 { await Task.yield() }
    }
}
