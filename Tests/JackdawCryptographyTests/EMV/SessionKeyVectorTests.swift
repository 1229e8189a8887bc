import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Keys of cards and of transactions, by pyemv 1.5.0; option A and the common session key also by an independent
/// reference.
@Suite struct SessionKeyVectorTests {
    struct Input: Decodable, Sendable {
        let op: String
        let issuer_mk: String?
        let pan: String?
        let psn: String?
        let icc_mk: String?
        let r: String?
        let atc: String?
        let height: Int?
        let branch_factor: Int?
        let iv: String?
    }
    struct Output: Decodable, Sendable { let key: String }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("session_keys", as: Row.self)
        #expect(
            Dictionary(grouping: rows, by: \.input.op).mapValues(\.count) == [
                "icc_master_key_option_a": 12, "icc_master_key_option_b": 6, "emv_common_session_key": 10,
                "visa_sm_session_key": 5, "emv2000_tree_session_key": 7,
            ])
    }

    @Test func rowsAgree() throws {
        try Vectors.run("session_keys", in: .module, as: Row.self) { row in
            let key = try key(of: row.input)
            #expect(key.revealed == row.output.key, "\(row.id)")
        }
    }

    private func key(of input: Input) throws -> CipherKey {
        switch input.op {
        case "icc_master_key_option_a", "icc_master_key_option_b":
            let issuer = try CipherKey(try #require(input.issuer_mk), .tripleDES2)
            let account = try CardAccount(try #require(input.pan), sequence: try #require(input.psn))
            return try issuer.cardKey(for: account, option: input.op.hasSuffix("a") ? .a : .b)
        case "emv_common_session_key":
            return try CipherKey(try #require(input.icc_mk), .tripleDES2)
                .commonSessionKey(for: hex(try #require(input.r)))
        case "visa_sm_session_key":
            return try CipherKey(try #require(input.icc_mk), .tripleDES2)
                .visaSessionKey(counter: try #require(input.atc.flatMap { UInt16($0, radix: 16) }))
        default:
            #expect(input.op == "emv2000_tree_session_key")
            let tree = try SessionKeyTree(
                height: try #require(input.height), branchFactor: try #require(input.branch_factor),
                vector: hex(try #require(input.iv)))
            return try CipherKey(try #require(input.icc_mk), .tripleDES2)
                .treeSessionKey(counter: try #require(input.atc.flatMap { UInt16($0, radix: 16) }), tree: tree)
        }
    }
}
