import JackdawEMV
import JackdawTestSupport
import Testing

@Suite struct DataObjectStoreTests {
    private static let record = hex("7014 5A084761739001010010 5F2403301231 8702AABB")

    @Test func valuesAreStoredReplacedAndRemoved() {
        var store = DataObjectStore()
        store[0x9F02] = [1]
        store[0x82] = [2, 3]
        store[0x9F02] = [4]
        #expect(store.tags == [0x82, 0x9F02] && store.count == 2)
        #expect(store[0x9F02] == [4])
        #expect(store.withValue(0x82) { $0.count } == 2)
        store[0x82] = nil
        #expect(!store.contains(0x82) && store[0x82] == nil && store.contains(0x9F02))
    }

    @Test func recordsAreAddedAndRepeatedTagsReported() throws {
        var store = DataObjectStore()
        #expect(try store.add(Self.record.span) == [])
        #expect(store.tags == [0x5A, 0x87, 0x5F24])
        #expect(try store.add(hex("8701CC").span, keepingFirst: true) == [0x87])
        #expect(store[0x87] == [0xAA, 0xBB])
        #expect(try store.add(hex("8701CC").span) == [0x87])
        #expect(store[0x87] == [0xCC])
        #expect(throws: DataObjectError.self) { try store.add(hex("8701DD 5A08").span) }
        #expect(store[0x87] == [0xCC])
    }

    @Test func noPrintedFormHasAValue() throws {
        var store = DataObjectStore()
        try store.add(Self.record.span)
        let response = CardResponse(data: Self.record, status: .success)
        let command = try CardCommand.verify(SecretOctets(hex("241234FFFFFFFFFF")), isEnciphered: false)
        var text = "\(store) \(String(reflecting: store)) \(response) \(command) \(SecretOctets(Self.record))"
        dump(store, to: &text)
        dump(response, to: &text)
        dump(command, to: &text)
        for part in ["4761739001010010", "47617390", "241234", "71", "18, 52", "0x47"] {
            #expect(!text.contains(part))
        }
        #expect("\(store)" == "5A (8), 87 (2), 5F24 (3)")
        #expect("\(command)" == "00200080, 8 octets of data")
        #expect("\(response)" == "9000, 22 octets of data")
    }
}
