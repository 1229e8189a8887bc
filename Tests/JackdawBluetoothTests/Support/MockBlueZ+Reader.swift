import Glibc
import JackdawSystem

@testable import JackdawBluetooth

/// The reader that is near: what it has, asks and sends.
extension MockBlueZ {
    func connect() async throws(BusError) {
        try set(Self.device, BlueZName.device, ["Connected": .boolean(true)])
        try await add(
            Self.service,
            [BlueZName.gattService: ["UUID": .string(Self.uuid(1)), "Device": .objectPath(Self.device)]])
        for number in 2...4 { try await add("char\(number)", Self.uuid(number), of: Self.service) }
        try set(Self.service + "/char4", BlueZName.characteristic, ["Value": .bytes(WipedBytes("sim-reader 1.0".utf8))])
        for (number, text) in information {
            let path = "\(Self.device)/service0020"
            try await add(
                path,
                [
                    BlueZName.gattService: [
                        "UUID": .string(DeviceInformation.service), "Device": .objectPath(Self.device),
                    ]
                ])
            let uuid = "0000\(number)-0000-1000-8000-00805f9b34fb"
            try await add("char\(number)", uuid, of: path)
            try set("\(path)/char\(number)", BlueZName.characteristic, ["Value": .bytes(WipedBytes(text.utf8))])
        }
        try set(Self.device, BlueZName.device, ["ServicesResolved": .boolean(true)])
    }

    private func add(_ name: String, _ uuid: String, of service: String) async throws(BusError) {
        try await add(
            "\(service)/\(name)",
            [
                BlueZName.characteristic: [
                    "UUID": .string(uuid), "Service": .objectPath(service), "MTU": .uint16(23),
                ]
            ])
    }

    func pair() async throws(BusError) {
        for question in questions {
            guard let agent else { throw Self.error("AgentNotAvailable") }
            let call = BusCall(
                agent.sender, agent.path, BlueZName.agent, question.member,
                BusBody([.objectPath(Self.device)] + question.values))
            do throws(BusError) {
                answers.append(.success(try await bus.call(call).body.values))
            } catch {
                answers.append(.failure(error))
                throw Self.error(error.name.hasSuffix("Canceled") ? "AuthenticationCanceled" : "AuthenticationRejected")
            }
        }
        try set(Self.device, BlueZName.device, ["Paired": .boolean(true)])
    }

    /// Calls the agent beside what pairing asks.
    func callAgent(_ member: String, _ values: [BusValue] = [], from other: Bus? = nil) async throws(BusError) {
        guard let agent else { throw Self.error("AgentNotAvailable") }
        let call = BusCall(agent.sender, agent.path, BlueZName.agent, member, BusBody(values))
        _ = try await (other ?? bus).call(call)
    }

    func connectProfile(_ uuid: String) async throws(BusError) {
        guard profiles[uuid] != nil else {
            throw Self.error("NotAvailable", "br-connection-profile-unavailable")
        }
        let (here, there) = Self.pair(of: SOCK_STREAM)
        serialSocket = (here, try watch(here) { mock, bytes in mock.send(bytes, to: here) })
        try await give(there, to: uuid)
    }

    /// Gives a service a connection whose device has gone already.
    func giveDeadConnection() async throws(BusError) {
        try await give(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), to: Self.serialPort)
    }

    private func give(_ there: Int32, to uuid: String) async throws(BusError) {
        guard let profile = profiles[uuid] else { return }
        let call = BusCall(
            profile.sender, profile.path, BlueZName.profile, "NewConnection",
            BusBody(
                [.objectPath(Self.device), .descriptor(0), .options([:])], descriptors: [BusDescriptor(owning: there)]))
        _ = try await bus.call(call)
    }

    func command(_ bytes: [UInt8]) async throws(BusError) {
        switch bytes.first {
        case UInt8(ascii: "E"): try notify(Array(bytes.dropFirst()))
        case UInt8(ascii: "N"):
            let count = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)) ?? 0
            for number in 0..<count { try notify(Self.notification(number)) }
        case UInt8(ascii: "D"):
            for number in 0..<5 { try notify(Self.notification(number)) }
            try await drop()
        default: break
        }
    }

    static func notification(_ number: Int) -> [UInt8] {
        [UInt8(number & 255), UInt8(number >> 8 & 255), 0, 0] + Array(repeating: UInt8(ascii: "n"), count: 16)
    }

    func acquireNotify() throws(BusError) -> BusBody {
        guard notifySocket == nil else { throw Self.error("NotPermitted", "Notify acquired") }
        let (here, there) = Self.pair(of: SOCK_SEQPACKET)
        notifySocket = here
        return BusBody([.descriptor(0), .uint16(247)], descriptors: [BusDescriptor(owning: there)])
    }

    func acquireWrite() throws(BusError) -> BusBody {
        let (here, there) = Self.pair(of: SOCK_SEQPACKET)
        let watch = try watch(here) { mock, bytes in Task { try await mock.command(bytes) } }
        writeSocket = (here, watch)
        return BusBody([.descriptor(0), .uint16(247)], descriptors: [BusDescriptor(owning: there)])
    }

    /// Waits where the other side does not keep up, so that nothing is lost.
    private func send(_ bytes: [UInt8], to descriptor: Int32) {
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    private static func pair(of type: __socket_type) -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        let result = unsafe socketpair(AF_UNIX, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        precondition(result == 0)
        return (ends[0], ends[1])
    }

    private func watch(
        _ descriptor: Int32, _ handler: @escaping @Sendable (isolated MockBlueZ, [UInt8]) -> Void
    ) throws(BusError) -> Watch {
        do {
            return try bus.loop.watch(descriptor, for: .reading) { [weak self] _ in
                self?.assumeIsolated { mock in
                    var bytes = [UInt8](repeating: 0, count: 4096)
                    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                    guard count > 0 else { return mock.closeSockets() }
                    handler(mock, Array(bytes.prefix(count)))
                }
            }
        } catch {
            throw BusError(result: -error.code)
        }
    }

    /// Ends the sockets that were given away.
    func closeSockets() {
        for socket in [writeSocket, serialSocket] {
            guard let socket else { continue }
            bus.loop.unwatch(socket.watch)
            close(socket.descriptor)
        }
        if let notifySocket { close(notifySocket) }
        (writeSocket, serialSocket, notifySocket) = (nil, nil, nil)
    }

    /// Sends a notification, by the socket where one was given away.
    func notify(_ bytes: [UInt8]) throws(BusError) {
        if let notifySocket {
            send(bytes, to: notifySocket)
        } else {
            try set(Self.notifying, BlueZName.characteristic, ["Value": .bytes(WipedBytes(bytes))])
        }
    }
}
