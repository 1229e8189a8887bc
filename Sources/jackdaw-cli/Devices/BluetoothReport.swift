import JackdawBluetooth
import JackdawTransport

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
