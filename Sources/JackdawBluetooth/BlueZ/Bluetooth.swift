internal import JackdawSystem
public import JackdawTransport

/// Bluetooth of this computer, by its service bluetoothd. What is needed of it is opened when it is first needed.
public actor Bluetooth {
    private let address: BusAddress
    private let clock: any Clock<Duration>
    private var opening: Task<Result<BlueZClient, LinkError>, Never>?

    /// Bluetooth of this computer.
    /// - Parameter clock: what tells the time.
    public init(clock: any Clock<Duration> = ContinuousClock()) { self.init(bus: .system, clock: clock) }

    /// Bluetooth by a bus of a test's own.
    init(bus: BusAddress, clock: any Clock<Duration>) {
        address = bus
        self.clock = clock
    }

    /// Finds devices.
    /// - Parameters:
    ///   - radio: how they are looked for.
    ///   - services: UUIDs of 36 characters, one of which a device must tell of; any device where there are none.
    ///   - adapter: the adapter's name, such as `hci0`; nil for the first that is switched on.
    /// - Returns: what finds them.
    public nonisolated func scanner(
        radio: BluetoothRadio = .any, services: [String] = [], adapter: String? = nil
    ) -> BluetoothScanner {
        let filter = DiscoveryFilter(radio: radio, services: services.map { $0.lowercased() })
        return BluetoothScanner(filter, adapter: adapter) { () throws(LinkError) in try await self.client() }
    }

    /// The adapters of this computer.
    /// - Returns: each adapter, in the order of their names.
    /// - Throws: `LinkError`: `serviceMissing`, `notPermitted`.
    public func adapters() async throws(LinkError) -> [BluetoothAdapter] {
        try await client().objects.adapters.compactMap { adapter in
            guard let address = adapter.address, let name = adapter.path.split(separator: "/").last else { return nil }
            return BluetoothAdapter(
                name: String(name), address: address, alias: adapter.name, isPowered: adapter.isPowered)
        }
    }

    /// Ends the connection to bluetoothd. What was opened by it ends as well; the next use opens it anew.
    public func close() async {
        let opening = opening
        self.opening = nil
        if case .success(let client)? = await opening?.value { await client.close() }
    }

    /// The connection to bluetoothd.
    func client() async throws(LinkError) -> BlueZClient {
        if let opening {
            // One that has failed or ended is opened anew.
            if case .success(let client) = await opening.value, await !client.bus.isEnded { return client }
            if self.opening == opening { self.opening = nil }
        }
        let task =
            opening
            ?? Task { [address, clock] in
                do {
                    let loop = try EventLoop()
                    return .success(try await BlueZClient.open(address, on: loop, clock: clock))
                } catch let error as BusError {
                    return .failure(LinkError(error, link: "bluetooth", while: .searching))
                } catch {
                    return .failure(
                        LinkError(.system, link: "bluetooth", underlying: (error as? SystemFailure)?.message))
                }
            }
        opening = task
        return try await task.value.get()
    }
}
