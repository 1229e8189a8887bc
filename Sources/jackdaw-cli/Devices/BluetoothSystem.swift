import JackdawBluetooth
import JackdawLinux
import JackdawReaders
import JackdawSystem
import JackdawTransport

/// Bluetooth and links on the computer that runs the command; tests replace them.
struct BluetoothSystem: Sendable {
    /// Scans for devices for the given duration.
    var devices: @Sendable (Duration) -> AsyncThrowingStream<FoundDevice, any Error>
    /// The Bluetooth adapters of this computer.
    var adapters: @Sendable () async throws(LinkError) -> [BluetoothAdapter]
    var pair: @Sendable (BluetoothAddress, BluetoothRadio, any PairingAgent) async throws(LinkError) -> Void
    /// Removes the pairing of a device.
    var forget: @Sendable (BluetoothAddress) async throws(LinkError) -> Void
    /// Opens a byte link.
    var connect: @Sendable (LinkName, GATTProfile?, SerialRoute) async throws(LinkError) -> any Transport
    /// Opens a link with a transcript that is masked as given.
    var record:
        @Sendable (LinkName, GATTProfile?, SerialRoute, TranscriptSecrecy) async throws(LinkError) -> any Transport
    /// Keeps a link open by calling the closure again after the kinds of failures that are given.
    var keep:
        @Sendable (KeptLink.Persistence, @escaping @Sendable () async throws(LinkError) -> any Transport) -> KeptLink =
            {
                persistence, connect in KeptLink(persistence, connect: connect)
            }
    /// Offers a serial port at an RFCOMM channel, and calls the closure with each incoming link until the task is
    /// cancelled; also calls a closure if the system is short of a resource that a link needs.
    var serve:
        @Sendable (
            UInt8, String, @escaping @Sendable (SystemFailure) async -> Void,
            @escaping @Sendable (any Transport) async -> Void
        ) async throws(LinkError) -> Void
    /// Measures the times of readers, real and simulated.
    var clock: any Clock<Duration> = SuspendingClock()
    /// Provides the time of day.
    var wallClock = WallClock()
    /// Whether the user has interrupted the command.
    var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }

    /// How transcripts mask their content.
    private(set) var secrecy = TranscriptSecrecy.usual

    private let linux: LinuxDevices

    /// A copy whose simulated readers encrypt their swipes.
    func encrypting(with cipher: any SwipeCipher) -> BluetoothSystem {
        var system = self
        system.connect = { [linux] link, profile, route throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, cipher: cipher)
        }
        system.record = { [linux] link, profile, route, secrecy throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, secrecy: secrecy, cipher: cipher)
        }
        return system
    }

    /// A copy whose transcripts are masked by the mask of a reader family.
    func recording(_ mask: ReaderMask) -> BluetoothSystem {
        var system = self
        system.secrecy = .masked(mask)
        system.connect = { [record] link, profile, route throws(LinkError) in
            try await link.scheme == .record
                ? record(link, profile, route, .masked(mask)) : connect(link, profile, route)
        }
        return system
    }

    /// Uses this computer's Bluetooth and links.
    init() {
        let bluetooth = Bluetooth()
        let linux = LinuxDevices(bluetooth: bluetooth)
        self.linux = linux
        devices = { duration in bluetooth.scanner().devices(for: duration) }
        adapters = { () throws(LinkError) in try await bluetooth.adapters() }
        pair = { address, radio, agent throws(LinkError) in
            try await bluetooth.pair(address, radio: radio, agent: agent)
        }
        forget = { address throws(LinkError) in try await bluetooth.forget(address) }
        connect = { link, profile, route throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route)
        }
        record = { link, profile, route, secrecy throws(LinkError) in
            try await linux.connect(link, profile: profile, route: route, secrecy: secrecy)
        }
        serve = { channel, name, whenShort, serve throws(LinkError) in
            let service = try await bluetooth.offerSerial(name: name, channel: channel)
            do throws(LinkError) {
                while true { await serve(try await service.accept(whenShort: whenShort)) }
            } catch {
                await service.close()
                throw error
            }
        }
    }
}

/// A Bluetooth adapter of this computer, as it is printed.
struct AdapterReport {
    let adapter: BluetoothAdapter

    /// An empty table with the columns of an adapter.
    static var table: Table { Table(.text("adapter"), .text("address"), .text("name"), .text("state")) }

    func add(to table: inout Table) {
        table.add(adapter.name, adapter.address.description, adapter.alias, adapter.isPowered ? "on" : "off")
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "adapter")
        object.add("adapter", adapter.name)
        object.add("address", adapter.address.description)
        object.add("name", adapter.alias)
        object.add("powered", adapter.isPowered)
        return object
    }
}

/// A Bluetooth device that a scan has found, as it is printed.
struct FoundDeviceReport {
    let device: FoundDevice

    /// An empty table with the columns of a device.
    static var table: Table { Table(.text("link"), .text("name"), .number("dBm"), .text("state"), .text("services")) }

    func add(to table: inout Table) {
        var states: [String] = []
        if device.isPaired { states.append("paired") }
        if device.isConnected { states.append("connected") }
        // Full UUIDs are too wide for the table.
        let services = device.services.prefix(3).map(Self.short).joined(separator: " ")
        let more = device.services.count > 3 ? " and \(device.services.count - 3) more" : ""
        table.add(
            device.link.description, device.name ?? "", device.signalStrength.map(String.init) ?? "",
            states.isEmpty ? "new" : states.joined(separator: ", "), services + more)
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "bluetooth")
        object.add("link", device.link.description)
        object.add("name", device.name)
        object.add("rssi", device.signalStrength)
        object.add("paired", device.isPaired)
        object.add("connected", device.isConnected)
        object.add("services", device.services)
        return object
    }

    /// The four digits that distinguish a UUID of the Bluetooth standard; any other UUID unchanged.
    private static func short(_ uuid: String) -> String {
        guard uuid.hasPrefix("0000"), uuid.hasSuffix("-0000-1000-8000-00805f9b34fb") else { return uuid }
        return String(uuid.dropFirst(4).prefix(4))
    }
}
