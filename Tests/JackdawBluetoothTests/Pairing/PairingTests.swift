import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// Answers as the test requests, and keeps the questions.
private final class TestAgent: PairingAgent {
    let capability = PairingCapability.keyboardDisplay
    let answer: Bool
    let waits: Bool
    let log = Lock<[String]>([])
    let asked: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(answer: Bool = true, waits: Bool = false) {
        self.answer = answer
        self.waits = waits
        (asked, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    private func note(_ text: String) async {
        log.withLock { $0.append(text) }
        continuation.yield()
        // Until it is cancelled.
        if waits { for await _ in AsyncStream<Void>.makeStream().stream {} }
    }

    func display(passkey: String, entered: Int, for device: FoundDevice) async {
        await note("show \(passkey) \(entered)")
    }
    func display(pinCode: String, for device: FoundDevice) async { await note("show pin \(pinCode)") }
    func confirm(passkey: String, for device: FoundDevice) async -> Bool {
        await note("confirm \(passkey) \(device.name ?? "")")
        return answer
    }
    func requestPasskey(for device: FoundDevice) async -> UInt32? {
        await note("passkey?")
        return answer ? 123_456 : nil
    }
    func requestPINCode(for device: FoundDevice) async -> String? {
        await note("pin?")
        return answer ? "0000" : nil
    }
    func authorize(_ device: FoundDevice) async -> Bool {
        await note("authorize")
        return answer
    }
    func cancelled() async {
        log.withLock { $0.append("cancelled") }
        continuation.yield()
    }
}

/// Pairing through a mock of bluetoothd.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct PairingTests {
    @Test(arguments: [
        ("RequestConfirmation", [BusValue.uint32(42)], "confirm 000042 Sim Reader", [BusValue]()),
        ("RequestPasskey", [], "passkey?", [.uint32(123_456)]), ("RequestPinCode", [], "pin?", [.string("0000")]),
        ("RequestAuthorization", [], "authorize", []),
        ("DisplayPasskey", [.uint32(7), .uint16(2)], "show 000007 2", []),
        ("DisplayPinCode", [.string("8374")], "show pin 8374", []),
    ])
    func theAgentIsAsked(_ member: String, _ values: [BusValue], _ asked: String, _ answer: [BusValue]) async throws {
        let radio = try await Radio()
        await radio.mock.ask([MockBlueZ.Question(member: member, values: values)])
        let agent = TestAgent()
        try await radio.bluetooth.pair(Radio.reader, agent: agent)
        #expect(agent.log.withLock { $0.first } == asked)
        #expect(try await radio.mock.answers.map { try $0.get() } == [answer])
        for name in ["Paired", "Trusted"] {
            #expect(await radio.mock.property(MockBlueZ.device, BlueZName.device, name) == .boolean(true))
        }
        #expect(await radio.mock.calls.contains { $0.hasPrefix("UnregisterAgent") })
        // Every device is asked about that pairs: the capability goes with the agent.
        #expect(try await radio.bluetooth.knownDevices().map(\.isPaired) == [true])
    }

    @Test(arguments: ["RequestConfirmation", "RequestPasskey", "RequestPinCode", "RequestAuthorization"])
    func aNoRejectsTheDevice(_ member: String) async throws {
        let radio = try await Radio()
        await radio.mock.ask([MockBlueZ.Question(member: member, values: member.hasSuffix("tion") ? [.uint32(1)] : [])])
        let error = await #expect(throws: LinkError.self) {
            try await radio.bluetooth.pair(Radio.reader, agent: TestAgent(answer: false))
        }
        #expect(error?.code == .rejected)
        #expect(await radio.mock.property(MockBlueZ.device, BlueZName.device, "Paired") == .boolean(false))
        #expect(await radio.mock.calls.contains { $0.hasPrefix("UnregisterAgent") })
    }

    @Test func aDeviceThatIsPairedIsTrusted() async throws {
        let radio = try await Radio()
        await radio.mock.fail("Pair", BusError(name: "org.bluez.Error.AlreadyExists"))
        try await radio.bluetooth.pair(Radio.reader, agent: TestAgent())
        #expect(await radio.mock.property(MockBlueZ.device, BlueZName.device, "Trusted") == .boolean(true))
    }

