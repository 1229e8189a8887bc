@testable import JackdawBluetooth

/// Answers service discovery with the input. Each search must end with the records that were sent, with a further
/// question, or with an error. The input is packets; a byte for the kind of answer and a length precede each.
@c(LLVMFuzzerTestOneInput)
public func fuzzDiscovery(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var rest = unsafe Array(UnsafeBufferPointer(start: start, count: count))[...]
    var search = ServiceSearch(for: .serialPort)
    while rest.count > 3 {
        let kind = rest.removeFirst()
        let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
        let content = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        do throws(ServiceDiscoveryFault) {
            switch try search.receive(packet(kind, content, isLast: rest.isEmpty, to: search)) {
            case .send(let request): _ = transaction(of: request)
            case .wait: break
            case .done(let records):
                check(records)
                return 0
            }
        } catch {
            precondition(!error.description.isEmpty, "a fault without words")
            return 0
        }
    }
    return 0
}

/// The packet as it is, or what a device would make of it in answer to the question as it stands: parameters,
/// or a part of the records.
private func packet(_ kind: UInt8, _ content: [UInt8], isLast: Bool, to search: ServiceSearch) -> [UInt8] {
    var parameters = content
    switch kind % 3 {
    case 0: return content
    case 1: break
    default:
        parameters = []
        parameters.appendBigEndian(UInt128(content.count), count: 2)
        parameters += content + (isLast ? [0] : [1, kind])
    }
    return DiscoveryPacket(.searchAttributeResponse, transaction: transaction(of: search.request), parameters).bytes
}

/// The transaction number of a request, which must be valid.
private func transaction(of request: [UInt8]) -> UInt16 {
    guard let packet = try? DiscoveryPacket(parsing: request), packet.kind == .searchAttributeRequest else {
        preconditionFailure("a question that cannot be read")
    }
    return packet.transaction
}

private func check(_ records: [ServiceRecord]) {
    for record in records {
        var reader = DiscoveryReader(record.list.bytes)
        guard let list = try? reader.element(), reader.isAtEnd, let again = try? ServiceRecord(list) else {
            preconditionFailure("a record that was written cannot be read")
        }
        precondition(again == record, "written and read it is another record")
        precondition(record.channel.map(RFCOMMAddress.channels.contains) ?? true, "a channel that RFCOMM does not have")
        precondition(record.name?.contains("\0") != true, "a name with an end in it")
        for uuid in record.classes + record.profiles + record.browseGroups {
            precondition(BluetoothUUID(uuid.description) == uuid, "written and read it is another UUID")
        }
        _ = record.handle
    }
    let names = records.filter { $0.channel != nil }.map(\.name)
    for name in names {
        precondition(ServiceDiscovery.channel(in: records, .serialPort, named: name) != nil, "a service is not found")
    }
    precondition((ServiceDiscovery.channel(in: records, .serialPort) == nil) == names.isEmpty, "a service is not found")
}
