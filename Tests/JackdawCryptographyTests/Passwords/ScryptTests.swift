import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// The vectors are those of RFC 7914, section 12. The last one needs 1 GiB and is left out.
struct ScryptTests {
    struct Vector: Sendable {
        let password: String
        let salt: String
        let parameters: (costExponent: Int, blockSize: Int, parallelism: Int)
        let key: String
    }

    static let vectors = [
        Vector(
            password: "", salt: "", parameters: (4, 1, 1),
            key: """
                77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
                fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
                """),
        Vector(
            password: "password", salt: "NaCl", parameters: (10, 8, 16),
            key: """
                fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
                2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
                """),
        Vector(
            password: "pleaseletmein", salt: "SodiumChloride", parameters: (14, 8, 1),
            key: """
                7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
                d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
                """),
    ]

    @Test("keys are those of RFC 7914", arguments: vectors)
    func keysArePublishedOnes(_ vector: Vector) throws {
        let (cost, block, parallelism) = vector.parameters
        let scrypt = try #require(Scrypt(costExponent: cost, blockSize: block, parallelism: parallelism))
        let key = try scrypt.key(Array(vector.password.utf8).span, salt: Array(vector.salt.utf8).span, size: 64)
        #expect(key == hex(vector.key))
    }

    @Test func parametersOutsideOfTheStandardAreRefused() {
        // With r = 1, N must be less than 2^16.
        #expect(Scrypt(costExponent: 15, blockSize: 1, parallelism: 1) != nil)
        #expect(Scrypt(costExponent: 16, blockSize: 1, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 0, blockSize: 8, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 14, blockSize: 0, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 14, blockSize: 8, parallelism: 0) == nil)
        // It would need 1 GiB.
        #expect(Scrypt(costExponent: 20, blockSize: 8, parallelism: 1) == nil)
    }

    @Test func keysOfOtherLengthsAreRefused() throws {
        let scrypt = try #require(Scrypt(costExponent: 1, blockSize: 1, parallelism: 1))
        for size in [0, 65] {
            let error = #expect(throws: CryptographyError.self) {
                try scrypt.key([1].span, salt: [2].span, size: size)
            }
            #expect(error?.code == .length)
        }
    }
}
