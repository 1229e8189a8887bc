import JackdawBluetooth

/// What there is to say of a Bluetooth adapter of this computer.
struct AdapterReport {
    let adapter: BluetoothAdapter

    /// An empty table of adapters.
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
