import JackdawCryptography
import JackdawTestSupport
import Testing

/// Serial numbers of keys and their counters.
@Suite struct KeySerialNumberTests {
    @Test func theLastCounterIsUsableAndHasNoNext() throws {
        let tripleDES = try KeySerialNumber(hexadecimal: "FFFF9876543210FFF800")
        #expect(tripleDES.counter.isUsable && !tripleDES.counter.isExhausted)
        #expect(code { _ = try tripleDES.next() } == .exhausted)
        let aes = try AESKeySerialNumber(hexadecimal: "1234567890123456FFFF0000")
        #expect(aes.counter.isUsable && !aes.counter.isExhausted)
        #expect(code { _ = try aes.next() } == .exhausted)
    }

    /// A million keys a reader, as the standard says, each once.
    @Test func everyUsableCounterComesInTurn() throws {
        var counter = try KeySerialNumber(hexadecimal: "FFFF9876543210E00000").counter
        var counters: [UInt32] = []
        while let next = try? counter.next() {
            counters.append(next.value)
            counter = next
        }
        #expect(counters == (1...0x1F_FFFF).filter { $0.nonzeroBitCount <= 10 })
    }

    @Test func eightBytesArePadded() throws {
        let short = try KeySerialNumber(hexadecimal: "9876543210E00001")
        #expect(short.description == "FFFF9876543210E00001")
    }

    @Test(arguments: 0...40)
    func otherLengthsAreRefused(_ count: Int) {
        let bytes = [UInt8](repeating: 0x5A, count: count)
        let isNumber = count == 8 || count == 10
        #expect(code { _ = try KeySerialNumber(bytes.span) } == (isNumber ? nil : .length))
        #expect(code { _ = try AESKeySerialNumber(bytes.span) } == (count == 12 ? nil : .length))
    }

    @Test func invalidDigitsAreReportedWithTheirPlace() {
        let error = #expect(throws: CryptographyError.self) {
            _ = try KeySerialNumber(hexadecimal: "FFFF9876543210E0000G")
        }
        #expect(error?.code == .digit)
        #expect(error.map { numbers(in: $0.message) } == ["20"])
        #expect(code { _ = try KeySerialNumber(hexadecimal: "FFFF9876543210E000011") } == .length)
        #expect(code { _ = try KeySerialNumber(hexadecimal: "") } == .length)
    }

    @Test(arguments: [
        ("FFFF9876543210E00000", CryptographyError.Code.counter), ("FFFF9876543210F5557F", .counter),
        ("FFFF9876543210FFF801", .exhausted),
    ])
    func noKeyIsDerivedForACounterThatNoTransactionHas(_ text: String, expected: CryptographyError.Code) throws {
        let base = try CipherKey("0123456789ABCDEFFEDCBA9876543210", .tripleDES2)
        let number = try KeySerialNumber(hexadecimal: text)
        #expect(
            code { _ = try TripleDESDerivation.workingKey(for: .pin, from: base, serialNumber: number) } == expected)
    }
}
