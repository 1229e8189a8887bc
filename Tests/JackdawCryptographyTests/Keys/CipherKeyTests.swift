import JackdawCards
import JackdawCryptography
import JackdawTestSupport
import Testing

/// Keys: their lengths, what they are for, and what shows of them.
@Suite struct CipherKeyTests {
    private static let published = "0123456789ABCDEFFEDCBA9876543210"

    @Test(arguments: KeyAlgorithm.allCases, 0...40)
    func otherLengthsAreRefused(_ algorithm: KeyAlgorithm, count: Int) {
        let bytes = [UInt8](repeating: 0x5A, count: count)
        #expect(
            code { _ = try CipherKey(copying: bytes.span, for: algorithm, mode: .live) }
                == (count == algorithm.size ? nil : .length))
    }

    @Test(arguments: KeyAlgorithm.allCases, 0...40)
    func onlyWholeBlocksAreDecrypted(_ algorithm: KeyAlgorithm, count: Int) throws {
        let key = try CipherKey(String(repeating: "5A", count: algorithm.size), algorithm)
        let bytes = [UInt8](repeating: 0xC3, count: count)
        var found = 0
        let failure = code { found = try key.decrypt(bytes.span).count }
        guard !algorithm.rawValue.hasPrefix("HMAC") else {
            #expect(failure == .algorithm)
            return
        }
        let isWhole = count.isMultiple(of: algorithm.isAES ? 16 : 8)
        #expect(failure == (isWhole ? nil : .length))
        #expect(found == (isWhole ? count : 0))
    }

    @Test(arguments: 0...20)
    func aVectorIsABlock(_ count: Int) throws {
        let key = try CipherKey(Self.published, .tripleDES2)
        let vector = [UInt8](repeating: 1, count: count)
        let block = [UInt8](repeating: 2, count: 8)
        #expect(code { _ = try key.decrypt(block.span, vector: vector) } == (count == 8 ? nil : .length))
    }

    /// A block of zeros, encrypted: the first two are widely published, the others are what `openssl mac` prints.
    @Test(arguments: [
        (published, KeyAlgorithm.tripleDES2, "08D7B4"),
        ("FEDCBA9876543210F1F1F1F1F1F1F1F1", .aes128, "FF0BD7C455"),
        ("FEDCBA9876543210F1F1F1F1F1F1F1F1FEDCBA9876543210F1F1F1F1F1F1F1F1", .aes256, "410EDFCA2A"),
    ])
    func checkValues(_ text: String, algorithm: KeyAlgorithm, expected: String) throws {
        #expect(digits(try CipherKey(text, algorithm).checkValue()) == expected)
    }

    @Test(arguments: [
        (published, KeyAlgorithm.tripleDES2, true),
        // Only parity differs: triple DES takes them for the same.
        ("0022446688AACCEEFFDDBB9977553311", .tripleDES2, true), ("0022446688AACCEEFFDDBB9977553311", .aes128, false),
        (published + "0123456789ABCDEF", .tripleDES3, true), ("FEDCBA9876543210F1F1F1F1F1F1F1F1", .aes128, true),
        ("FEDCBA9876543210F1F1F1F1F1F1F1F1FEDCBA9876543210", .aes192, true),
        ("FEDCBA9876543210F1F1F1F1F1F1F1F1FEDCBA9876543210F1F1F1F1F1F1F1F1", .aes256, true),
        ("53EF0E3B0784CB17AC40C7BDC89921DF", .tripleDES2, true),
        ("9E15204313F7318ACB79B90BD986AD29", .tripleDES2, true),
        ("4664942FE615FB02E5D57F292AA2B3B6", .tripleDES2, true),
        ("CE293B8CC12A977379EF256D76109492", .tripleDES2, true),
        ("2315208C9110AD402315208C9110AD40", .tripleDES2, true),
        ("A1B2C3D4E5F60718293A4B5C6D7E8F90", .tripleDES2, false),
    ])
    func keysThatEverybodyKnowsAreRecognised(_ text: String, algorithm: KeyAlgorithm, expected: Bool) throws {
        let key = try CipherKey(text, algorithm)
        #expect(key.isPublishedTestKey == expected)
        #expect(code { _ = try CipherKey(text, algorithm, mode: .live).algorithm } == (expected ? .publishedKey : nil))
    }

    @Test func keysDerivedFromPublishedKeysCountAsPublished() throws {
        let number = try KeySerialNumber(hexadecimal: "FFFF9876543210E00001")
        for (text, expected) in [(Self.published, true), ("A1B2C3D4E5F60718293A4B5C6D7E8F90", false)] {
            let base = try CipherKey(text, .tripleDES2)
            let key = try TripleDESDerivation.workingKey(for: .dataRequest, from: base, serialNumber: number)
            #expect(key.isPublishedTestKey == expected)
        }
        let base = try CipherKey("FEDCBA9876543210F1F1F1F1F1F1F1F1", .aes128)
        let serialNumber = try AESKeySerialNumber(hexadecimal: "123456789012345600000001")
        let key = try AESDerivation.workingKey(for: .pin, .aes128, fromBase: base, serialNumber: serialNumber)
        #expect(key.isPublishedTestKey == true)
    }

    @Test func aKeyIsForOneThing() throws {
        let aes = try CipherKey("A1B2C3D4E5F60718293A4B5C6D7E8F90", .aes128)
        let des = try CipherKey("A1B2C3D4E5F60718293A4B5C6D7E8F90", .tripleDES2)
        let number = try KeySerialNumber(hexadecimal: "FFFF9876543210E00001")
        let aesNumber = try AESKeySerialNumber(hexadecimal: "123456789012345600000001")
        #expect(code { _ = try TripleDESDerivation.initialKey(from: aes, for: number) } == .algorithm)
        #expect(code { _ = try TripleDESDerivation.workingKey(for: .pin, from: aes) } == .algorithm)
        #expect(code { _ = try AESDerivation.initialKey(from: des, for: aesNumber) } == .algorithm)
        #expect(code { _ = try aes.retailMAC(of: [1].span) } == .algorithm)
        #expect(code { _ = try aes.hashMAC(of: [1].span) } == .algorithm)
    }

    /// Nothing of a key is in what is printed of it, of its errors, or of what goes wrong with it.
    @Test func errorsShowNoKey() throws {
        let bytes = hex("A1B2C3D4E5F60718293A4B5C6D7E8F9011")
        let error = #expect(throws: CryptographyError.self) {
            _ = try CipherKey(copying: bytes.span, for: .tripleDES2, mode: .live)
        }
        #expect(error?.code == .length)
        #expect(error.map { numbers(in: $0.description) } == ["17", "16"])
        #expect(error?.description.contains(" 2TDEA ") == true)
    }

    @Test func aReleasedKeyIsOverwritten() throws {
        var random = SeededRandom(seed: 11)
        let pattern = (0..<32).map { _ in UInt8.random(in: 1...255, using: &random) }
        var address: UInt = 0
        do {
            let key = try CipherKey(copying: pattern.span, for: .aes256, mode: .live)
            address = key.withRevealedBytes { bytes in unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
            #expect(try processMemory(at: address, count: 32) == pattern)
        }
        let left = try processMemory(at: address, count: 32)
        // The allocator may write its own notes into freed memory.
        #expect(zip(left, pattern).count { $0 == $1 } < 4)
    }
}
