internal import JackdawSystem
public import JackdawTransport

/// The Bluetooth of this computer, through the system service bluetoothd. It connects to the service at the first use.
public actor Bluetooth {
    private typealias Opening = Task<Result<BlueZClient, LinkError>, Never>

    private let address: BusAddress
    private let clock: any Clock<Duration>
    private var opening: Opening?

    /// Creates access to this computer's Bluetooth.
    /// - Parameter clock: measures times and time limits.
    public init(clock: any Clock<Duration> = ContinuousClock()) { self.init(bus: .system, clock: clock) }

    /// Creates access through a private bus, for tests.
    init(bus: BusAddress, clock: any Clock<Duration>) {
        address = bus
        self.clock = clock
    }

    /// Creates a scanner for devices.
    /// - Parameters:
    ///   - radio: the radio to scan with.
    ///   - services: UUIDs of 36 characters; a device must advertise at least one of them. Empty admits any device.
    ///   - adapter: the adapter's name, such as `hci0`; nil uses the first one that is switched on.
    /// - Returns: the scanner, which has not started.
    public nonisolated func scanner(
        radio: BluetoothRadio = .any, services: [String] = [], adapter: String? = nil
    ) -> BluetoothScanner {
        let filter = DiscoveryFilter(radio: radio, services: services.map { $0.lowercased() })
        return BluetoothScanner(filter, adapter: adapter) { () throws(LinkError) in try await self.client() }
    }

    /// Lists the adapters of this computer.
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
    ///   - isOn: whether the adapter is on afterwards.
    ///   - adapter: the adapter's name, such as `hci0`; nil uses the first one.
    /// - Throws: `LinkError`: `adapterOff` with a remedy if there is no adapter, or rfkill blocks it; `serviceMissing`,
    ///   `notPermitted`.
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

    /// Closes the connection to bluetoothd, which also ends everything opened through it; the next use opens it again.
    public func close() async {
        let opening = opening
        self.opening = nil
        opening?.cancel()
        if case .success(let client)? = await opening?.value { await client.close() }
    }

    /// The open connection to bluetoothd; opens it if necessary.
    func client() async throws(LinkError) -> BlueZClient {
        while true {
            let opening = opening ?? open()
            let client = try await value(of: opening)
            guard await client.bus.isEnded else { return client }
            // A connection that has ended is opened again.
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
            // A failed attempt is not reused by the next caller; if it was cancelled, `close()` has already removed it.
            if !Task.isCancelled { self.opening = nil }
            return result
        }
        self.opening = opening
        return opening
    }

    /// Waits for the result, or until the caller's task is cancelled.
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

/// A Bluetooth adapter of this computer.
public struct BluetoothAdapter: Sendable, Hashable {
    /// The adapter's name in the system, such as `hci0`.
    public let name: String
    /// The adapter's own Bluetooth address.
    public let address: BluetoothAddress
    /// The name that other devices see.
    public let alias: String
    /// Whether the adapter is switched on.
    public let isPowered: Bool
}
