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
    typealias Row = VectorRow<Input, Output>

    private static let schemes: [String: KeyScheme] = [
        "pin_variant": .pin, "data_variant_no_owf": .plainDataRequest, "data_request_owf": .dataRequest,
        "data_response_owf": .dataResponse, "aes128_data_encrypt": .aesDataEncryption,
    ]

    @Test(.enabled(if: hasOwnVectors)) func allRowsAreThere() throws {
        let rows = try ownRows("encrypted_swipe", as: Row.self)
        #expect(rows.count == 26)
        #expect(Set(rows.map(\.input.key_scheme)) == Set(Self.schemes.keys))
    }

    @Test func rowsAgree() throws {
        try Vectors.run("encrypted_swipe", in: .module, as: Row.self, check)
    }

    private func check(_ row: Row) throws {
        let scheme = try #require(Self.schemes[row.input.key_scheme])
        let base = scheme == .aesDataEncryption ? try aesKey(row.input.bdk) : try CipherKey(row.input.bdk, .tripleDES2)
        let key = try scheme.workingKey(from: base, serialNumber: hex(row.input.ksn).span)
        #expect(key.revealed == row.output.session_key, "\(row.id)")
        let plaintext = try key.decrypt(hex(row.input.ciphertext).span, vector: hex(row.input.iv))
        #expect(plaintext.revealed == row.output.plaintext, "\(row.id)")
        #expect(row.output.plaintext.hasPrefix(digits(row.output.track.utf8)), "\(row.id)")
        let ciphertext = try key.encrypt(hex(row.output.plaintext).span)
        #expect(ciphertext.revealed == row.input.ciphertext, "\(row.id)")
    }
}
