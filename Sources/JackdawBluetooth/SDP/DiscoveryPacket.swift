/// A packet of the Service Discovery Protocol (Core Specification, volume 3, part B, 4.2): its kind, the transaction it
/// belongs to, and its parameters.
struct DiscoveryPacket: Hashable {
    /// The kinds that this program uses, by number.
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

    /// - Parameter bytes: one complete packet.
    /// - Throws: ``ServiceDiscoveryFault`` if the bytes are not a packet of a known kind.
    init(parsing bytes: [UInt8]) throws(ServiceDiscoveryFault) {
        var reader = DiscoveryReader(bytes)
        let kind = try reader.unsigned8()
        transaction = try reader.unsigned16()
        parameters = try reader.content(try reader.number(2))
        try reader.finish()
        guard let kind = Kind(rawValue: kind) else { throw .unexpected }
        self.kind = kind
    }

    var bytes: [UInt8] {
        var bytes = [kind.rawValue]
        bytes.appendBigEndian(UInt128(transaction), count: 2)
        bytes.appendBigEndian(UInt128(parameters.count), count: 2)
        return bytes + parameters
    }
}

/// Parses Service Discovery data from front to back; never reads beyond the end.
struct DiscoveryReader {
    /// The greatest depth of nested elements.
    static let maxDepth = 8

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    /// - Throws: `excess` if there are bytes left.
    func finish() throws(ServiceDiscoveryFault) {
        guard isAtEnd else { throw .excess }
    }

    /// An unsigned integer, the highest byte first.
    mutating func number(_ count: Int) throws(ServiceDiscoveryFault) -> UInt128 {
        var value: UInt128 = 0
        for index in try take(UInt128(count)) { value = value << 8 | UInt128(bytes[index]) }
        return value
    }

    mutating func unsigned8() throws(ServiceDiscoveryFault) -> UInt8 { UInt8(try number(1)) }
    mutating func unsigned16() throws(ServiceDiscoveryFault) -> UInt16 { UInt16(try number(2)) }

    /// The next bytes, of this number.
    mutating func content(_ count: UInt128) throws(ServiceDiscoveryFault) -> [UInt8] { Array(bytes[try take(count)]) }

    /// An element with all elements inside it.
    mutating func element(depth: Int = 0) throws(ServiceDiscoveryFault) -> DataElement {
        guard depth < Self.maxDepth else { throw .tooDeep }
        let header = try unsigned8()
        let index = header & 7
        guard let kind = DataElement.Kind(rawValue: header >> 3) else { throw .unknownElement(header) }
        switch kind {
        case .null where index == 0: return .null
        case .boolean where index == 0: return .boolean(try unsigned8() != 0)
        case .unsigned:
            let width = try width(header)
            return .unsigned(try number(width.rawValue), width)
        case .signed:
            let width = try width(header)
            let unused = 128 - 8 * width.rawValue
            let value = try number(width.rawValue)
            return .signed(Int128(truncatingIfNeeded: value << unused) >> unused, width)
        case .uuid:
            switch try width(header) {
            case .two: return .uuid(BluetoothUUID(UInt32(try number(2))))
            case .four: return .uuid(BluetoothUUID(UInt32(try number(4))))
            case .sixteen: return .uuid(BluetoothUUID(value: try number(16)))
            case .one, .eight: throw .unknownElement(header)
            }
        case .text: return .text(try content(try count(header)))
        case .url: return .url(try content(try count(header)))
        case .sequence: return .sequence(try elements(header, depth))
        case .alternative: return .alternative(try elements(header, depth))
        case .null, .boolean: throw .unknownElement(header)
        }
    }

    private mutating func elements(_ header: UInt8, _ depth: Int) throws(ServiceDiscoveryFault) -> [DataElement] {
        var inside = DiscoveryReader(bytes, try take(try count(header)))
        var elements: [DataElement] = []
        while !inside.isAtEnd { elements.append(try inside.element(depth: depth + 1)) }
        return elements
    }

    private func width(_ header: UInt8) throws(ServiceDiscoveryFault) -> DataElement.Width {
        guard let width = DataElement.Width(rawValue: 1 << Int(header & 7)) else { throw .unknownElement(header) }
        return width
    }

    private mutating func count(_ header: UInt8) throws(ServiceDiscoveryFault) -> UInt128 {
        let index = header & 7
        guard DataElement.SizeIndex.counts.contains(index) else { throw .unknownElement(header) }
        return try number(1 << Int(index - DataElement.SizeIndex.counts.lowerBound))
    }

    private mutating func take(_ count: UInt128) throws(ServiceDiscoveryFault) -> Range<Int> {
        guard count <= UInt128(end - position) else { throw .truncated }
        defer { position += Int(count) }
        return position..<position + Int(count)
    }
}
