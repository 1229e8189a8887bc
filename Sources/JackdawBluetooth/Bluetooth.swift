internal import JackdawSystem
public import JackdawTransport

/// Bluetooth of this computer, by its service bluetoothd. What is needed of it is opened when it is first needed.
public actor Bluetooth {
    private typealias Opening = Task<Result<BlueZClient, LinkError>, Never>

    private let address: BusAddress
    private let clock: any Clock<Duration>
    private var opening: Opening?

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
            guard let address = adapter.address else { return nil }
            return BluetoothAdapter(
                name: adapter.name, address: address, alias: adapter.alias, isPowered: adapter.isPowered)
        }
    }

    /// Switches an adapter on or off.
    /// - Parameters:
    ///   - isOn: whether it is to be on.
    ///   - adapter: the adapter's name, such as `hci0`; nil for the first.
    /// - Throws: `LinkError`: `adapterOff` where there is none, or where it is blocked by rfkill, and what to do about it;
    ///   `serviceMissing`, `notPermitted`.
    public func setPower(_ isOn: Bool, adapter: String? = nil) async throws(LinkError) {
        let client = try await client()
        guard let adapter = try await client.adapters(adapter).first else {
            throw LinkError(.adapterOff, link: adapter ?? "bluetooth")
        }
        do throws(BusError) {
            try await client.set(adapter.path, BlueZName.adapter, "Powered", .boolean(isOn))
        } catch {
            throw LinkError(error, link: adapter.name, while: .searching)
        }
    }

    /// Ends the connection to bluetoothd. What was opened by it ends as well; the next use opens it anew.
    public func close() async {
        let opening = opening
        self.opening = nil
        opening?.cancel()
        if case .success(let client)? = await opening?.value { await client.close() }
    }

    /// The connection to bluetoothd.
    func client() async throws(LinkError) -> BlueZClient {
        while true {
            let opening = opening ?? open()
            let client = try await value(of: opening)
            guard await client.bus.isEnded else { return client }
            // One that has ended is opened anew.
            if self.opening == opening { self.opening = nil }
        }
    }

    private func open() -> Opening {
        let opening = Opening { [address, clock] in
            let result: Result<BlueZClient, LinkError>
            do {
                let loop = try EventLoop()
                return .success(try await BlueZClient.open(address, on: loop, clock: clock))
            } catch let error as BusError {
                result = .failure(LinkError(error, link: "bluetooth", while: .searching))
            } catch {
                result = .failure(LinkError(.system, link: "bluetooth", underlying: (error as? SystemFailure)?.message))
            }
            // One that has failed is no use to the next who asks; where it was cancelled that is seen to.
            if !Task.isCancelled { self.opening = nil }
            return result
        }
        self.opening = opening
        return opening
    }

    /// Waits as long as the task is not cancelled.
    private func value(of opening: Opening) async throws(LinkError) -> BlueZClient {
        let (results, continuation) = AsyncStream.makeStream(of: Result<BlueZClient, LinkError>.self)
        Task { continuation.yield(await opening.value) }
        for await result in results {
            guard opening.isCancelled else { return try result.get() }
            throw LinkError(.disconnected, link: "bluetooth", "Bluetooth was closed")
        }
        throw LinkError(.cancelled, link: "bluetooth")
    }
}

/// An adapter of this computer.
public struct BluetoothAdapter: Sendable, Hashable {
    /// Its name in the system, such as `hci0`.
    public let name: String
    /// Its address.
    public let address: BluetoothAddress
    /// What it is called by others.
    public let alias: String
    /// Whether it is switched on.
    public let isPowered: Bool
}
