import JackdawBluetooth
import JackdawTransport

/// What a reader over Bluetooth Low Energy is tried with: it answers `E` with an echo, `N` with so many notifications
/// at once, and `D` by dropping the link.
struct ValueWork: Sendable {
    private static let service = "7a0c0001-5a5a-4b4b-9c9c-0123456789ab"
    private static let command = "7a0c0002-5a5a-4b4b-9c9c-0123456789ab"
    private static let information = "7a0c0004-5a5a-4b4b-9c9c-0123456789ab"
    private static let notifications = 10_000
    private static let profile = GATTProfile(
        name: "lab", service: service, write: command, notify: "7a0c0003-5a5a-4b4b-9c9c-0123456789ab")

    private let address: BluetoothAddress
    private let bluetooth = Bluetooth()

    init(_ address: String) throws {
        guard let address = BluetoothAddress(address) else { throw Unexpected("\(address) is no address") }
        self.address = address
    }

    func run() async throws {
        try await scan()
        try await pair()
        try await read()
        let link = try await open()
        try await echo(link)
        try await receiveMany(link)
        await link.close()
    }

    /// A reader that goes away amid its notifications.
    func loseMidTransfer() async throws {
        let link = try await open()
        var count = 0
        do {
            // The reader may be gone before bluetoothd has its answer.
            try await link.send(Array("D".utf8))
            while try await link.receive({ _ in count += 1 }) {}
            throw Unexpected("the link ended as if the reader had ended it")
        } catch let error as LinkError {
            guard error.code == .disconnected else { throw error }
            print("value-loss \(error.code.name) after \(count) of 5 notifications")
        }
        await link.close()
    }

    /// Opens, echoes and closes.
    func cycle() async throws -> AnyObject? {
        let link = try await bluetooth.connect(address, profile: Self.profile)
        try await expectEcho("cycle", over: link)
        await link.close()
        return nil
    }

    private func scan() async throws {
        let measured = Measured()
        for try await device in bluetooth.scanner(radio: .lowEnergy, services: [Self.service]).devices()
        where device.link.address == address.description {
            figure("scan", measured.milliseconds, "ms")
            return
        }
        throw Unexpected("the reader was not found in \(BluetoothScanner.usualDuration)")
    }

    private func pair() async throws {
        let measured = Measured()
        try await bluetooth.pair(address, radio: .lowEnergy, agent: ConsentingAgent())
        figure("pair", measured.milliseconds, "ms")
        let known = try await bluetooth.knownDevices().first { $0.link.address == address.description }
        guard known?.isPaired == true else { throw Unexpected("the reader is not known as paired") }
    }

    private func read() async throws {
        let device = try await bluetooth.connect(address)
        let measured = Measured()
        let value = try await device.read(service: Self.service, characteristic: Self.information)
        figure("read", measured.milliseconds, "ms")
        guard value == Array("sim-reader 1.0".utf8) else { throw Unexpected("read \(value.count) wrong bytes") }
    }

    private func open() async throws -> GATTLink {
        let measured = Measured()
        let link = try await bluetooth.connect(address, profile: Self.profile)
        figure("open", measured.milliseconds, "ms")
        return link
    }

    private func expectEcho(_ text: String, over link: GATTLink) async throws {
        try await link.send(Array("E\(text)".utf8))
        var isRight = false
        _ = try await link.receive { bytes in
            isRight = bytes.indices.map { bytes[$0] } == Array(text.utf8)
        }
        guard isRight else { throw Unexpected("the echo of \(text) is something else") }
    }

    private func echo(_ link: GATTLink) async throws {
        var times: [Double] = []
        for number in 0..<50 {
            let measured = Measured()
            try await expectEcho("echo \(number)", over: link)
            times.append(measured.milliseconds)
        }
        figure("write-to-notification-median", times.quantile(0.5), "ms")
        figure("write-to-notification-95", times.quantile(0.95), "ms")
    }

    private static func number(of bytes: Span<UInt8>) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
    }

    /// Each notification has its number in its first four bytes, lowest first.
    private func receiveMany(_ link: GATTLink) async throws {
        try await link.send(Array("N\(Self.notifications)".utf8))
        var next = 0
        var isRight = true
        let measured = Measured()
        while next < Self.notifications, isRight {
            _ = try await link.receive { bytes in
                isRight = bytes.count == 20 && Self.number(of: bytes) == next
                if isRight { next += 1 }
            }
        }
        guard isRight else { throw Unexpected("notification \(next) is lost, or is not in its place") }
        figure("notifications", Double(next), "in order")
        figure("notifications-rate", Double(next) / measured.milliseconds * 1000, "1/s")
        figure("notification-processor", measured.processorMilliseconds / Double(next) * 1000, "us")
    }
}

/// Agrees with everything, as a reader without keys needs.
private struct ConsentingAgent: PairingAgent {
    let capability = PairingCapability.noInputNoOutput

    func display(passkey: String, entered: Int, for device: FoundDevice) async {}
    func display(pinCode: String, for device: FoundDevice) async {}
    func confirm(passkey: String, for device: FoundDevice) async -> Bool { true }
    func requestPasskey(for device: FoundDevice) async -> UInt32? { nil }
    func requestPINCode(for device: FoundDevice) async -> String? { nil }
    func authorize(_ device: FoundDevice) async -> Bool { true }
    func cancelled() async {}
}
