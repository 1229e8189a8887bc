/// What a device tells of one service that it offers.
struct ServiceRecord: Hashable, Sendable {
    /// The numbers of the attributes that are asked for.
    enum Attribute {
        static let handle: UInt16 = 0x0000
        static let classes: UInt16 = 0x0001
        static let protocols: UInt16 = 0x0004
        static let browseGroups: UInt16 = 0x0005
        static let profiles: UInt16 = 0x0009
        /// In the first of the languages that the record has.
        static let name: UInt16 = 0x0100
    }

    /// All attributes by number.
    let attributes: [UInt16: DataElement]

    init(attributes: [UInt16: DataElement]) { self.attributes = attributes }

    /// - Parameter list: numbers and values of attributes by turns.
    /// - Throws: ``ServiceDiscoveryFault``.
    init(_ list: DataElement) throws(ServiceDiscoveryFault) {
        guard case .sequence(let elements) = list, elements.count.isMultiple(of: 2) else { throw .unexpected }
        var attributes: [UInt16: DataElement] = [:]
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard case .unsigned(let number, .two) = elements[index] else { throw .unexpected }
            attributes[UInt16(number)] = elements[index + 1]
        }
        self.attributes = attributes
    }

    /// Numbers and values of attributes by turns, in the order of the numbers.
    var list: DataElement {
        .sequence(attributes.sorted { $0.key < $1.key }.flatMap { [.unsigned16($0.key), $0.value] })
    }

    /// The record's number with the device that has it.
    var handle: UInt32? { attributes[Attribute.handle]?.number.flatMap { UInt32(exactly: $0) } }

    /// What kind of service it is, the most special first.
    var classes: [BluetoothUUID] { attributes[Attribute.classes]?.elements.compactMap(\.uuid) ?? [] }

    /// Where the record is listed for who browses.
    var browseGroups: [BluetoothUUID] { attributes[Attribute.browseGroups]?.elements.compactMap(\.uuid) ?? [] }

    /// The profiles that the service keeps to.
    var profiles: [BluetoothUUID] {
        attributes[Attribute.profiles]?.elements.compactMap { $0.elements.first?.uuid } ?? []
    }

    /// What the service is called. Some devices end it with a zero as C does.
    var name: String? {
        attributes[Attribute.name]?.string.map { String($0.prefix { $0 != "\0" }) }
    }

    /// The RFCOMM channel that leads to the service; nil where none does.
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
