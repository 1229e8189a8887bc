import JackdawCryptography
import JackdawTestSupport
import Testing

/// Serial numbers of keys and their counters.
@Suite struct KeySerialNumberTests {
    struct Input: Decodable, Sendable {
        let mode: String
        let ksn: String
    }
    struct Output: Decodable, Sendable {
        let valid: Bool
        let exhausted: Bool
        let advance_rc: String
        let next: String?
    }
    typealias File = Vectors<Input, Output>

    @Test func allRowsAreThere() throws {
        let file = try File("dukpt_ksn")
        #expect(file.count == 78)
        #expect(file.rows.count == 78)
        #expect(file.rows.count { $0.in.mode == "TDES" } == 52)
        #expect(file.rows.count { $0.in.mode == "AES" } == 26)
        #expect(file.rows.count { $0.out.advance_rc == "error" } == 5)
    }

    @Test(arguments: try File("dukpt_ksn").rows)
    func row(_ row: File.Row) throws {
        let counter: TransactionCounter
        var next: String?
        var failure: CryptographyError.Code?
        if row.in.mode == "TDES" {
            let number = try KeySerialNumber(hexadecimal: row.in.ksn)
            counter = number.counter
            failure = code { next = try number.next().description }
        } else {
            let number = try AESKeySerialNumber(hexadecimal: row.in.ksn)
            counter = number.counter
            failure = code { next = try number.next().description }
        }
        #expect(counter.isUsable == row.out.valid)
        #expect(counter.isExhausted == row.out.exhausted)
        #expect(next == row.out.next)
        #expect(failure == (row.out.advance_rc == "ok" ? nil : .exhausted))
    }

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

    @Test func whatIsNoNumberIsToldWithItsPlace() {
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
