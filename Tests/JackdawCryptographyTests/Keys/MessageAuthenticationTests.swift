import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// Codes of messages with the paddings of ISO/IEC 9797-1, as other implementations make them.
@Suite struct MessageAuthenticationTests {
    struct Input: Decodable, Sendable {
        let op: String
        let key: String
        let data: String
        let padding_method: Int
        let length: Int
    }
    struct Output: Decodable, Sendable { let mac: String }
    typealias File = Vectors<Input, Output>

    /// What libcrypto does not have, and a code of another size than it makes.
    @Test(arguments: [("NONE", 16), ("CMAC", 32)])
    func anotherCodeIsAFailure(_ name: String, size: Int) {
        let key = [UInt8](repeating: 1, count: 16)
        let found = code {
            _ = try MessageAuthentication.code(
                name, ("cipher", "AES-128-CBC"), key: key.span, of: key.span, size: size)
        }
        #expect(found == .library)
    }

    @Test func allRowsAreThere() throws {
        let file = try File("mac")
        #expect(file.count == 27)
        #expect(file.rows.count == 27)
        #expect(file.rows.count { $0.in.op == "iso9797_1_alg3" } == 18)
        #expect(file.rows.count { $0.in.op == "iso9797_1_alg1_tdes" } == 9)
    }

    @Test(arguments: try File("mac").rows)
    func row(_ row: File.Row) throws {
        let key = try CipherKey(row.in.key, .tripleDES2)
        let padding = try #require(MessagePadding(rawValue: row.in.padding_method))
        let message = hex(row.in.data)
        let mac =
            row.in.op == "iso9797_1_alg3"
            ? try key.retailMAC(of: message.span, padding: padding)
            : try key.chainingMAC(of: message.span, padding: padding)
        #expect(digits(mac.prefix(row.in.length)) == row.out.mac)
    }
}
