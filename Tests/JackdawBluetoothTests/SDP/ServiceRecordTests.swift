import Testing

@testable import JackdawBluetooth

/// What records say, and what they leave unsaid.
@Suite struct ServiceRecordTests {
    private func record(_ protocols: DataElement) -> ServiceRecord {
        ServiceRecord(attributes: [ServiceRecord.Attribute.protocols: protocols])
    }

    private func stack(_ parameters: [DataElement]) -> DataElement {
        .sequence([.sequence([.uuid(.l2cap)]), .sequence([.uuid(.rfcomm)] + parameters)])
    }

    @Test func theChannel() {
        #expect(record(stack([.unsigned8(1)])).channel == 1)
        #expect(record(stack([.unsigned8(30)])).channel == 30)
        #expect(record(stack([.unsigned16(9)])).channel == 9)
        #expect(record(.alternative([.sequence([.sequence([.uuid(.l2cap)])]), stack([.unsigned8(4)])])).channel == 4)
    }

    @Test(arguments: [
        DataElement.null, .sequence([]), .uuid(.rfcomm), .sequence([.uuid(.rfcomm), .unsigned8(1)]),
        .sequence([.sequence([.uuid(.rfcomm)])]), .sequence([.sequence([.uuid(.rfcomm), .unsigned8(0)])]),
        .sequence([.sequence([.uuid(.rfcomm), .unsigned8(31)])]),
        .sequence([.sequence([.uuid(.l2cap), .unsigned8(1)])]),
        .sequence([.sequence([.uuid(.rfcomm), .signed(1, .one)])]),
        .sequence([.sequence([.unsigned8(1), .uuid(.rfcomm)])]),
        .sequence([.sequence([.uuid(.rfcomm), .unsigned(.max, .sixteen)])]),
    ])
    func noChannel(protocols: DataElement) { #expect(record(protocols).channel == nil) }

    @Test func aRecordWithNothingInIt() {
        let record = ServiceRecord(attributes: [:])
        #expect(record.channel == nil && record.name == nil && record.handle == nil)
        #expect(record.classes.isEmpty && record.profiles.isEmpty && record.browseGroups.isEmpty)
    }

    @Test func namesEndAtTheFirstZero() {
        #expect(ServiceRecord(attributes: [0x100: .text(Array("SPP\0x".utf8))]).name == "SPP")
        #expect(ServiceRecord(attributes: [0x100: .unsigned8(1)]).name == nil)
    }

    @Test func profiles() {
        let profile = DataElement.sequence([.uuid(.serialPort), .unsigned16(0x0102)])
        #expect(ServiceRecord(attributes: [9: .sequence([profile])]).profiles == [.serialPort])
    }
}
