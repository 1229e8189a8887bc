/// Asks a device for the records of a service, as often as it takes to get them whole. Knows no device and no time: it is
/// given packets, and says what to do next.
struct ServiceSearch {
    /// What to do next.
    enum Step: Hashable {
        /// Send this packet.
        case send([UInt8])
        /// Wait for another packet: the last one was no answer to this question.
        case wait
        /// All is there.
        case done([ServiceRecord])
    }

    /// The most that records may be together.
    static let mostBytes = 65_536
    /// The most bytes of records in one answer: as many as the device can.
    private static let answerBytes: UInt16 = 0xffff
    private static let mostContinuation = 16

    private let service: BluetoothUUID
    private let attributes: [UInt16]
    private var transaction: UInt16
    private var continuation: [UInt8] = []
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - service: what the records that are asked for have in them.
    ///   - attributes: what is asked for of each.
    ///   - transaction: the number of the first question.
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

    /// The question as it stands.
    var request: [UInt8] {
        var parameters = DataElement.sequence([.uuid(service)]).bytes
        parameters.appendBigEndian(UInt128(Self.answerBytes), count: 2)
        parameters += DataElement.sequence(attributes.map { .unsigned16($0) }).bytes
        parameters.append(UInt8(continuation.count))
        parameters += continuation
        return DiscoveryPacket(.searchAttributeRequest, transaction: transaction, parameters).bytes
    }

    /// Takes what the device sends.
    /// - Parameter bytes: one packet.
    /// - Returns: what to do next.
    /// - Throws: ``ServiceDiscoveryFault``; the search is over then.
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
        guard continuation.count <= Self.mostContinuation else { throw .unexpected }
        received += part
        guard received.count <= Self.mostBytes else { throw .tooLong }
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
