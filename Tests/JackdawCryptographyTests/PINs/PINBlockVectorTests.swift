import JackdawCards
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// PIN blocks by openemv/pinblock (commit bb98d90); formats 0, 2, 3 and the fields of format 4 also by psec 1.3.0.
@Suite struct PINBlockVectorTests {
    struct Input: Decodable, Sendable {
        let op: String
        let format: UInt8
        let pin: String?
        let pan: String?
        let block: String?
        let nonce: String?
        let aes_key: String?
        let pin_field: String?
    }
    struct Output: Decodable, Sendable {
        let block: String?
        let pin: String?
        let pan_field: String?
        let error: String?
    }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("pin_blocks", as: Row.self)
        #expect(rows.count == 122)
        #expect(Set(rows.map(\.input.format)) == [0, 1, 2, 3, 4])
        #expect(rows.count { $0.output.error != nil } == 16)
    }

    @Test func rowsAgree() throws {
        try Vectors.run("pin_blocks", in: .module, as: Row.self) { row in
            guard let error = row.output.error else { return try check(row) }
            let expected: [String: CryptographyError.Code] = ["invalid_pin": .pin, "invalid_block": .pinBlock]
            #expect(code { try check(row) } == expected[error], "\(row.id)")
        }
    }

    private func check(_ row: Row) throws {
        let input = row.input
        let account = try input.pan.map { try CardAccount($0) }
        switch (input.op, PINBlockFormat(rawValue: input.format)) {
        case ("encode", let format?):
            let pin = try PIN(try #require(input.pin))
            // openemv/pinblock takes the padding of format 1 from the end of the nonce.
            let filler = input.nonce.map { Array(hex($0).reversed()) }
            let block = try pin.block(format, account: account, filler: filler)
            if format != .iso3 { #expect(block.revealed == row.output.block, "\(row.id)") }
            let read = try block.withBytes { try PIN(block: $0, format, account: account) }
            #expect(read == pin, "\(row.id)")
        case ("decode", let format?):
            let pin = try PIN(block: hex(try #require(input.block)).span, format, account: account)
            #expect(pin.revealed == row.output.pin, "\(row.id)")
        case ("encipher", nil):
            let pin = try PIN(try #require(input.pin))
            let filler = Array(hex(try #require(input.pin_field)).suffix(8))
            let account = try #require(account)
            #expect(PIN.longAccountField(account).revealed == row.output.pan_field, "\(row.id)")
            let block = try pin.encryptedBlock(
                with: try aesKey(try #require(input.aes_key)), account: account, filler: filler)
            #expect(digits(block) == row.output.block, "\(row.id)")
        default:
            #expect(input.op == "decipher" && input.format == 4, "\(row.id)")
            let pin = try PIN(
                encryptedBlock: hex(try #require(input.block)).span, with: try aesKey(try #require(input.aes_key)),
                account: try #require(account))
            #expect(pin.revealed == row.output.pin, "\(row.id)")
        }
    }
}
