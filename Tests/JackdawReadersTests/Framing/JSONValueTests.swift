import JackdawReaders
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        ("[1", JSONValue.Fault.Code.syntax), ("", .syntax), (String(repeating: " ", count: 40) + "1", .size),
        (String(repeating: "[", count: 17) + String(repeating: "]", count: 17), .depth),
    ])
    func bytesThatAreNoJSONAreRefused(text: String, code: JSONValue.Fault.Code) {
        let error = #expect(throws: JSONValue.Fault.self) { try JSONValue(Array(text.utf8), most: 40) }
        #expect(error?.code == code)
    }

    @Test func valuesWithinTheLimitsAreParsed() throws {
        let text = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(throws: Never.self) { try JSONValue(Array(text.utf8), most: 32) }
        #expect(try JSONValue(Array("\"a\"".utf8), most: 3) == .text("a"))
    }

    @Test func otherEncodingsAreRefused() throws {
        // U+2241 has the byte 22, a quotation mark in UTF-8, which would hide the brackets after it.
        let text = "[\"\u{2241}\"," + String(repeating: "[", count: 20) + String(repeating: "]", count: 21)
        var encodings: [[UInt8]] = []
        for isBigEndian in [false, true] {
            let units = text.utf16.map { isBigEndian ? $0.byteSwapped : $0 }
            encodings.append(units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
            let scalars = text.unicodeScalars.map { isBigEndian ? $0.value.byteSwapped : $0.value }
            encodings.append(
                scalars.flatMap { scalar in (0..<4).map { UInt8(truncatingIfNeeded: scalar >> (8 * $0)) } })
        }
        encodings += [[0xFF, 0xFE] + encodings[0], [0xFE, 0xFF] + encodings[2]]
        encodings += [[0xEF, 0xBB, 0xBF, 0x31], [0x31, 0], [0x22, 0, 0x22]]
        encodings += [[0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22]]
        for bytes in encodings {
            let error = #expect(throws: JSONValue.Fault.self) { try JSONValue(bytes, most: 1000) }
            #expect(error?.code == .syntax)
        }
    }
}
