import JackdawCards
import JackdawCryptography
import JackdawEMV
import JackdawTestSupport
import Testing

/// The operations of RSA.
@Suite struct RSATests {
    /// The modulus of Visa's test key 95.
    static let modulus = hex(
        """
        BE9E1FA5E9A803852999C4AB432DB28600DCD9DAB76DFAAA47355A0FE37B1508AC6BF38860D3C6C2E5B12A3CAAF2A7005A7241EBAA777111
        2C74CF9A0634652FBCA0E5980C54A64761EA101A114E0F0B5572ADD57D010B7C9C887E104CA4EE1272DA66D997B9A90B5A6D624AB6C57E73
        C8F919000EB5F684898EF8C3DBEFB330C62660BED88EA78E909AFF05F6DA627B
        """)

    /// The hash of the result was computed with Python's `pow`.
    @Test func aBlockIsRaisedToTheExponent() throws {
        let key = RSAPublicKey(modulus: Self.modulus, exponent: [3])
        let block = (1...144).map { UInt8($0) }
        let result = try key.apply(to: block.span)
        #expect(result.count == 144)
        #expect(LibCryptoPrimitives(mode: .test).recover(block, with: key).map { digits($0) } == result.revealed)
        let hash = try result.withBytes { (bytes) throws(CryptographyError) in try MessageDigest.sha1(of: bytes) }
        #expect(digits(hash) == "A6C93F042847FD869CF2F37A650F62942874CE49")
        #expect(LibCryptoPrimitives(mode: .live).sha1(hex(result.revealed)) == hash)
        let padded = RSAPublicKey(modulus: Self.modulus, exponent: [0, 0, 3])
        let same = try padded.apply(to: block.span)
        #expect(same.revealed == result.revealed)
    }

    /// The textbook key of 61 and 53: leading zeros are kept.
    @Test func theKeysUndoEachOther() throws {
        let key = RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [17])
        let (clear, encrypted): ([UInt8], [UInt8]) = ([0x00, 0x41], [0x0A, 0xE6])
        let ciphertext = try key.apply(to: clear.span)
        #expect(ciphertext.revealed == digits(encrypted))
        let own = try RSAPrivateKey(modulus: [0x0C, 0xA1], exponent: secret("0AC1"))
        let result = try own.apply(to: encrypted.span)
        #expect(result.revealed == "0041")
    }

    @Test(arguments: [
        ("0CA1", CryptographyError.Code.value), ("FFFF", .value), ("41", .length), ("000041", .length), ("", .length),
    ])
    func blocksAreSmallerThanTheModulus(_ block: String, expected: CryptographyError.Code) throws {
        let key = RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [17])
        #expect(code { _ = try key.apply(to: hex(block).span) } == expected)
    }

    @Test(arguments: [
        ([], [3], CryptographyError.Code.length), ([0x0C, 0xA1], [], .length), ([0x0C, 0xA1], [0, 0, 3], .length),
        ([UInt8](repeating: 1, count: 513), [3], .length), ([0x0C, 0xA0], [3], .value), ([1], [3], .value),
        ([0, 1], [3], .value), ([0], [3], .value), ([0x0C, 0xA1], [0], .value),
    ])
    func otherKeysAreRefused(_ modulus: [UInt8], _ exponent: [UInt8], expected: CryptographyError.Code) {
        let key = RSAPublicKey(modulus: modulus, exponent: exponent)
        let block = [UInt8](repeating: 0, count: modulus.count)
        #expect(code { _ = try key.apply(to: block.span) } == expected)
        #expect(LibCryptoPrimitives(mode: .test).recover(block, with: key) == nil)
        let provider: [UInt8] = [0xA0, 0, 0, 0, 3]
        #expect(code { _ = try AuthorityKey(provider: provider, index: 1, key: key) } == expected)
    }

    /// FIPS 180-4 and RFC 3174.
    @Test(arguments: [
        ("", "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"), ("abc", "A9993E364706816ABA3E25717850C26C9CD0D89D"),
    ])
    func hashes(_ text: String, expected: String) throws {
        let message = Array(text.utf8)
        let hash = try MessageDigest.sha1(of: message.span)
        #expect(digits(hash) == expected)
    }
}
