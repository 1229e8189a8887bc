import JackdawSystem
import JackdawTestSupport
import JackdawTransport

@testable import JackdawBluetooth

/// A device's service discovery, in the test's hands.
struct DiscoveryDevice {
    var records: [ServiceRecord]
    /// The most bytes of records in one answer.
    var part = 40

    static func record(_ service: BluetoothUUID, channel: UInt8, name: String = "") -> ServiceRecord {
        ServiceRecord(attributes: [
            ServiceRecord.Attribute.classes: .sequence([.uuid(service)]),
            ServiceRecord.Attribute.protocols: .sequence([
                .sequence([.uuid(.l2cap)]), .sequence([.uuid(.rfcomm), .unsigned8(channel)]),
            ]),
            ServiceRecord.Attribute.name: .text(Array(name.utf8)),
        ])
    }

    /// The answer to a question.
    func answer(_ bytes: [UInt8]) throws(ServiceDiscoveryFault) -> [UInt8] {
        let packet = try DiscoveryPacket(parsing: bytes)
        var reader = DiscoveryReader(packet.parameters)
        let service = try reader.element().elements.first?.uuid
        _ = try reader.unsigned16()
        _ = try reader.element()
        let start = try reader.content(try reader.number(1)).first.map(Int.init) ?? 0
        let lists = DataElement.sequence(records.filter { $0.classes.first == service }.map(\.list)).bytes
        let content = lists.dropFirst(start * part).prefix(part)
        let isLast = (start + 1) * part >= lists.count
        var parameters: [UInt8] = []
        parameters.appendBigEndian(UInt128(content.count), count: 2)
        parameters += content + (isLast ? [0] : [1, UInt8(start + 1)])
        return DiscoveryPacket(.searchAttributeResponse, transaction: packet.transaction, parameters).bytes
    }

    /// Answers until the other side ends.
    func serve(_ link: SocketLink) async throws {
        while let question = try await link.receive() { try await link.send(try answer(question)) }
    }
}
