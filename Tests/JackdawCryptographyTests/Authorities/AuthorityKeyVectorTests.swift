import JackdawCryptography
import JackdawEMV
import JackdawTestSupport
import Testing

/// Test keys that Visa publishes, and those of Mastercard in EFTlab's list and in binaryfoo/emv-bertlv. The topic is this
/// project's own: folders of other vectors do not have it.
@Suite(.enabled(if: hasOwnVectors, "JACKDAW_VECTORS names other vectors"))
struct AuthorityKeyVectorTests {
    struct Input: Decodable, Sendable {
        let rid: String
        let index: String
        let modulus: String
        let exponent: String
    }
    struct Output: Decodable, Sendable {
        let checksum: String
    }
    typealias Row = VectorRow<Input, Output>

    @Test func allRowsAreThere() throws {
        let rows = try ownRows("authority_test_keys", as: Row.self)
        let indexes = Dictionary(grouping: rows, by: \.input.rid).mapValues { $0.map(\.input.index) }
        #expect(
            indexes == [
                "A000000003": ["92", "94", "95", "99"],
                "A000000004": [
                    "00", "01", "02", "05", "EF", "F0", "F1", "F3", "F5", "F6", "F7", "F8", "F9", "FA", "FA", "FE",
                ],
            ])
    }

    @Test func testKeysAreRefusedForLiveCards() throws {
        try Vectors.run("authority_test_keys", in: .module, as: Row.self) { row in
            let key = try key(row.input, checksum: row.output.checksum)
            #expect(key.isPublishedTestKey, "\(row.id)")
            #expect(try AuthorityKeys([key], mode: .test).keys.count == 1, "\(row.id)")
            #expect(code { _ = try AuthorityKeys([key], mode: .live) } == .publishedKey, "\(row.id)")
        }
    }

    @Test func testKeysOfAKernelAreRefusedForLiveCards() throws {
        try Vectors.run("authority_test_keys", in: .module, as: Row.self) { row in
            let key = RSAPublicKey(modulus: hex(row.input.modulus), exponent: hex(row.input.exponent))
            let block = [UInt8](repeating: 1, count: key.modulus.count)
            #expect(LibCryptoPrimitives(mode: .test).recover(block, with: key)?.count == block.count, "\(row.id)")
            // The modulus of Mastercard's test key 01 was a live one of Visa.
            let isShared = row.input.index == "01"
            #expect((LibCryptoPrimitives(mode: .live).recover(block, with: key) == nil) != isShared, "\(row.id)")
            // The same number with more octets is the same key.
            let longer = RSAPublicKey(modulus: [0] + key.modulus, exponent: key.exponent)
            let found = LibCryptoPrimitives(mode: .live).recover([0] + block, with: longer)
            #expect((found == nil) != isShared, "\(row.id)")
        }
    }

    /// Visa's live key 01 until the end of 2009 (EFTlab, the same list).
    @Test func theLiveKeyWithTheModulusOfATestKeyIsAccepted() throws {
        let row = try #require(try ownRows("authority_test_keys", as: Row.self).first { $0.input.index == "01" })
        let key = try AuthorityKey(
            provider: hex("A000000003"), index: 0x01,
            key: RSAPublicKey(modulus: hex(row.input.modulus), exponent: hex(row.input.exponent)),
            checksum: hex("D34A6A776011C7E7CE3AEC5F03AD2F8CFC5503CC"))
        #expect(!key.isPublishedTestKey)
        #expect(code { _ = try AuthorityKeys([key], mode: .live) } == nil)
    }

    private func key(_ input: Input, checksum: String) throws -> AuthorityKey {
        try AuthorityKey(
            provider: hex(input.rid), index: hex(input.index)[0],
            key: RSAPublicKey(modulus: hex(input.modulus), exponent: hex(input.exponent)), checksum: hex(checksum))
    }
}
