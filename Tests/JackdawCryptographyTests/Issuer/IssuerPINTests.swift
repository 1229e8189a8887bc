import JackdawCards
import JackdawCryptography
import JackdawEMV
import JackdawTestSupport
import Testing

/// The PIN of a PIN pad: the block of ISO 9564-1, format 0, in triple DES.
@Suite struct IssuerPINTests {
    private let primitives = LibCryptoPrimitives(mode: .test)

    private func secret(_ text: String) -> SecretOctets { SecretOctets(Array(text.utf8)) }

    @Test func blocksAreThoseOfTheStandard() throws {
        let key = SecretOctets(hex("0123456789ABCDEFFEDCBA9876543210"))
        let account = secret("4761739001010010")
        let block = try #require(primitives.pinBlock(of: secret("1234"), key: key, account: account))
        // The clear block is 041234FFFFFFFFFF XOR 0000173900101001.
        let clear = try CipherKey("0123456789ABCDEFFEDCBA9876543210", .tripleDES2)
            .encrypt(hex("041223C6FFEFEFFE").span).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        #expect(block == clear)
        #expect(primitives.pin(ofBlock: block, key: key, account: account) == secret("1234"))
        #expect(primitives.pin(ofBlock: block, key: key, account: secret("4761739001010028")) == nil)
        #expect(primitives.pin(ofBlock: Array(block.dropLast()), key: key, account: account) == nil)
        #expect(primitives.pinBlock(of: secret("123"), key: key, account: account) == nil)
        #expect(primitives.pinBlock(of: secret("1234"), key: secret("short"), account: account) == nil)
        #expect(primitives.isPublishedTestKey(key))
        #expect(!primitives.isPublishedTestKey(SecretOctets(hex("0123456789ABCDEFFEDCBA98765432FF"))))
    }

    @Test func publishedKeysAreRefusedForLiveCards() throws {
        let live = LibCryptoPrimitives(mode: .live)
        let published = SecretOctets(hex("0123456789ABCDEFFEDCBA9876543210"))
        let (pin, account) = (secret("1234"), secret("4761739001010010"))
        #expect(live.isPublishedTestKey(published))
        #expect(live.pinBlock(of: pin, key: published, account: account) == nil)
        let block = try #require(primitives.pinBlock(of: pin, key: published, account: account))
        #expect(live.pin(ofBlock: block, key: published, account: account) == nil)
        let own = SecretOctets(hex("0011223344556677FFEEDDCCBBAA9988"))
        let other = try #require(live.pinBlock(of: pin, key: own, account: account))
        #expect(live.pin(ofBlock: other, key: own, account: account) == pin)
    }
}
