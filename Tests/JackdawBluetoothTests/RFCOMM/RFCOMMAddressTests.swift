import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// The addresses of RFCOMM links.
@Suite struct RFCOMMAddressTests {
    @Test func aDeviceAndAChannel() throws {
        let address = try RFCOMMAddress(LinkName(parsing: "rfcomm:aa:bb:CC:0D:e0:ff/30"))
        #expect(address == RFCOMMAddress(device: try #require(BluetoothAddress("AA:BB:CC:0D:E0:FF")), channel: 30))
        #expect(address.link.description == "rfcomm:AA:BB:CC:0D:E0:FF/30")
    }

    @Test func aDeviceAlone() throws {
        let address = try RFCOMMAddress(LinkName(parsing: "rfcomm:00:11:22:33:44:55"))
        #expect(address.channel == nil)
        #expect(address.description == "00:11:22:33:44:55")
    }

    @Test(arguments: [
        "rfcomm:00:11:22:33:44", "rfcomm:00:11:22:33:44:5g", "rfcomm:00:11:22:33:44:55/", "rfcomm:00:11:22:33:44:55/0",
        "rfcomm:00:11:22:33:44:55/31", "rfcomm:00:11:22:33:44:55/256", "rfcomm:00:11:22:33:44:55/1/2",
        "rfcomm:00:11:22:33:44:55/+1", "rfcomm:00:11:22:33:44:55/-1", "rfcomm:00:11:22:33:44:55/ 1",
        "rfcomm:00-11-22-33-44-55", "rfcomm:/1", "ble:00:11:22:33:44:55",
    ])
    func anythingElseIsRefused(text: String) throws {
        let link = try LinkName(parsing: text)
        do throws(LinkError) {
            _ = try RFCOMMAddress(link)
            Issue.record("read")
        } catch {
            #expect(error.code == .badName)
            #expect(error.remedy != nil)
        }
    }
}
