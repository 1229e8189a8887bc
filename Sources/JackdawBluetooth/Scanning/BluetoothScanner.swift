internal import JackdawSystem
public import JackdawTransport

/// Scans for Bluetooth devices through bluetoothd.
public struct BluetoothScanner: DeviceScanner {
    /// The default duration of a scan.
    public static let usualDuration = Duration.seconds(5)

    private let filter: DiscoveryFilter
    private let adapter: String?
    private let open: @Sendable () async throws(LinkError) -> BlueZClient

    init(
        _ filter: DiscoveryFilter, adapter: String?, open: @escaping @Sendable () async throws(LinkError) -> BlueZClient
    ) {
        self.filter = filter
        self.adapter = adapter
        self.open = open
    }

    /// Scans for devices for five seconds.
    /// - Returns: each device when it is first seen, and again when one of its values changes; the stream ends after
    ///   five seconds.
    public func devices() -> AsyncThrowingStream<FoundDevice, any Error> { devices(for: Self.usualDuration) }

    /// Scans for devices.
    /// - Parameter duration: how long to scan; nil scans until the caller ends the stream.
    /// - Returns: each device when it is first seen, and again when one of its values changes, with only the latest
    ///   state of a device that the caller has not taken yet. The stream ends when `duration` is over, or earlier with
    ///   `LinkError` if the scan cannot continue.
    public func devices(for duration: Duration?) -> AsyncThrowingStream<FoundDevice, any Error> {
        let latest = LatestDevices()
        let running = RunningSearch {
            do throws(LinkError) {
                try await search(for: duration) { latest.put($0) }
                latest.finish(.success(()))
            } catch {
                latest.finish(.failure(error))
            }
        }
        return AsyncThrowingStream {
            // The search's task runs as long as the stream exists.
            withExtendedLifetime(running) {}
            return try await latest.next()
        }
    }

    private func search(
        for duration: Duration?, _ found: @escaping @Sendable (FoundDevice) -> Void
    ) async throws(LinkError) {
        let client = try await open()
        let path = try await client.readyAdapter(adapter)
        let events = await client.events()
        let name = BlueZName.last(of: path)
        let late = LinkError(.timedOut, link: name)
        do throws(LinkError) {
            try await client.discovering(filter, on: path) { [filter] () throws(LinkError) in
                let listen: @Sendable () async throws(LinkError) -> Void = { () throws(LinkError) in
                    var search = Search(client: client, adapter: path, filter: filter, found: found)
                    try await search.run(events)
                }
                guard let duration else { return try await listen() }
                try await withDeadline(duration, of: client.clock, late: late, listen)
            }
        } catch {
            // The end of the scan's duration is not an error.
            guard error == late else { throw error }
        }
    }
}

/// The task of a search, cancelled when this object is released.
private final class RunningSearch: Sendable {
    private let task: Task<Void, Never>

    init(_ search: @escaping @Sendable () async -> Void) { task = Task { await search() } }

    deinit { task.cancel() }
}

/// One search, from its start to its end.
private struct Search {
    let client: BlueZClient
    let adapter: String
    let filter: DiscoveryFilter
    let found: @Sendable (FoundDevice) -> Void
    /// The last reported state of each device.
    private var reported: [String: FoundDevice] = [:]

    init(
        client: BlueZClient, adapter: String, filter: DiscoveryFilter, found: @escaping @Sendable (FoundDevice) -> Void
    ) {
        self.client = client
        self.adapter = adapter
        self.filter = filter
        self.found = found
    }

