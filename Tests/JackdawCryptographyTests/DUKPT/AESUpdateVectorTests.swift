import JackdawCryptography
import JackdawTestSupport
import Testing

/// Keys for new initial keys, and keys that were stronger than what they come from.
@Suite struct AESUpdateVectorTests {
    struct Input: Decodable, Sendable {
        let bdk: String
        let ikid: String
        let counter: UInt32?
        let op: String?
        let key_type: String
    }
    struct Output: Decodable, Sendable {
        let update_key: String?
        let error: String?
    }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("dukpt_aes_update_and_errors", as: Row.self)
        #expect(rows.count == 15)
        #expect(Set(rows.compactMap(\.output.error)) == ["working_key_stronger_than_derivation_key"])
        #expect(rows.count { $0.output.error != nil } == 9)
        #expect(Set(rows.compactMap(\.input.op)) == ["update_key"])
    }

    @Test func rowsAgree() throws {
        try Vectors.run("dukpt_aes_update_and_errors", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let base = try aesKey(row.input.bdk)
        let algorithm = try #require(algorithms[row.input.key_type])
        let counter = row.input.counter ?? 0
        let serialNumber = try AESKeySerialNumber(
            (hex(row.input.ikid) + [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }).span)
        func key() throws -> String {
            let initial = try AESDerivation.initialKey(from: base, for: serialNumber)
            guard row.input.op == nil else {
                return try AESDerivation.updateKey(algorithm, from: initial, for: serialNumber).revealed
            }
            let transaction = try AESDerivation.transactionKey(from: initial, for: serialNumber)
            return try AESDerivation.workingKey(
                for: .macGeneration, algorithm, from: transaction, serialNumber: serialNumber
            ).revealed
        }
        if let expected = row.output.update_key {
            #expect(try key() == expected, "\(row.id)")
        } else {
            #expect(code { _ = try key() } == .strength, "\(row.id)")
        }
    }
}
