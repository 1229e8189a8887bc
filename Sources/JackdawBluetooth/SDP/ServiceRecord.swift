/// The record of one service that a device offers, with its attributes.
struct ServiceRecord: Hashable, Sendable {
    /// The numbers of the attributes that this program requests.
    enum Attribute {
        static let handle: UInt16 = 0x0000
        static let classes: UInt16 = 0x0001
        static let protocols: UInt16 = 0x0004
        static let browseGroups: UInt16 = 0x0005
        static let profiles: UInt16 = 0x0009
        /// In the first of the record's languages.
        static let name: UInt16 = 0x0100
    }

    /// The record's attributes, by number.
    let attributes: [UInt16: DataElement]

    init(attributes: [UInt16: DataElement]) { self.attributes = attributes }

    /// - Parameter list: alternating numbers and values of attributes.
    /// - Throws: ``ServiceDiscoveryFault`` if the list has another form.
    init(_ list: DataElement) throws(ServiceDiscoveryFault) {
        guard case .sequence(let elements) = list, elements.count.isMultiple(of: 2) else { throw .unexpected }
        var attributes: [UInt16: DataElement] = [:]
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard case .unsigned(let number, .two) = elements[index] else { throw .unexpected }
            attributes[UInt16(number)] = elements[index + 1]
        }
        self.attributes = attributes
    }

    /// Alternating numbers and values of attributes, in the order of the numbers.
    var list: DataElement {
        .sequence(attributes.sorted { $0.key < $1.key }.flatMap { [.unsigned16($0.key), $0.value] })
    }

    /// The record's number on the device that has it.
    var handle: UInt32? { attributes[Attribute.handle]?.number.flatMap { UInt32(exactly: $0) } }

    /// The service classes, the most specific first.
    var classes: [BluetoothUUID] { attributes[Attribute.classes]?.elements.compactMap(\.uuid) ?? [] }

    /// The browse groups that list the record.
    var browseGroups: [BluetoothUUID] { attributes[Attribute.browseGroups]?.elements.compactMap(\.uuid) ?? [] }

    /// The profiles that the service conforms to.
    var profiles: [BluetoothUUID] {
        attributes[Attribute.profiles]?.elements.compactMap { $0.elements.first?.uuid } ?? []
    }

    /// The service's name. Some devices end it with a zero byte, as in C.
    var name: String? {
        attributes[Attribute.name]?.string.map { String($0.prefix { $0 != "\0" }) }
    }

    /// The RFCOMM channel of the service; nil if it has no channel.
    var channel: UInt8? {
        guard let protocols = attributes[Attribute.protocols] else { return nil }
        let stacks =
            switch protocols {
            case .alternative(let stacks): stacks
            default: [protocols]
            }
        for layer in stacks.flatMap(\.elements) where layer.elements.first?.uuid == .rfcomm {
            guard layer.elements.count > 1, let number = layer.elements[1].number,
                let channel = UInt8(exactly: number), RFCOMMAddress.channels.contains(channel)
            else { continue }
            return channel
        }
        return nil
    }
}

/// Queries a device for the records of a service, with continuations until they are complete. It has no transport and
/// no clock: its caller passes packets in, and performs the steps.
struct ServiceSearch {
    /// The caller's next step.
    enum Step: Hashable {
        /// Send this packet.
        case send([UInt8])
        /// Wait for another packet: the last one did not answer this request.
        case wait
        /// The records are complete.
        case done([ServiceRecord])
    }

    /// The greatest size of all records together, in bytes.
    static let maxBytes = 65_536
    /// The greatest number of record bytes in one answer: no limit besides the field's size.
    private static let answerBytes: UInt16 = 0xffff
    private static let maxContinuation = 16

    private let service: BluetoothUUID
    private let attributes: [UInt16]
    private var transaction: UInt16
    private var continuation: [UInt8] = []
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - service: a UUID that the requested records contain.
    ///   - attributes: the attributes to request for each record.
    ///   - transaction: the number of the first request.
    init(
        for service: BluetoothUUID,
        attributes: [UInt16] = [
            ServiceRecord.Attribute.handle, ServiceRecord.Attribute.classes, ServiceRecord.Attribute.protocols,
            ServiceRecord.Attribute.browseGroups, ServiceRecord.Attribute.profiles, ServiceRecord.Attribute.name,
        ], transaction: UInt16 = 1
    ) {
        self.service = service
        self.attributes = attributes
        self.transaction = transaction
    }

    /// The current request, with the continuation state.
    var request: [UInt8] {
        var parameters = DataElement.sequence([.uuid(service)]).bytes
        parameters.appendBigEndian(UInt128(Self.answerBytes), count: 2)
        parameters += DataElement.sequence(attributes.map { .unsigned16($0) }).bytes
        parameters.append(UInt8(continuation.count))
        parameters += continuation
        return DiscoveryPacket(.searchAttributeRequest, transaction: transaction, parameters).bytes
    }

    /// Processes a packet of the device.
    /// - Parameter bytes: one packet.
    /// - Returns: the next step.
    /// - Throws: ``ServiceDiscoveryFault``, which ends the search.
    mutating func receive(_ bytes: [UInt8]) throws(ServiceDiscoveryFault) -> Step {
        let packet = try DiscoveryPacket(parsing: bytes)
        guard packet.transaction == transaction else { return .wait }
        var reader = DiscoveryReader(packet.parameters)
        switch packet.kind {
        case .error: throw .refused(try reader.unsigned16())
        case .searchAttributeRequest: throw .unexpected
        case .searchAttributeResponse: break
        }
        let part = try reader.content(try reader.number(2))
        let continuation = try reader.content(try reader.number(1))
        try reader.finish()
        guard continuation.count <= Self.maxContinuation else { throw .unexpected }
        received += part
        guard received.count <= Self.maxBytes else { throw .tooLong }
        guard continuation.isEmpty else {
            guard !part.isEmpty else { throw .noProgress }
            self.continuation = continuation
            transaction &+= 1
            return .send(request)
        }
        return .done(try Self.records(received))
    }

    private static func records(_ bytes: [UInt8]) throws(ServiceDiscoveryFault) -> [ServiceRecord] {
        var reader = DiscoveryReader(bytes)
        guard case .sequence(let lists) = try reader.element() else { throw .unexpected }
        try reader.finish()
        var records: [ServiceRecord] = []
        for list in lists { records.append(try ServiceRecord(list)) }
        return records
    }
}
