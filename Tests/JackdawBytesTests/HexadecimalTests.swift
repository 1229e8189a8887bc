import JackdawBytes
import Testing

@Suite struct HexadecimalTests {
    @Test func everyByteHasTwoDigitsInEitherCase() {
        for byte in UInt8.min...UInt8.max {
            let digits = String(Int(byte) + 256, radix: 16).dropFirst()
            #expect(byte.lowercaseHexadecimal == digits)
            #expect(byte.hexadecimal == digits.uppercased())
            #expect([byte.hexadecimalDigits.high, byte.hexadecimalDigits.low] == Array(byte.hexadecimal.utf8))
            #expect(UInt8(hexadecimal: digits) == byte)
            #expect(UInt8(hexadecimal: digits.uppercased()) == byte)
        }
    }

    @Test func bytesHaveTwoDigitsEach() {
        let bytes: [UInt8] = [0x00, 0x0F, 0x10, 0xAB]
        #expect(bytes.hexadecimal == "000F10AB")
        #expect(bytes.dropFirst(2).hexadecimal == "10AB")
        #expect(bytes.span.hexadecimal == "000F10AB")
        #expect(bytes.span.extracting(2...).hexadecimal == "10AB")
        #expect([UInt8]().hexadecimal.isEmpty && [UInt8]().span.hexadecimal.isEmpty)
    }

    @Test func onlyHexadecimalDigitsHaveValues() {
        for byte in UInt8.min...UInt8.max {
            let value = Character(UnicodeScalar(byte)).hexDigitValue
            #expect(byte.hexadecimalValue.map(Int.init) == value)
        }
    }

    @Test(arguments: ["", "1", "123", "+1", "0x", "1 ", "g0", "\u{FF11}1", "\u{661}"])
    func onlyTwoDigitsAreAByte(text: String) { #expect(UInt8(hexadecimal: text) == nil) }

    @Test func bytesAreReadFromThePlaceOfTheirDigits() {
        let text = Array("x0fF".utf8)
        #expect((0...4).map { text.span.byte(at: $0) } == [nil, 0x0F, 0xFF, nil, nil])
    }

    @Test(arguments: [
        ("", []), ("0F", [0x0F]), ("0fA55a", [0x0F, 0xA5, 0x5A]), ("0F a5", [0x0F, 0xA5]), (" 0 F ", [0x0F]),
    ])
    func digitsAreDecodedInOrder(text: String, bytes: [UInt8]) throws {
        #expect(try decode(text) == bytes)
    }

    @Test(arguments: [
        ("0", HexadecimalError.Code.oddCount), ("0F 1", .oddCount), ("0G", .character), ("G", .character),
        ("0F:1", .character),
    ])
    func textThatIsNotPairsOfDigitsIsRefused(text: String, code: HexadecimalError.Code) {
        let error = #expect(throws: HexadecimalError.self) { try decode(text) }
        #expect(error?.code == code)
    }

    private func decode(_ text: String) throws(HexadecimalError) -> [UInt8] {
        let text = Array(text.utf8)
        var bytes: [UInt8] = []
        try text.span.decodeHexadecimal(skipping: { $0 == UInt8(ascii: " ") }) { bytes.append($0) }
        return bytes
    }
}
