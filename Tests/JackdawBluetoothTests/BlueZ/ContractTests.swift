import Foundation
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// The same steps against the mock of these tests and against another one, where it is there, which is also used
/// against bluetoothd itself: so that the mock of these tests does what bluetoothd does.
@Suite(.needsBus, .timeLimit(.minutes(30)))
struct ContractTests {
    private static let other = URL(fileURLWithPath: #filePath).appending(
        path: "../../../../../shared/lab/bt/bluez_mock.py"
    )
    .standardizedFileURL.path
    private static let python = "/usr/bin/python3"

    private func steps(_ bluetooth: Bluetooth) async throws {
        #expect(try await bluetooth.adapters().map(\.isPowered) == [true])
        for try await device in bluetooth.scanner(radio: .lowEnergy, services: [MockBlueZ.uuid(1)]).devices(for: nil) {
            #expect(device.link.address == MockBlueZ.reader)
            #expect(device.name == "Sim Reader")
            break
        }
        // The search that was given up is ended before the next one begins.
        let client = try await bluetooth.client()
        _ = try await client.wait {
            $0.adapter(MockBlueZ.adapter)?.properties["Discovering"]?.boolean == false ? true : nil
        }
        let link = try await bluetooth.connect(Radio.reader, profile: Radio.profile)
        let value = try await link.device.read(service: MockBlueZ.uuid(1), characteristic: MockBlueZ.uuid(4))
        #expect(value == Array("sim-reader 1.0".utf8))
        try await link.send(Array("Ehello".utf8))
        #expect(try await next(link) == Array("hello".utf8))
        try await link.send(Array("N200".utf8))
        for number in 0..<200 { #expect(try await next(link) == MockBlueZ.notification(number)) }
        try await link.send(Array("D".utf8))
        for number in 0..<5 { #expect(try await next(link) == MockBlueZ.notification(number)) }
        let lost = await #expect(throws: LinkError.self) { try await next(link) }
        #expect(lost?.code == .disconnected)
        try await serialEcho(by: bluetooth)
        try await bluetooth.pair(Radio.reader, agent: NoAgent())
        #expect(try await bluetooth.knownDevices().map(\.isPaired) == [true])
        try await bluetooth.forget(Radio.reader)
        #expect(try await bluetooth.knownDevices().isEmpty)
    }

    @Test func theMockOfTheseTestsPasses() async throws {
        let radio = try await Radio()
        try await steps(radio.bluetooth)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: other), "the other mock is not beside the project"))
    func theOtherMockPasses() async throws {
        let daemon = try PrivateBus()
        let output = Pipe()
        let process = try SpawnedProcess(
            Self.python, [Self.other], environment: ["DBUS_SYSTEM_BUS_ADDRESS": daemon.address], output: .pipe(output))
        defer { process.send(SIGKILL) }
        // It says so when it is ready, and nothing where it lacks a module.
        let line = output.fileHandleForReading.availableData
        guard String(decoding: line, as: UTF8.self).hasPrefix("mock ready") else {
            try Test.cancel("the other mock does not run here")
        }
        try await steps(Bluetooth(bus: .at(daemon.address), clock: ContinuousClock()))
    }
}

/// Answers nothing, since nothing is asked.
private struct NoAgent: PairingAgent {
    let capability = PairingCapability.noInputNoOutput
    func display(passkey: String, entered: Int, for device: FoundDevice) async {}
    func display(pinCode: String, for device: FoundDevice) async {}
    func confirm(passkey: String, for device: FoundDevice) async -> Bool { false }
    func requestPasskey(for device: FoundDevice) async -> UInt32? { nil }
    func requestPINCode(for device: FoundDevice) async -> String? { nil }
    func authorize(_ device: FoundDevice) async -> Bool { false }
    func cancelled() async {}
}
