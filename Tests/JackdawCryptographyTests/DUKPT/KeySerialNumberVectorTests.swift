import JackdawCryptography
import JackdawTestSupport
import Testing

/// Serial numbers of keys and their next ones, by openemv/dukpt 1.2.5.
@Suite struct KeySerialNumberVectorTests {
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
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("dukpt_ksn", as: Row.self)
        #expect(rows.count == 78)
        #expect(rows.count { $0.input.mode == "TDES" } == 52)
        #expect(rows.count { $0.input.mode == "AES" } == 26)
        #expect(rows.count { $0.output.advance_rc == "error" } == 5)
    }

    @Test func rowsAgree() throws {
        try Vectors.run("dukpt_ksn", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let counter: TransactionCounter
        var next: String?
        var failure: CryptographyError.Code?
        if row.input.mode == "TDES" {
            let number = try KeySerialNumber(hexadecimal: row.input.ksn)
            counter = number.counter
            failure = code { next = try number.next().description }
        } else {
            let number = try AESKeySerialNumber(hexadecimal: row.input.ksn)
            counter = number.counter
            failure = code { next = try number.next().description }
        }
        #expect(counter.isUsable == row.output.valid, "\(row.id)")
        #expect(counter.isExhausted == row.output.exhausted, "\(row.id)")
        #expect(next == row.output.next, "\(row.id)")
        #expect(failure == (row.output.advance_rc == "ok" ? nil : .exhausted), "\(row.id)")
    }
}