    @Test(arguments: [
        ("AuthenticationFailed", LinkError.Code.rejected), ("AuthenticationRejected", .rejected),
        ("AuthenticationTimeout", .timedOut), ("AuthenticationCanceled", .cancelled),
        ("ConnectionAttemptFailed", .outOfRange), ("InProgress", .busy),
    ])
    func failuresHaveDifferentCodes(_ name: String, _ code: LinkError.Code) async throws {
        let radio = try await Radio()
        await radio.mock.fail("Pair", BusError(name: "org.bluez.Error.\(name)"))
        let error = await #expect(throws: LinkError.self) {
            try await radio.bluetooth.pair(Radio.reader, agent: TestAgent())
        }
        #expect(error?.code == code)
    }

    @Test func givingPairingUpEndsItEverywhere() async throws {
        let radio = try await Radio()
        await radio.mock.ask([MockBlueZ.Question(member: "RequestPasskey")])
        let agent = TestAgent(waits: true)
        let task = Task { try await radio.bluetooth.pair(Radio.reader, agent: agent) }
        var asked = agent.asked.makeAsyncIterator()
        _ = await asked.next()
        task.cancel()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        _ = await asked.next()
        #expect(agent.log.withLock { $0 } == ["passkey?", "cancelled"])
        let calls = await radio.mock.calls
        #expect(calls.contains("CancelPairing"))
        #expect(calls.contains { $0.hasPrefix("UnregisterAgent") })
    }

    @Test func aCancelledRegistrationOfAnAgentIsUndone() async throws {
        let radio = try await Radio()
        await radio.mock.silence("RegisterAgent")
        let task = Task { try await radio.bluetooth.pair(Radio.reader, agent: TestAgent()) }
        await radio.mock.called("RegisterAgent")
        task.cancel()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(await radio.mock.calls.last?.hasPrefix("UnregisterAgent") == true)
    }

    @Test func theDeviceMayCancelItsQuestion() async throws {
        let radio = try await Radio()
        await radio.mock.ask([MockBlueZ.Question(member: "RequestConfirmation", values: [.uint32(1)])])
        let agent = TestAgent(waits: true)
        let task = Task { try await radio.bluetooth.pair(Radio.reader, agent: agent) }
        var asked = agent.asked.makeAsyncIterator()
        _ = await asked.next()
        try await radio.mock.callAgent("Cancel")
        _ = await asked.next()
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(agent.log.withLock { $0.last } == "cancelled")
    }

    @Test func strangersAndOtherDevicesAreNotHeeded() async throws {
        let radio = try await Radio()
        await radio.mock.ask([MockBlueZ.Question(member: "RequestPinCode")])
        let agent = TestAgent(waits: true)
        let task = Task { try await radio.bluetooth.pair(Radio.reader, agent: agent) }
        var asked = agent.asked.makeAsyncIterator()
        _ = await asked.next()
        let stranger = try await radio.daemon.connect()
        let device = BusValue.objectPath(MockBlueZ.device)
        let denied = await #expect(throws: BusError.self) {
            try await radio.mock.callAgent("RequestPinCode", [device], from: stranger)
        }
        #expect(denied?.name == BusError.Name.accessDenied)
        let other = await #expect(throws: BusError.self) {
            try await radio.mock.callAgent("RequestPinCode", [.objectPath("/org/bluez/hci0/dev_00_00_00_00_00_00")])
        }
        #expect(other?.name == "org.bluez.Error.Rejected")
        #expect(agent.log.withLock { $0 } == ["pin?"])
        task.cancel()
        _ = try? await task.value
    }

    @Test func aDeviceIsForgotten() async throws {
        let radio = try await Radio()
        try await radio.mock.appear()
        try await radio.bluetooth.forget(Radio.reader)
        #expect(try await radio.bluetooth.knownDevices().isEmpty)
        let error = await #expect(throws: LinkError.self) { try await radio.bluetooth.forget(Radio.reader) }
        #expect(error?.code == .notFound)
    }

    @Test func aDeviceThatIsNotFoundIsOutOfRange() async throws {
        let radio = try await Radio()
        let far = BluetoothAddress(bytes: [1, 2, 3, 4, 5, 6])
        let task = Task { try await radio.bluetooth.pair(far, agent: TestAgent()) }
        await radio.mock.called("StartDiscovery")
        // The search itself; the call that starts it may still count.
        while radio.clock.nextDeadline?.offset != GATTDevice.searchLimit { await Task.yield() }
        radio.clock.advance(by: GATTDevice.searchLimit)
        let error = await #expect(throws: LinkError.self) { try await task.value }
        #expect(error?.code == .outOfRange)
        #expect(await radio.mock.property(MockBlueZ.adapter, BlueZName.adapter, "Discovering") == .boolean(false))
    }
}
