import JackdawReaders
import Testing

/// Messages of Spire's SPm20, made from the layout that its SDKs publish.
@Suite struct JSONPOSFormatTests {
    private static let request = Array("00000031:{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"VersionInfo\"}\n".utf8)

    @Test func framesAreCutHoweverTheyCome() throws {
        // Line feeds are what a host synchronises by.
        let status = try JSONPOSFormat.frame(Array("{\"method\":\"StatusEvent\",\"params\":{}}".utf8))
        verify(
            JSONPOSFormat(), frames: [Self.request, status, try JSONPOSFormat.frame(Array("{}".utf8))],
            garbage: [10, 10, 0x3A], isChecked: false)
    }

    @Test func aMessageIsMade() throws {
        let object = Array("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"VersionInfo\"}".utf8)
        #expect(object.count == 0x31)
        #expect(try JSONPOSFormat.frame(object) == Array("00000031:".utf8) + object + [10])
    }

    @Test func bodiesThatAreNoObjectsAreRefused() {
        #expect(throws: FrameFault.self) { try JSONPOSFormat.frame(Array("[]".utf8)) }
        let most = JSONPOSFormat.greatestBody
        #expect(throws: FrameFault.self) {
            try JSONPOSFormat.frame([0x7B] + [UInt8](repeating: 0x20, count: most) + [0x7D])
        }
        expectFault(.length, at: 0, "262135", "2", "262134") {
            try JSONPOSFormat().check(Array("0003fff7:{".utf8))
        }
    }

    @Test func anObjectIsShownOnDemandOnly() {
        let fields = JSONPOSFormat().fields(of: Self.request, isRevealing: false)
        #expect(fields.map(\.value) == ["49", ":", "49 bytes of JSON", "0A"])
    }
}
