import Glibc
package import JackdawSystem
public import JackdawTransport

/// A service of classic Bluetooth that this program serves or uses through bluetoothd, which makes the connections; it
/// works if this program may not open Bluetooth sockets.
actor SerialProfile {
    /// Whether this program opens connections (client) or accepts them (server).
    enum Role: String { case client, server }

    /// A connection that bluetoothd has made.
    struct Connection: Sendable {
        /// The object path of the device.
        let device: String
        /// The socket, a byte stream, closed together with this value.
        let socket: BusDescriptor
    }

    private let client: BlueZClient
    private let path: String
    private var object: Bus.Registration?
    private var observer: Int?
    private static let maxWaiting = 16
    /// Connections that no caller has taken yet.
    private var connections: [Connection] = []
    /// Whether this program or bluetoothd has ended the service.
    private var isOver = false
    private var taker: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe client.unownedExecutor }

    private init(_ client: BlueZClient, path: String) {
        self.client = client
        self.path = path
    }

    /// Registers a service.
    /// - Parameters:
    ///   - uuid: its class, a UUID of 36 characters.
    ///   - role: the side of this program.
    ///   - name: the name that other devices see.
    ///   - channel: RFCOMM channel of a server; nil uses any free channel.
    ///   - client: the connection to bluetoothd.
    /// - Returns: the service, which accepts connections from now on.
    /// - Throws: ``BusError`` if bluetoothd refuses the service.
    static func register(
        _ uuid: String, role: Role, name: String, channel: UInt16? = nil, by client: BlueZClient
    ) async throws(BusError) -> SerialProfile {
        let digits = uuid.lowercased().filter { $0 != "-" }
        let profile = SerialProfile(client, path: "/org/jackdaw/profile/\(role.rawValue)_\(digits)")
        try await profile.start(uuid, role, name, channel)
        return profile
    }

    /// Waits for a connection. Only one task at a time may wait.
    /// - Returns: the next connection; nil if this program or bluetoothd has ended the service.
    /// - Throws: ``BusError`` if the task was cancelled, which loses no connection.
    func next() async throws(BusError) -> Connection? {
        while connections.isEmpty {
            guard !isOver else { return nil }
            guard !Task.isCancelled else { throw .cancelled }
            await withTaskCancellationHandler {
                await withCheckedContinuation { taker = $0 }
            } onCancel: {
                Task { await self.wake() }
            }
        }
        return connections.removeFirst()
    }

    /// Ends the service and removes it from bluetoothd.
    func unregister() async {
        guard let object else { return }
        self.object = nil
        await withdraw()
        await client.bus.remove(object)
        if let observer { await client.forget(observer) }
        end()
    }

    private func withdraw() async {
        await client.undo(BlueZName.root, BlueZName.profileManager, "UnregisterProfile", [.objectPath(path)])
    }

    private func end() {
        isOver = true
        wake()
    }

    private func wake() {
        taker?.resume()
        taker = nil
    }

    private func start(_ uuid: String, _ role: Role, _ name: String, _ channel: UInt16?) async throws(BusError) {
        let object = try await client.bus.export(path) { [weak self] request in
            self?.assumeIsolated { $0.receive(request) }
        }
        var options: [String: BusValue] = [
            "Name": .string(name), "Role": .string(role.rawValue), "AutoConnect": .boolean(false),
            "RequireAuthentication": .boolean(role == .server), "RequireAuthorization": .boolean(false),
        ]
        if let channel { options["Channel"] = .uint16(channel) }
        do throws(BusError) {
            try await client.call(
                BlueZName.root, BlueZName.profileManager, "RegisterProfile",
                [.objectPath(path), .string(uuid), .options(options)])
        } catch {
            if error.isUnanswered { await withdraw() }
            await client.bus.remove(object)
            throw error
        }
        self.object = object
        observer = await client.observe { [weak self] event in
            if event == .serviceEnded { self?.assumeIsolated { $0.end() } }
        }
    }

    private func receive(_ request: BusRequest) {
        let isAuthentic = client.assumeIsolated { $0.objects.owner == request.sender }
        guard isAuthentic, request.interface == BlueZName.profile else {
            return answer(request, .failure(BusError(name: BusError.Name.accessDenied)))
        }
        switch request.member {
        case "NewConnection":
            guard let device = request.body[0]?.text, let socket = request.body.descriptor(at: 1) else {
                return answer(request, .failure(BusError(name: "org.bluez.Error.Rejected")))
            }
            // Each connection holds a descriptor; a rejected device may try again.
            guard connections.count < Self.maxWaiting else {
                return answer(request, .failure(BusError(name: "org.bluez.Error.Rejected")))
            }
            connections.append(Connection(device: device, socket: socket))
            wake()
            answer(request, .success(BusBody()))
        // bluetoothd closes the other end of the socket, which reports the end to the link.
        case "RequestDisconnection": answer(request, .success(BusBody()))
        case "Release":
            answer(request, .success(BusBody()))
            end()
        default: answer(request, .failure(BusError(name: BusError.Name.unknownMethod, message: request.member)))
        }
    }

    private func answer(_ request: BusRequest, _ result: Result<BusBody, BusError>) {
        client.bus.assumeIsolated { $0.answer(request, result) }
    }
}

