import JackdawTransport
import Testing

@testable import JackdawPCSC

@Suite struct ReaderLookupTests {
    private static let names = [
        "Virtual PCD 00 00", "ACS ACR39U ICC Reader 00 00", "ACS ACR1252 Dual Reader [SAM] 01 00",
        "ACS ACR1252 Dual Reader [ICC] 01 01", "7",
    ]

    @Test(arguments: [
        ("Virtual PCD 00 00", 0), ("virtual", 0), ("PCD 00", 0), ("acr39u", 1), ("[sam]", 2), ("[ICC]", 3),
        ("0", 0), ("3", 3), ("03", 3), ("7", 4), ("ACS ACR1252 DUAL READER [ICC] 01 01", 3),
    ])
    func aReaderIsFoundByNameOrPartOrNumber(address: String, number: Int) throws {
        #expect(try ReaderLookup.reader(LinkName(.pcsc, address), in: Self.names) == Self.names[number])
    }

    @Test(arguments: [
        ("ACS", LinkError.Code.badName), ("00 00", .badName), ("5", .notFound), ("99999999999999999999", .notFound),
        ("Gemalto", .notFound),
    ])
    func otherNamesListTheReaders(address: String, code: LinkError.Code) throws {
        let error = #expect(throws: LinkError.self) {
            try ReaderLookup.reader(LinkName(.pcsc, address), in: Self.names)
        }
        #expect(error?.code == code)
        for name in Self.names { #expect(error?.remedy?.contains(name) == true) }
    }

    @Test func aSystemWithoutReadersIsReported() {
        let error = #expect(throws: LinkError.self) { try ReaderLookup.reader(LinkName(.pcsc, "0"), in: []) }
        #expect(error?.code == .notFound)
    }
}

@Suite struct PCSCErrorTests {
    @Test(
        arguments: [
            (0x8010_001D, LinkError.Code.serviceMissing, "SCARD_E_NO_SERVICE 0x8010001D"),
            (0x8010_006A, .notPermitted, "SCARD_W_SECURITY_VIOLATION 0x8010006A"),
            (0x8010_000C, .notFound, "SCARD_E_NO_SMARTCARD 0x8010000C"),
            (0x8010_0009, .notFound, "SCARD_E_UNKNOWN_READER 0x80100009"),
            (0x8010_000B, .busy, "SCARD_E_SHARING_VIOLATION 0x8010000B"),
            (0x8010_0066, .outOfRange, "SCARD_W_UNRESPONSIVE_CARD 0x80100066"),
            (0x8010_000F, .unsupported, "SCARD_E_PROTO_MISMATCH 0x8010000F"),
            (0x8010_0002, .cancelled, "SCARD_E_CANCELLED 0x80100002"), (0x8010_0004, .system, "0x80100004"),
            (0x0000_000F, .system, "0x0000000F"),
        ] as [(UInt32, LinkError.Code, String)])
    func aFailureHasACodeAndItsCause(number: UInt32, code: LinkError.Code, cause: String) {
        let error = LinkError(PCSCFailure(code: number), link: "pcsc:0")
        #expect(error.code == code)
        #expect(error.underlying == cause)
        #expect(error.link == "pcsc:0")
    }

    @Test(arguments: [0x8010_0069, 0x8010_0068, 0x8010_0016, 0x8010_001D, 0x8010_0017, 0x8010_0001] as [UInt32])
    func aLostCardIsDisconnected(number: UInt32) {
        #expect(LinkError.cardLost(PCSCFailure(code: number), link: "pcsc:0").code == .disconnected)
    }
}
