internal import JackdawSystem
public import JackdawTransport

/// Finds Bluetooth devices through bluetoothd.
public struct BluetoothScanner: DeviceScanner {
    /// How long a search takes where nobody says.
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

    /// Looks for devices for five seconds.
    /// - Returns: each device when it is first seen and again when something about it changed; ends by itself.
    public func devices() -> AsyncThrowingStream<FoundDevice, any Error> { devices(for: Self.usualDuration) }

    /// Looks for devices.
    /// - Parameter duration: how long; nil until the stream is given up.
    /// - Returns: each device when it is first seen and again when something about it changed, the latest where that is not
    ///   taken at once; ends by itself when the time is over, and earlier with `LinkError` where it cannot go on.
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
            // It lives as long as the stream.
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
            // That the time is over is no failure of a search.
            guard error == late else { throw error }
        }
    }
}

/// A search's task, which ends with whoever holds this.
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
    /// What was told of each device last.
    private var told: [String: FoundDevice] = [:]

    init(
        client: BlueZClient, adapter: String, filter: DiscoveryFilter, found: @escaping @Sendable (FoundDevice) -> Void
    ) {
        self.client = client
        self.adapter = adapter
        self.filter = filter
        self.found = found
    }

    /// Tells of devices until the adapter goes or the task is cancelled.
    mutating func run(_ events: AsyncStream<BlueZObjects.Event>) async throws(LinkError) {
        let name = BlueZName.last(of: adapter)
        for device in await client.objects.devices { tell(device) }
        for await event in events {
            switch event {
            case .added(let path, BlueZName.device), .changed(let path, BlueZName.device, _):
                if let device = await client.objects.device(path) { tell(device) }
            case .removed(let path, BlueZName.device): told[path] = nil
            case .removed(adapter, BlueZName.adapter): throw LinkError(.adapterOff, link: name)
            case .changed(adapter, BlueZName.adapter, let properties) where properties["Powered"] == .boolean(false):
                throw LinkError(.adapterOff, link: name)
            case .serviceEnded: throw LinkError(.serviceMissing, link: name)
            default: break
            }
        }
        throw LinkError(.cancelled, link: name)
    }

    private mutating func tell(_ device: BlueZDevice) {
        guard device.adapter == adapter, filter.admits(device), let found = FoundDevice(device, by: filter.radio),
            told[device.path] != found
        else { return }
        told[device.path] = found
        self.found(found)
    }
}

extension FoundDevice {
    /// The class of a service that only classic Bluetooth has: a serial port.
    private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

    /// What bluetoothd tells of a device; nil where that is no address.
    /// - Parameters:
    ///   - device: the device.
    ///   - radio: what it was looked for by, which says how to connect; where that was either, the device does.
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

/// What a search has found and nobody has taken yet: of each device the latest, so that whoever takes them slowly is not told
/// of every change in between and they do not pile up.
final class LatestDevices: Sendable {
    /// Devices that wait at most; then the one that has waited longest is left out.
    static let most = 1_024

    private struct State {
        var devices: [LinkName: FoundDevice] = [:]
        /// The names of those devices, the one that has waited longest first.
        var order: [LinkName] = []
        /// How the search ended; nil while it goes on.
        var end: Result<Void, LinkError>?
    }

    private let state = SystemLock(State())
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    init() { (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func put(_ device: FoundDevice) {
        state.withLock { state in
            if state.devices.updateValue(device, forKey: device.link) == nil { state.order.append(device.link) }
            // Devices that change their addresses all the time would be new ones for ever.
            if state.order.count > Self.most { state.devices[state.order.removeFirst()] = nil }
        }
        ring.yield()
    }

    /// Ends them behind what was put.
    func finish(_ end: Result<Void, LinkError>) {
        state.withLock { $0.end = end }
        ring.finish()
    }

    /// Waits for a device. For one task at a time.
    /// - Returns: the one that has waited longest; nil at the end, and where the task was cancelled.
    /// - Throws: why the search ended, once.
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

/// The two radios of Bluetooth.
public enum BluetoothRadio: String, Sendable, Hashable, CaseIterable {
    /// Whichever a device has.
    case any = "auto"
    /// The classic one, with RFCOMM.
    case classic = "bredr"
    /// Bluetooth Low Energy, with GATT.
    case lowEnergy = "le"
}
