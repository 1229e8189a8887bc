import JackdawCards
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// AES-GCM with the test cases of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, which the
/// proposal to NIST has: those with nonces of 96 bits and keys of 128 and 256 bits.
@Suite struct AuthenticatedCipherTests {
    struct Vector: Sendable, CustomStringConvertible {
        let number: Int
        var key = "feffe9928665731c6d6a8f9467308308"
        var message = ""
        var data = ""
        var nonce = "cafebabefacedbaddecaf888"
        var encrypted = ""
        let tag: String

        var description: String { "test case \(number)" }
        var algorithm: KeyAlgorithm { key.count == 32 ? .aes128 : .aes256 }
    }

    private static let zeros = String(repeating: "0", count: 32)
    private static let text = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657
        ba637b39
        """
    private static let data = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
    private static let long = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let short128 = """
        42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac97
        3d58e091
        """
    private static let short256 = """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a
        bcc9f662
        """

    static let vectors = [
        Vector(number: 1, key: zeros, nonce: String(zeros.prefix(24)), tag: "58e2fccefa7e3061367f1d57a4e7455a"),
        Vector(
            number: 2, key: zeros, message: zeros, nonce: String(zeros.prefix(24)),
            encrypted: "0388dace60b6a392f328c2b971b2fe78", tag: "ab6e47d42cec13bdf53a67b21257bddf"),
        Vector(
            number: 3, message: text + "1aafd255", encrypted: short128 + "473f5985",
            tag: "4d5c2af327cd64a62cf35abd2ba6fab4"),
        Vector(
            number: 4, message: text, data: data, encrypted: short128, tag: "5bc94fbc3221a5db94fae95ae7121a47"),
        Vector(
            number: 13, key: zeros + zeros, nonce: String(zeros.prefix(24)), tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Vector(
            number: 14, key: zeros + zeros, message: zeros, nonce: String(zeros.prefix(24)),
            encrypted: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Vector(
            number: 15, key: long, message: text + "1aafd255", encrypted: short256 + "898015ad",
            tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Vector(
            number: 16, key: long, message: text, data: data, encrypted: short256,
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    private func open(
        _ sealed: [UInt8], _ key: borrowing CipherKey, _ nonce: [UInt8], _ data: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let message = try key.open(sealed.span, nonce: nonce.span, authenticating: data.span)
        return message.withBytes { bytes in
            var octets: [UInt8] = []
            for index in bytes.indices { octets.append(bytes[index]) }
            return octets
        }
    }

    @Test(arguments: vectors)
    func publishedCases(_ vector: Vector) throws {
        let (message, data, nonce) = (hex(vector.message), hex(vector.data), hex(vector.nonce))
        let bytes = hex(vector.key)
        let key = try CipherKey(copying: bytes.span, for: vector.algorithm, mode: .test)
        let sealed = try key.seal(message.span, nonce: nonce.span, authenticating: data.span)
        #expect(sealed == hex(vector.encrypted) + hex(vector.tag))
        #expect(try open(sealed, key, nonce, data) == message)
    }

    @Test func everyChangeIsDetected() throws {
        let vector = Self.vectors[7]
        let (data, nonce, bytes) = (hex(vector.data), hex(vector.nonce), hex(vector.key))
        let sealed = hex(vector.encrypted) + hex(vector.tag)
        let key = try CipherKey(copying: bytes.span, for: .aes256, mode: .test)
        func changed(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            return bytes
        }
        for bit in 0..<8 * sealed.count {
            #expect(code { _ = try open(changed(sealed, bit), key, nonce, data) } == .authentication)
        }
        for bit in 0..<8 * data.count {
            #expect(code { _ = try open(sealed, key, nonce, changed(data, bit)) } == .authentication)
        }
        for bit in 0..<8 * nonce.count {
            #expect(code { _ = try open(sealed, key, changed(nonce, bit), data) } == .authentication)
        }
        for count in 0..<16 { #expect(code { _ = try open(Array(sealed.prefix(count)), key, nonce, data) } == .length) }
        for count in 16..<sealed.count {
            #expect(code { _ = try open(Array(sealed.prefix(count)), key, nonce, data) } == .authentication)
        }
    }

    @Test func otherKeysAndNoncesAreRefused() throws {
        let (bytes, nonce) = ([UInt8](repeating: 7, count: 24), [UInt8](repeating: 7, count: 12))
        let triple = try CipherKey(copying: bytes.span, for: .tripleDES3, mode: .test)
        #expect(code { _ = try triple.seal(Span(), nonce: nonce.span, authenticating: Span()) } == .algorithm)
        let key = try CipherKey(copying: bytes.span, for: .aes192, mode: .test)
        #expect(code { _ = try key.seal(Span(), nonce: bytes.span, authenticating: Span()) } == .length)
    }
}
