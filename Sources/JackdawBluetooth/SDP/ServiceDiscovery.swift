internal import JackdawSystem
internal import JackdawTransport

/// Asks devices what services they offer (SDP), without bluetoothd.
struct ServiceDiscovery: Sendable {
    /// The number of the service discovery service of every device.
    static let service: UInt16 = 1

    let connector: SocketConnector

    /// The channel that leads to a service of a device.
    /// - Parameters:
    ///   - device: which device.
    ///   - service: the class of the service, or anything else that its record has in it.
    ///   - name: what it is called, where a device has several of the class.
    /// - Returns: 1 to 30.
    /// - Throws: `LinkError` with code `serviceMissing` if the device offers none, or none of the name.
    func channel(
        of device: BluetoothAddress, _ service: BluetoothUUID, named name: String? = nil
    ) async throws(LinkError) -> UInt8 {
        let link = RFCOMMAddress(device: device).link
        // What services there are is no secret; devices tell it before they are paired.
        let transport = try await connector.connect(
            to: device, service: Self.service, link: link, security: .low)
        let records = try await Self.records(of: service, over: transport)
        await transport.close()
        if let channel = Self.channel(in: records, service, named: name) { return channel }
        let names = records.filter { $0.channel != nil }.map { $0.name ?? "" }
        guard let name, !names.isEmpty else {
            throw LinkError(
                .serviceMissing, link: link.description, "the device has no service \(service) over RFCOMM",
                remedy: "name its channel, as in \(RFCOMMAddress(device: device, channel: 1).link)")
        }
        let known = names.filter { !$0.isEmpty }.joined(separator: ", ")
        throw LinkError(
            .serviceMissing, link: link.description, "the device has no service named \(name)",
            remedy: known.isEmpty ? "its services have no names: ask for none" : "it has \(known)")
    }

    /// The channel of the record whose class it is, else of any; of those that have the name, where one is asked for.
    static func channel(
        in records: [ServiceRecord], _ service: BluetoothUUID, named name: String? = nil
    ) -> UInt8? {
        let offered = records.filter { $0.channel != nil && (name == nil || $0.name == name) }
        let best =
            offered.first { $0.classes.first == service } ?? offered.first { $0.classes.contains(service) }
            ?? offered.first
        return best?.channel
    }

    /// The records of a service.
    /// - Parameters:
    ///   - service: what the records have in them.
    ///   - transport: a link of packets to the device's service discovery.
    /// - Returns: what the device tells of each.
    /// - Throws: `LinkError`: `badAnswer` where the device keeps to no protocol.
    static func records(
        of service: BluetoothUUID, over transport: some Transport
    ) async throws(LinkError) -> [ServiceRecord] {
        var search = ServiceSearch(for: service)
        try await transport.send(search.request)
        while true {
            var packet: [UInt8] = []
            let isOpen = try await transport.receive { bytes in packet = bytes.indices.map { bytes[$0] } }
            guard isOpen else {
                throw LinkError(
                    .disconnected, link: transport.link.description, "the device ended service discovery",
                    remedy: "try again")
            }
            do throws(ServiceDiscoveryFault) {
                switch try search.receive(packet) {
                case .send(let request): packet = request
                case .wait: continue
                case .done(let records): return records
                }
            } catch {
                throw LinkError(
                    .badAnswer, link: transport.link.description, "the device's service discovery cannot be read",
                    remedy: "name the channel behind a slash", underlying: error.description)
            }
            try await transport.send(packet)
        }
    }
}
