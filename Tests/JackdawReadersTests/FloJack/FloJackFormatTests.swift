import JackdawReaders
import JackdawTestSupport
import Testing

/// Messages of FloJack readers, with those that Flomio's drivers publish.
@Suite struct FloJackFormatTests {
    private static let published = [
        "06 04 00 02", "06 04 01 03", "0C 05 01 00 08", "09 04 00 0D", "06 04 80 82", "06 04 81 83", "0C 05 00 0C 05",
        "0C 05 00 20 29", "0C 05 00 50 59", "08 04 00 0C", "08 04 01 0D", "0D 04 00 09", "0D 04 01 08", "03 04 00 07",
        "03 04 01 06", "04 04 28 28", "04 04 78 78", "02 05 00 01 06", "02 05 01 01 07", "02 05 02 01 04",
        "02 05 03 00 04", "07 04 01 02", "01 04 00 05", "01 04 02 07", "0B 09 06 06 00 03 04 F3 F6",
        "0B 09 06 06 00 03 04 F4 F1", "0E 05 00 01 0A", "0E 04 01 0B", "0E 05 02 01 08", "0E 04 03 09",
    ].map(hex)

    @Test func framesAreCutHoweverTheyCome() {
        verify(FloJackFormat(), frames: Self.published, garbage: [0, 0x11, 0x80, 0xFF])
    }

    @Test func publishedMessagesAreMade() throws {
        #expect(try FloJackFormat.message(.ping, 0) == hex("0D 04 00 09"))
        #expect(try FloJackFormat.message(.protocols, 3, [1]) == hex("02 05 03 01 05"))
        #expect(try FloJackFormat.message(.communication, 0, [0x0C]) == hex("0C 05 00 0C 05"))
        let longest = try FloJackFormat.message(.tag, 0, [UInt8](repeating: 1, count: 251))
        #expect(longest.count == 255)
        #expect(throws: Never.self) { try FloJackFormat().check(longest) }
        expectFault(.length, at: 1, "252", "251") {
            try FloJackFormat.message(.tag, 0, [UInt8](repeating: 1, count: 252))
        }
    }

    /// Two that are published with a mistake.
    @Test func wrongMessagesAreRefused() {
        expectFault(.check, at: 4, "09", "08") {
            try FloJackFormat().check(hex("0C 05 01 00 09"))
        }
        expectFault(.truncated, at: 4, "4", "5") {
            try FloJackFormat().check(hex("0C 05 50 59"))
        }
        expectFault(.length, at: 1, "3", "4") {
            try FloJackFormat().check(hex("0C 03 0F"))
        }
    }

    @Test func fieldsAreNamed() {
        let fields = FloJackFormat().fields(of: hex("0B 09 06 06 00 03 04 F3 F6"), isRevealing: false)
        #expect(fields.map(\.name) == ["opcode", "length", "subopcode", "data", "XOR"])
        #expect(fields.map(\.value) == ["0B host command", "9", "06", "5 bytes", "right"])
    }
}