/// A service of classic Bluetooth that this computer offers through bluetoothd, which publishes it (SDP) and accepts
/// the connections.
public final class SerialService: Sendable {
    private let profile: SerialProfile
    private let client: BlueZClient
    private let name: String

    init(_ profile: SerialProfile, _ client: BlueZClient, link: String) {
        self.profile = profile
        self.client = client
        name = link
    }

    /// Waits for another machine to connect. Only one task at a time may wait.
    /// - Returns: the link, named after the other machine.
    /// - Throws: `LinkError`: `serviceMissing` if bluetoothd has ended the service, `cancelled` if the task was
    ///   cancelled, which does not end the service.
    public func accept() async throws(LinkError) -> any Transport { try await accept { _ in } }

    /// Accepts a link as ``accept()`` does; calls `whenShort` if a connection is closed because descriptors or memory
    /// run out.
    package func accept(
        whenShort: (SystemFailure) async -> Void
    ) async throws(LinkError) -> any Transport {
        while true {
            let connection = try await nextConnection()
            let address = await client.objects.device(connection.device)?.address
            let link = LinkName(.rfcomm, address?.description ?? "unknown")
            // A machine that has already disconnected is skipped.
            guard let descriptor = connection.socket.take() else { continue }
            do throws(SystemFailure) {
                return try SocketConnector(loop: client.bus.loop).watch(descriptor, link: link)
            } catch {
                if error.isShortage { await whenShort(error) }
            }
        }
    }

    private func nextConnection() async throws(LinkError) -> SerialProfile.Connection {
        let connection: SerialProfile.Connection?
        do throws(BusError) {
            connection = try await profile.next()
        } catch {
            throw LinkError(.cancelled, link: name, "the wait was cancelled")
        }
        guard let connection else {
            throw LinkError(
                .serviceMissing, link: name, "bluetoothd no longer offers the service",
                remedy: "start it with sudo systemctl start bluetooth")
        }
        return connection
    }

    /// Ends the service. Accepted links stay open.
    public func close() async { await profile.unregister() }
}

extension Bluetooth {
    /// Connects to a service of a classic Bluetooth device through bluetoothd, for an environment that does not allow
    /// raw sockets.
    /// - Parameters:
    ///   - address: the device's address.
    ///   - service: the class of the service.
    /// - Returns: the link.
    /// - Throws: `LinkError`: `serviceMissing` if the device has no such service.
    public func serialPort(
        _ address: BluetoothAddress, service: BluetoothUUID = .serialPort
    ) async throws(LinkError) -> any Transport {
        let link = LinkName(.rfcomm, address.description)
        let socket = try await serialSocket(address, service: service.description)
        return try await client().link(over: socket, named: link)
    }

    /// Offers a service of classic Bluetooth that other machines find and connect to.
    /// - Parameters:
    ///   - service: its class.
    ///   - name: the name that other machines see.
    ///   - channel: its RFCOMM channel, 1 to 30; nil uses a free channel.
    /// - Returns: the service, offered until it is closed.
    /// - Throws: `LinkError`: `busy` if another program offers it.
    public func offerSerial(
        _ service: BluetoothUUID = .serialPort, name: String, channel: UInt8? = nil
    ) async throws(LinkError) -> SerialService {
        let client = try await client()
        let link = "rfcomm:\(channel.map(String.init) ?? "any")"
        do throws(BusError) {
            let profile = try await SerialProfile.register(
                service.description, role: .server, name: name, channel: channel.map(UInt16.init), by: client)
            return SerialService(profile, client, link: link)
        } catch {
            throw LinkError(error, link: link, while: .connecting)
        }
    }

    /// Connects to a service of a classic Bluetooth device through bluetoothd.
    /// - Parameters:
    ///   - address: the device's address.
    ///   - uuid: the class of the service.
    /// - Returns: the socket, a byte stream.
    /// - Throws: `LinkError`: `serviceMissing` if the device has no such service.
    func serialSocket(_ address: BluetoothAddress, service uuid: String) async throws(LinkError) -> BusDescriptor {
        let client = try await client()
        let link = LinkName(.rfcomm, address.description).description
        let device = try await client.device(address, link: link, radio: .classic, within: GATTDevice.searchLimit)
        do throws(BusError) {
            let profile = try await SerialProfile.register(uuid, role: .client, name: "Jackdaw", by: client)
            let result: Result<BusDescriptor, BusError>
            do throws(BusError) {
                try await client.call(
                    device.path, BlueZName.device, "ConnectProfile", [.string(uuid)],
                    within: GATTDevice.connectionLimit)
                // bluetoothd answers after it has passed the socket, so the socket is already here.
                result = try await profile.next().map { .success($0.socket) } ?? .failure(.disconnected)
            } catch {
                result = .failure(error)
            }
            await profile.unregister()
            return try result.get()
        } catch {
            throw LinkError(error, link: link, while: .connecting)
        }
    }
}

extension BlueZClient {
    /// Creates a link over a socket that bluetoothd has made.
    func link(over socket: BusDescriptor, named name: LinkName) throws(LinkError) -> any Transport {
        guard let descriptor = socket.take() else {
            throw LinkError(.disconnected, link: name.description, "the connection was already handed over")
        }
        return try SocketConnector(loop: bus.loop).adopt(descriptor, link: name)
    }
}
