import JackdawCryptography
import JackdawTestSupport
import Testing

/// Codes of messages with the paddings of ISO/IEC 9797-1, as other implementations make them.
@Suite struct MessageAuthenticationVectorTests {
    struct Input: Decodable, Sendable {
        let op: String
        let key: String
        let data: String
        let padding_method: Int
        let length: Int
    }
    struct Output: Decodable, Sendable { let mac: String }
    typealias Row = VectorRow<Input, Output>

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("mac", as: Row.self)
        #expect(rows.count == 27)
        #expect(rows.count { $0.input.op == "iso9797_1_alg3" } == 18)
        #expect(rows.count { $0.input.op == "iso9797_1_alg1_tdes" } == 9)
    }

    @Test func rowsAgree() throws {
        try Vectors.run("mac", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let key = try CipherKey(row.input.key, .tripleDES2)
        let padding = try #require(MessagePadding(rawValue: row.input.padding_method))
        let message = hex(row.input.data)
        let mac =
            row.input.op == "iso9797_1_alg3"
            ? try key.retailMAC(of: message.span, padding: padding)
            : try key.chainingMAC(of: message.span, padding: padding)
        #expect(digits(mac.prefix(row.input.length)) == row.output.mac, "\(row.id)")
    }
}
