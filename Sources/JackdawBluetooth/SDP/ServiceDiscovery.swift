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

/// What is wrong with an answer to service discovery.
enum ServiceDiscoveryFault: Error, Hashable, CustomStringConvertible {
    /// It ends too early.
    case truncated
    /// It goes on behind its end.
    case excess
    /// It nests deeper than any record does.
    case tooDeep
    /// It is longer than any record is.
    case tooLong
    /// An element of a kind or size that does not exist, by its first byte.
    case unknownElement(UInt8)
    /// Something else than the protocol has there.
    case unexpected
    /// The device goes on asking to be asked again and tells nothing.
    case noProgress
    /// The device reports an error, by its number.
    case refused(UInt16)

    /// In words.
    var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .excess: "it goes on behind its end"
        case .tooDeep: "it nests too deep"
        case .tooLong: "it is too long"
        case .unknownElement(let byte): "an element begins with \(byte)"
        case .unexpected: "it is no answer to the question"
        case .noProgress: "it goes on without telling anything"
        case .refused(1): "error 1, no such version"
        case .refused(2): "error 2, no such record"
        case .refused(3): "error 3, the request's form"
        case .refused(4): "error 4, the request's size"
        case .refused(5): "error 5, the continuation"
        case .refused(6): "error 6, the device has no room"
        case .refused(let code): "error \(code)"
        }
    }
}

/// Remembers which channels lead to which services, so that a device need not be asked each time.
actor ChannelCache {
    /// A service of a device.
    struct Service: Hashable, Sendable {
        let device: BluetoothAddress
        let service: BluetoothUUID
        /// What it is called, where that was asked for.
        let name: String?
    }

    private var channels: [Service: UInt8]
    private let keep: @Sendable ([Service: UInt8]) -> Void

    /// - Parameters:
    ///   - channels: what was known before.
    ///   - keep: stores what is known, at each change.
    init(_ channels: [Service: UInt8] = [:], keep: @escaping @Sendable ([Service: UInt8]) -> Void = { _ in }) {
        self.channels = channels
        self.keep = keep
    }

    /// The channel of a service; nil where it is not known.
    subscript(service: Service) -> UInt8? { channels[service] }

    /// Remembers a channel.
    func remember(_ channel: UInt8, of service: Service) {
        guard channels.updateValue(channel, forKey: service) != channel else { return }
        keep(channels)
    }

    /// Forgets the channel of a service.
    func forget(_ service: Service) {
        guard channels.removeValue(forKey: service) != nil else { return }
        keep(channels)
    }
}
