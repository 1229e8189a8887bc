/// A service of classic Bluetooth that this program serves or uses through bluetoothd, which makes the connections: the way in
/// where raw sockets are not allowed.
actor SerialProfile {
    /// Which side this program is.
    enum Role: String { case client, server }

    /// A connection that bluetoothd has made.
    struct Connection: Sendable {
        /// The device's object.
        let device: String
        /// The socket, a stream of bytes, which is closed with this.
        let socket: BusDescriptor
    }

    private let client: BlueZClient
    private let path: String
    private var object: Bus.Registration?
    private let continuation: AsyncStream<Connection>.Continuation
    /// Connections as they are made; it ends when the service is given up or bluetoothd gives it up.
    nonisolated let connections: AsyncStream<Connection>

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe client.unownedExecutor }

    private init(_ client: BlueZClient, path: String) {
        self.client = client
        self.path = path
        (connections, continuation) = AsyncStream.makeStream(of: Connection.self)
    }

    /// Registers a service.
    /// - Parameters:
    ///   - uuid: its class, a UUID of 36 characters.
    ///   - role: which side this program is.
    ///   - name: what others see it as.
    ///   - channel: RFCOMM channel of a server; nil for whichever is free.
    ///   - client: bluetoothd.
    /// - Returns: the service, which connections are made to from now on.
    /// - Throws: ``BusError``.
    static func register(
        _ uuid: String, role: Role, name: String, channel: UInt16? = nil, by client: BlueZClient
    ) async throws(BusError) -> SerialProfile {
        let digits = uuid.lowercased().filter { $0 != "-" }
        let profile = SerialProfile(client, path: "/org/jackdaw/profile/\(role.rawValue)_\(digits)")
        try await profile.start(uuid, role, name, channel)
        return profile
    }

    /// Gives the service up.
    func unregister() async {
        guard let object else { return }
        self.object = nil
        await client.undo(BlueZName.root, BlueZName.profileManager, "UnregisterProfile", [.objectPath(path)])
        await client.bus.remove(object)
        continuation.finish()
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
            await client.bus.remove(object)
            throw error
        }
        self.object = object
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
            continuation.yield(Connection(device: device, socket: socket))
            answer(request, .success(BusBody()))
        // The other end of the socket is closed by bluetoothd, which is told there.
        case "RequestDisconnection": answer(request, .success(BusBody()))
        case "Release":
            answer(request, .success(BusBody()))
            continuation.finish()
        default: answer(request, .failure(BusError(name: BusError.Name.unknownMethod, message: request.member)))
        }
    }

    private func answer(_ request: BusRequest, _ result: Result<BusBody, BusError>) {
        client.bus.assumeIsolated { $0.answer(request, result) }
    }
}