    /// Reports devices until the adapter is removed or the task is cancelled.
    mutating func run(_ events: AsyncStream<BlueZObjects.Event>) async throws(LinkError) {
        let name = BlueZName.last(of: adapter)
        for device in await client.objects.devices { report(device) }
        for await event in events {
            switch event {
            case .added(let path, BlueZName.device), .changed(let path, BlueZName.device, _):
                if let device = await client.objects.device(path) { report(device) }
            case .removed(let path, BlueZName.device): reported[path] = nil
            case .removed(adapter, BlueZName.adapter): throw LinkError(.adapterOff, link: name)
            case .changed(adapter, BlueZName.adapter, let properties) where properties["Powered"] == .boolean(false):
                throw LinkError(.adapterOff, link: name)
            case .serviceEnded: throw LinkError(.serviceMissing, link: name)
            default: break
            }
        }
        throw LinkError(.cancelled, link: name)
    }

    private mutating func report(_ device: BlueZDevice) {
        guard device.adapter == adapter, filter.admits(device), let found = FoundDevice(device, by: filter.radio),
            reported[device.path] != found
        else { return }
        reported[device.path] = found
        self.found(found)
    }
}

extension FoundDevice {
    /// The UUID of the Serial Port service, which only classic Bluetooth has.
    private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

    /// Creates a device from the properties that bluetoothd reports; nil if they have no valid address.
    /// - Parameters:
    ///   - device: the device.
    ///   - radio: the radio of the search, which determines the kind of link; with `any`, the device's properties
    ///     determine it.
    init?(_ device: BlueZDevice, by radio: BluetoothRadio) {
        guard let address = device.address else { return nil }
        let isClassic =
            switch radio {
            case .classic: true
            case .lowEnergy: false
            case .any: device.isClassic || device.services.contains(Self.serialPort)
            }
        self.init(
            link: LinkName(isClassic ? .rfcomm : .ble, address.description), name: device.name,
            signalStrength: device.signalStrength, services: device.services, isPaired: device.isPaired,
            isConnected: device.isConnected)
    }
}

/// The devices that a search has found and the caller has not taken: only the latest state of each device, so that a
/// slow caller neither receives every intermediate change nor lets them accumulate.
final class LatestDevices: Sendable {
    /// The greatest number of waiting devices; above it, the device that has waited longest is dropped.
    static let most = 1_024

    private struct State {
        var devices: [LinkName: FoundDevice] = [:]
        /// The names of the waiting devices, the one that has waited longest first.
        var order: [LinkName] = []
        /// The result of the search; nil while it runs.
        var end: Result<Void, LinkError>?
    }

    private let state = Lock(State())
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() { (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func put(_ device: FoundDevice) {
        state.withLock { state in
            if state.devices.updateValue(device, forKey: device.link) == nil { state.order.append(device.link) }
            // Devices that keep changing their addresses would otherwise fill the memory.
            if state.order.count > Self.most { state.devices[state.order.removeFirst()] = nil }
        }
        ring.yield()
    }

    /// Ends the sequence after the waiting devices.
    func finish(_ end: Result<Void, LinkError>) {
        state.withLock { $0.end = end }
        ring.finish()
    }

    /// Waits for a device. Only one task at a time may wait.
    /// - Returns: the device that has waited longest; nil at the end, and if the task was cancelled.
    /// - Throws: the error that ended the search, once.
    func next() async throws(LinkError) -> FoundDevice? {
        var rings = bell.makeAsyncIterator()
        while true {
            let (device, end) = state.withLock { state -> (FoundDevice?, Result<Void, LinkError>?) in
                guard state.order.isEmpty else {
                    return (state.devices.removeValue(forKey: state.order.removeFirst()), nil)
                }
                defer { if state.end != nil { state.end = .success(()) } }
                return (nil, state.end)
            }
            if let device { return device }
            if let end {
                try end.get()
                return nil
            }
            guard await rings.next() != nil || state.withLock({ $0.end != nil }) else { return nil }
        }
    }
}

/// The radios of Bluetooth to use.
public enum BluetoothRadio: String, Sendable, Hashable, CaseIterable {
    /// Either radio, as the device supports.
    case any = "auto"
    /// Classic Bluetooth (BR/EDR), with RFCOMM.
    case classic = "bredr"
    /// Bluetooth Low Energy, with GATT.
    case lowEnergy = "le"
}
