import JackdawLinux
import JackdawTransport
import Testing

@Suite struct TCPAddressTests {
    @Test(arguments: [
        ("tcp:reader.example:4000", "reader.example", UInt16(4000)), ("tcp:127.0.0.1:1", "127.0.0.1", 1),
        ("tcp:[::1]:65535", "::1", 65_535), ("tcp:[fe80::1%eth0]:80", "fe80::1%eth0", 80),
        ("tcp:localhost:0", "localhost", 0),
    ])
    func aNameIsAHostAndAPort(text: String, host: String, port: UInt16) throws {
        let address = try TCPAddress(LinkName(parsing: text))
        #expect(address == TCPAddress(host: host, port: port))
        #expect(address.link.description == text)
    }

    @Test(arguments: [
        ("reader", "port is missing"), ("[::1]", "port is missing"), ("reader:", "not a port"),
        ("reader:x", "not a port"), ("reader:65536", "not a port"), ("reader:-1", "not a port"),
        ("reader:+1", "not a port"), ("reader:٤", "not a port"),
        (":4000", "not the name"), ("[]:4000", "not the name"), ("::1:4000", "brackets"), ("a b:4000", "not the name"),
        ("[::1:4000", "brackets"), ("a]:4000", "not the name"), ("a\0:4000", "not the name"),
    ])
    func invalidAddressesAreRefusedWithTheReason(text: String, message: String) {
        let error = #expect(throws: LinkError.self) { try TCPAddress(LinkName(.tcp, text)) }
        #expect(error?.code == .badName)
        #expect(error?.message.contains(message) == true)
        #expect(error?.remedy != nil)
    }
}
