import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Single tracks under each scheme, as other implementations encrypt them.
@Suite struct EncryptedTrackVectorTests {
    struct Input: Decodable, Sendable {
        let bdk: String
        let ksn: String
        let key_scheme: String
        let ciphertext: String
        let iv: String
    }
    struct Output: Decodable, Sendable {
        let session_key: String
        let plaintext: String
        let track: String
    }
    typealias File = Vectors<Input, Output>

    private static let schemes: [String: KeyScheme] = [
        "pin_variant": .pin, "data_variant_no_owf": .plainDataRequest, "data_request_owf": .dataRequest,
        "data_response_owf": .dataResponse, "aes128_data_encrypt": .aesDataEncryption,
    ]

    @Test func allRowsAreThere() throws {
        let file = try File("encrypted_swipe")
        #expect(file.count == 26)
        #expect(file.rows.count == 26)
        #expect(Set(file.rows.map(\.in.key_scheme)) == Set(Self.schemes.keys))
    }

    @Test(arguments: try File("encrypted_swipe").rows)
    func row(_ row: File.Row) throws {
        let scheme = try #require(Self.schemes[row.in.key_scheme])
        let base = scheme == .aesDataEncryption ? try aesKey(row.in.bdk) : try CipherKey(row.in.bdk, .tripleDES2)
        let key = try scheme.workingKey(from: base, serialNumber: hex(row.in.ksn).span)
        #expect(key.revealed == row.out.session_key)
        let plaintext = try key.decrypt(hex(row.in.ciphertext).span, vector: hex(row.in.iv))
        #expect(plaintext.revealed == row.out.plaintext)
        #expect(row.out.plaintext.hasPrefix(digits(row.out.track.utf8)))
        let ciphertext = try key.encrypt(hex(row.out.plaintext).span)
        #expect(ciphertext.revealed == row.in.ciphertext)
    }
}
