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
    typealias File = Vectors<Input, Output>

    @Test func allRowsAreThere() throws {
        let file = try File("dukpt_aes_update_and_errors")
        #expect(file.count == 15)
        #expect(file.rows.count == 15)
        #expect(Set(file.rows.compactMap(\.out.error)) == ["working_key_stronger_than_derivation_key"])
        #expect(file.rows.count { $0.out.error != nil } == 9)
        #expect(Set(file.rows.compactMap(\.in.op)) == ["update_key"])
    }

    @Test(arguments: try File("dukpt_aes_update_and_errors").rows)
    func row(_ row: File.Row) throws {
        let base = try aesKey(row.in.bdk)
        let algorithm = try #require(algorithms[row.in.key_type])
        let counter = row.in.counter ?? 0
        let serialNumber = try AESKeySerialNumber(
            (hex(row.in.ikid) + [24, 16, 8, 0].map { UInt8(counter >> $0 & 255) }).span)
        func key() throws -> String {
            let initial = try AESDerivation.initialKey(from: base, for: serialNumber)
            guard row.in.op == nil else {
                return try AESDerivation.updateKey(algorithm, from: initial, for: serialNumber).revealed
            }
            let transaction = try AESDerivation.transactionKey(from: initial, for: serialNumber)
            return try AESDerivation.workingKey(
                for: .macGeneration, algorithm, from: transaction, serialNumber: serialNumber
            ).revealed
        }
        if let expected = row.out.update_key {
            #expect(try key() == expected)
        } else {
            #expect(code { _ = try key() } == .strength)
        }
    }
}
