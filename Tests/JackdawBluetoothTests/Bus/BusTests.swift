import Glibc
import JackdawSystem
import JackdawTransport
import JackdawTestSupport
import Testing

@testable import JackdawBluetooth

/// Calls, signals, objects and descriptors over a private bus.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct BusTests {
    private let daemon: PrivateBus

    init() throws { daemon = try PrivateBus() }

    /// An object that answers a call with what came, and fails, and never answers.
    private func echo(on bus: Bus) async throws -> (name: String, calls: AsyncStream<BusRequest>) {
        let (calls, continuation) = AsyncStream.makeStream(of: BusRequest.self)
        _ = try await bus.export("/echo") { [weak bus] request in
            continuation.yield(request)
            bus?.assumeIsolated { bus in
                switch request.member {
                case "Echo": bus.answer(request, .success(request.body))
                case "Fail": bus.answer(request, .failure(BusError(name: "org.example.Sour", message: "no milk")))
                default: break
                }
            }
        }
        return (await bus.uniqueName, calls)
    }

    static let values: [BusValue] = [
        .byte(.max), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.5), .string(""), .string("größer"), .objectPath("/a/b"),
        .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]), .array([], of: "s"),
        .array([.int32(1), .int32(2)], of: "i"),
        .array([.bytes([1]), .bytes([])], of: "ay"), .dictionary([:], key: "s", value: "v"),
        .dictionary([.string("a"): .variant(.int16(3)), .string("b"): .variant(.string("c"))], key: "s", value: "v"),
        .dictionary(
            [.uint16(1): .dictionary([.byte(2): .boolean(true)], key: "y", value: "b")], key: "q", value: "a{yb}"),
        .structure([.byte(1), .structure([.string("x"), .bytes([9])])]),
        .variant(.variant(.array([.structure([.objectPath("/"), .boolean(true)])], of: "(ob)"))),
    ]

    @Test func everyValueIsEchoedUnchanged() async throws {
        let bus = try await daemon.connect()
        let (name, _) = try await echo(on: bus)
        let client = try await daemon.connect()
        for value in Self.values {
            let reply = try await client.call(BusCall(name, "/echo", "org.example", "Echo", BusBody([value])))
            #expect(reply.body.values == [value])
            #expect(reply.sender == name)
        }
        let all = try await client.call(BusCall(name, "/echo", "org.example", "Echo", BusBody(Self.values)))
        #expect(all.body.values == Self.values)
    }

    @Test func invalidValuesAreNotSent() async throws {
        let bus = try await daemon.connect()
        var deep = BusValue.byte(1)
        for _ in 0..<40 { deep = .variant(deep) }
        let bad: [BusValue] = [
            deep, .string("a\0b"), .objectPath("no path"), .signature("{"), .array([.byte(1)], of: "s"), .descriptor(0),
            .structure([]), .dictionary([.variant(.byte(1)): .byte(1)], key: "v", value: "y"),
        ]
        for value in bad {
            await #expect(throws: BusError.self) {
                try await bus.call(BusCall("org.example", "/", "org.example", "Echo", BusBody([value])))
            }
        }
        // The connection has not suffered.
        _ = try await bus.call(.daemon("GetId"))
    }

    @Test func messagesWithTooManyValuesAreRefused() async throws {
        let bus = try await daemon.connect()
        let (name, _) = try await echo(on: bus)
        let client = try await daemon.connect()
        // The array is a value as well.
        let many = BusValue.array(Array(repeating: .boolean(true), count: MessageReader.countLimit), of: "b")
        let error = await #expect(throws: BusError.self) {
            try await client.call(BusCall(name, "/echo", "org.example", "Echo", BusBody([many])))
        }
        #expect(error?.name == BusError.Name.invalidArguments)
        _ = try await client.call(BusCall(name, "/echo", "org.example", "Echo"))
    }

    @Test func errorsComeWithTheirNames() async throws {
        let bus = try await daemon.connect()
        let (name, _) = try await echo(on: bus)
        let client = try await daemon.connect()
        await #expect(throws: BusError(name: "org.example.Sour", message: "no milk")) {
            try await client.call(BusCall(name, "/echo", "org.example", "Fail"))
        }
        let missing = await #expect(throws: BusError.self) {
            try await client.call(BusCall("org.example.Nobody", "/", "org.example", "Echo"))
        }
        #expect(missing?.name == "org.freedesktop.DBus.Error.ServiceUnknown")
        let elsewhere = await #expect(throws: BusError.self) {
            try await client.call(BusCall(name, "/elsewhere", "org.example", "Echo"))
        }
        #expect(elsewhere?.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func aCancelledCallEndsAtOnce() async throws {
        let bus = try await daemon.connect()
        let (name, calls) = try await echo(on: bus)
        let client = try await daemon.connect()
        let task = Task { try await client.call(BusCall(name, "/echo", "org.example", "Silence")) }
        var iterator = calls.makeAsyncIterator()
        let request = await iterator.next()
        task.cancel()
        await #expect(throws: BusError.cancelled) { try await task.value }
        // No request waits for the late answer.
        if let request { await bus.answer(request, .success(BusBody())) }
        _ = try await client.call(.daemon("GetId"))
    }

    @Test func aDeadlineIsOnTheClockItIsGiven() async throws {
        let bus = try await daemon.connect()
        let (name, calls) = try await echo(on: bus)
        let client = try await daemon.connect()
        let clock = ManualClock()
        let task = Task {
            try await withDeadline(.seconds(25), of: clock, late: BusError.timedOut) { () throws(BusError) in
                try await client.call(BusCall(name, "/echo", "org.example", "Silence"))
            }
        }
        var iterator = calls.makeAsyncIterator()
        _ = await iterator.next()
        await clock.sleepers(1)
        clock.advance(by: .seconds(25))
        await #expect(throws: BusError.timedOut) { try await task.value }
        let id = try await withDeadline(.seconds(1), of: clock, late: BusError.timedOut) { () throws(BusError) in
            try await client.call(.daemon("GetId"))
        }
        #expect(id.body[0]?.text?.count == 32)
    }

    @Test func signalsReachTheirWatcher() async throws {
        let bus = try await daemon.connect()
        let client = try await daemon.connect()
        let (signals, continuation) = AsyncStream.makeStream(of: BusSignal.self)
        let registration = try await client.watch(BusMatch(interface: "org.example", member: "Rang")) {
            continuation.yield($0)
        }
        for member in ["Other", "Rang"] {
            try await bus.emit(
                BusSignal(path: "/bell", interface: "org.example", member: member, body: BusBody([.string(member)])))
        }
        var iterator = signals.makeAsyncIterator()
        let signal = await iterator.next()
        #expect(signal?.sender == (await bus.uniqueName))
        #expect(signal?.path == "/bell")
        #expect(signal?.body.values == [.string("Rang")])
        await client.remove(registration)
        #expect(try await rules(of: client) == 0)
    }

    @Test func watchingEndsWithItsTask() async throws {
        let client = try await daemon.connect()
        daemon.hang()
        let task = Task { try await client.watch(BusMatch()) { _ in } }
        task.cancel()
        await #expect(throws: BusError.cancelled) { _ = try await task.value }
    }

    /// The library closes its descriptor before it reports the end, and the next that is opened has its number.
    @Test func theEndGivesUpNoDescriptorOfOthers() async throws {
        let client = try await daemon.connect()
        let loop = client.loop
        let (ready, continuation) = AsyncStream.makeStream(of: Int32.self)
        let ends = Lock<[Int32]>([])
        _ = try await client.watch(BusMatch(member: "Disconnected")) { _ in
            var pipe: [Int32] = [0, 0]
            guard unsafe Glibc.pipe(&pipe) == 0 else { return continuation.finish() }
            let reading = pipe[0]
            ends.withLock { $0 = pipe }
            _ = try? loop.watch(reading, for: .reading) { _ in
                var byte: UInt8 = 0
                if unsafe read(reading, &byte, 1) == 1 { continuation.yield(reading) }
            }
        }
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        await client.notifyEnd { end.finish() }
        daemon.stop()
        for await _ in ended {}
        let pipe = ends.withLock { $0 }
        let other = try WakeUp()
        _ = try loop.watch(other.descriptor, for: .reading) { _ in
            other.clear()
            continuation.finish()
        }
        // The first ready result is reported first.
        var byte: UInt8 = 1
        #expect(unsafe write(pipe[1], &byte, 1) == 1)
        other.ring()
        var reported: [Int32] = []
        for await descriptor in ready { reported.append(descriptor) }
        #expect(reported == [pipe[0]])
        for end in pipe { close(end) }
    }

    @Test func aRuleThatTheBusRefusesIsAnError() async throws {
        let bus = try await daemon.connect()
        await #expect(throws: BusError.self) { try await bus.watch(BusMatch(interface: "no interface")) { _ in } }
        #expect(try await rules(of: bus) == 0)
    }

    @Test func descriptorsAreCopiedAndClosedOnce() async throws {
        let bus = try await daemon.connect()
        let (name, _) = try await echo(on: bus)
        let client = try await daemon.connect()
        var ends: [Int32] = [0, 0]
        let made = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends)
        #expect(made == 0)
        defer { close(ends[0]) }
        do {
            let body = BusBody([.descriptor(0)], descriptors: [BusDescriptor(owning: ends[1])])
            let reply = try await client.call(BusCall(name, "/echo", "org.example", "Echo", body))
            let came = try #require(reply.body.descriptor(at: 0))
            let wrote = came.withDescriptor { descriptor in
                var byte: UInt8 = 42
                return unsafe write(descriptor, &byte, 1)
            }
            #expect(wrote == 1)
            #expect(came.withDescriptor { $0 } != ends[1])
        }
        var byte: UInt8 = 0
        #expect(unsafe read(ends[0], &byte, 1) == 1)
        #expect(byte == 42)
        // Every copy is closed: those of this process, and the daemon's, which it lets go of with the message.
        var entry = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&entry, 1, 10_000) == 1)
        #expect(unsafe read(ends[0], &byte, 1) == 0)
    }

    @Test func aDescriptorThatWasTakenIsItsTakersToClose() throws {
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        do {
            let owner = BusDescriptor(owning: ends[0])
            #expect(owner.take() == ends[0])
            #expect(owner.take() == nil)
        }
        #expect(fcntl(ends[0], F_GETFD) >= 0)
    }

    @Test func theEndOfTheBusEndsEverything() async throws {
        let bus = try await daemon.connect()
        let (name, calls) = try await echo(on: bus)
        let client = try await daemon.connect()
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        await client.notifyEnd { continuation.yield() }
        let task = Task { try await client.call(BusCall(name, "/echo", "org.example", "Silence")) }
        var iterator = calls.makeAsyncIterator()
        _ = await iterator.next()
        daemon.stop()
        let failure = await #expect(throws: BusError.self) { try await task.value }
        #expect(failure?.name.hasPrefix("org.freedesktop.DBus.Error.") == true)
        var end = ends.makeAsyncIterator()
        #expect(await end.next() != nil)
        #expect(await client.isEnded)
        await #expect(throws: BusError.disconnected) { try await client.call(.daemon("GetId")) }
        await #expect(throws: BusError.disconnected) { try await client.watch(BusMatch()) { _ in } }
    }

    @Test func noBusIsAnError() async throws {
        await #expect(throws: BusError.self) { try await Bus.open(.at("unix:path=/nowhere"), on: EventLoop()) }
        await #expect(throws: BusError.self) { try await Bus.open(.at("no address"), on: EventLoop()) }
    }

    @Test func closingEndsPendingCallsWithAnError() async throws {
        let bus = try await daemon.connect()
        let (name, calls) = try await echo(on: bus)
        let client = try await daemon.connect()
        let task = Task { try await client.call(BusCall(name, "/echo", "org.example", "Silence")) }
        var iterator = calls.makeAsyncIterator()
        _ = await iterator.next()
        await client.close()
        await #expect(throws: BusError.disconnected) { try await task.value }
    }
}
