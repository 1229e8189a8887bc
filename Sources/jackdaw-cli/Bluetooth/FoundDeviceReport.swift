import JackdawTransport

/// What there is to say of a device that a search has found.
struct FoundDeviceReport {
    let device: FoundDevice

    /// An empty table of devices.
    static var table: Table { Table(.text("link"), .text("name"), .number("dBm"), .text("state"), .text("services")) }

    func add(to table: inout Table) {
        var states: [String] = []
        if device.isPaired { states.append("paired") }
        if device.isConnected { states.append("connected") }
        // The long ones are too wide for a table.
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

    /// The digits that tell a UUID of the Bluetooth standard from others; any other UUID as it is.
    private static func short(_ uuid: String) -> String {
        guard uuid.hasPrefix("0000"), uuid.hasSuffix("-0000-1000-8000-00805f9b34fb") else { return uuid }
        return String(uuid.dropFirst(4).prefix(4))
    }
}
