/// Which devices are looked for.
struct DiscoveryFilter: Sendable, Hashable {
    /// How devices are looked for.
    var radio = BluetoothRadio.any
    /// UUIDs of services, lower case, one of which a device must tell of; any device where there are none.
    var services: [String] = []

    /// What `SetDiscoveryFilter` is told.
    var options: BusValue {
        var options: [String: BusValue] = ["Transport": .string(radio.rawValue)]
        if !services.isEmpty { options["UUIDs"] = .strings(services) }
        return .options(options)
    }

    /// Whether a device is one of those: bluetoothd also tells of those that other programs look for.
    func admits(_ device: BlueZDevice) -> Bool {
        services.isEmpty || !Set(services).isDisjoint(with: device.services)
    }
}
