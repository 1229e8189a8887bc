/// A packet of service discovery (Core Specification, volume 3, part B, 4.2): what it is, which question it belongs to, and
/// what it carries.
struct DiscoveryPacket: Hashable {
    /// The kinds that are used here, by number.
    enum Kind: UInt8 {
        case error = 0x01
        case searchAttributeRequest = 0x06
        case searchAttributeResponse = 0x07
    }

    var kind: Kind
    var transaction: UInt16
    var parameters: [UInt8]

    init(_ kind: Kind, transaction: UInt16, _ parameters: [UInt8]) {
        self.kind = kind
        self.transaction = transaction
        self.parameters = parameters
    }

    /// - Parameter bytes: one packet, whole.
    /// - Throws: ``ServiceDiscoveryFault``.
    init(parsing bytes: [UInt8]) throws(ServiceDiscoveryFault) {
        var reader = DiscoveryReader(bytes)
        let kind = try reader.unsigned8()
        transaction = try reader.unsigned16()
        parameters = try reader.content(try reader.number(2))
        try reader.finish()
        guard let kind = Kind(rawValue: kind) else { throw .unexpected }
        self.kind = kind
    }

    /// The packet in bytes.
    var bytes: [UInt8] {
        var bytes = [kind.rawValue]
        bytes.appendBigEndian(UInt128(transaction), count: 2)
        bytes.appendBigEndian(UInt128(parameters.count), count: 2)
        return bytes + parameters
    }
}
