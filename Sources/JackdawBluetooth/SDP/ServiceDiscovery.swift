internal import JackdawSystem
internal import JackdawTransport

/// Queries devices for the services that they offer (SDP), without bluetoothd.
struct ServiceDiscovery: Sendable {
    /// The L2CAP service number (PSM) of service discovery on every device.
    static let service: UInt16 = 1

    let connector: SocketConnector

    /// Finds the channel of a service of a device.
    /// - Parameters:
    ///   - device: the device's address.
    ///   - service: the class of the service, or any other UUID in its record.
    ///   - name: the service's name, if a device has several services of the class.
    /// - Returns: 1 to 30.
    /// - Throws: `LinkError` with code `serviceMissing` if the device has no such service, or no service has the name.
    func channel(
        of device: BluetoothAddress, _ service: BluetoothUUID, named name: String? = nil
    ) async throws(LinkError) -> UInt8 {
        let link = RFCOMMAddress(device: device).link
        // The list of services is not secret; devices send it before they are paired.
        let transport = try await connector.connect(
            to: device, service: Self.service, link: link, security: .low)
        let records = try await Self.records(of: service, over: transport)
        await transport.close()
        if let channel = Self.channel(in: records, service, named: name) { return channel }
        let names = records.filter { $0.channel != nil }.map { $0.name ?? "" }
        guard let name, !names.isEmpty else {
            throw LinkError(
                .serviceMissing, link: link.description, "the device has no service \(service) over RFCOMM",
                remedy: "give its channel, as in \(RFCOMMAddress(device: device, channel: 1).link)")
        }
        let known = names.filter { !$0.isEmpty }.joined(separator: ", ")
        throw LinkError(
            .serviceMissing, link: link.description, "the device has no service named \(name)",
            remedy: known.isEmpty ? "its services have no names: do not give one" : "its services are \(known)")
    }

    /// The channel of a record whose class is the service, otherwise of any record; only of records that have the name,
    /// if one is given.
    static func channel(
        in records: [ServiceRecord], _ service: BluetoothUUID, named name: String? = nil
    ) -> UInt8? {
        let offered = records.filter { $0.channel != nil && (name == nil || $0.name == name) }
        let best =
            offered.first { $0.classes.first == service } ?? offered.first { $0.classes.contains(service) }
            ?? offered.first
        return best?.channel
    }

    /// Queries the records of a service.
    /// - Parameters:
    ///   - service: a UUID that the records contain.
    ///   - transport: a packet link to the device's service discovery.
    /// - Returns: the records that the device sends.
    /// - Throws: `LinkError`: `badAnswer` if the device violates the protocol.
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
                    .disconnected, link: transport.link.description, "the device ended the service discovery",
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
                    .badAnswer, link: transport.link.description, "the service discovery answer cannot be parsed",
                    remedy: "give the channel after a slash", underlying: error.description)
            }
            try await transport.send(packet)
        }
    }
}

/// The error in an answer of service discovery.
enum ServiceDiscoveryFault: Error, Hashable, CustomStringConvertible {
    /// The answer ends too early.
    case truncated
    /// Bytes follow after the answer's end.
    case excess
    /// The elements nest deeper than in any record.
    case tooDeep
    /// The answer is longer than any record.
    case tooLong
    /// The first byte of an element has a type or a size index that SDP does not define.
    case unknownElement(UInt8)
    /// The packet or element is not the one that the protocol has at this position.
    case unexpected
    /// The device requests another continuation, but sends no new bytes.
    case noProgress
    /// The device reports an error, by its number.
    case refused(UInt16)

    var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .excess: "it continues after its end"
        case .tooDeep: "it is nested too deeply"
        case .tooLong: "it is too long"
        case .unknownElement(let byte): "an element begins with \(byte)"
        case .unexpected: "it does not answer the request"
        case .noProgress: "it continues without new data"
        case .refused(1): "error 1, unsupported version"
        case .refused(2): "error 2, invalid record handle"
        case .refused(3): "error 3, invalid request syntax"
        case .refused(4): "error 4, invalid request size"
        case .refused(5): "error 5, invalid continuation state"
        case .refused(6): "error 6, the device has insufficient resources"
        case .refused(let code): "error \(code)"
        }
    }
}

/// Stores the channels of services, so that the program need not query a device at each connection.
actor ChannelCache {
    /// A service of a device, as a key of the cache.
    struct Service: Hashable, Sendable {
        let device: BluetoothAddress
        let service: BluetoothUUID
        /// The service's name, if the caller gave one.
        let name: String?
    }

    private var channels: [Service: UInt8]
    private let keep: @Sendable ([Service: UInt8]) -> Void

    /// - Parameters:
    ///   - channels: the channels known before.
    ///   - keep: stores all known channels, at each change.
    init(_ channels: [Service: UInt8] = [:], keep: @escaping @Sendable ([Service: UInt8]) -> Void = { _ in }) {
        self.channels = channels
        self.keep = keep
    }

    /// The channel of a service; nil if it is not known.
    subscript(service: Service) -> UInt8? { channels[service] }

    /// Stores the channel of a service.
    func remember(_ channel: UInt8, of service: Service) {
        guard channels.updateValue(channel, forKey: service) != channel else { return }
        keep(channels)
    }

    /// Removes the channel of a service.
    func forget(_ service: Service) {
        guard channels.removeValue(forKey: service) != nil else { return }
        keep(channels)
    }
}
