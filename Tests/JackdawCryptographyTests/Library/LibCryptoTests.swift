import COpenSSL
import JackdawEMV
import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// The errors of libcrypto, which each thread has in a queue.
@Suite struct LibCryptoTests {
    /// Leaves an error in the queue, as other code of a program may.
    private func leaveError() { unsafe EVP_CIPHER_free(EVP_CIPHER_fetch(nil, "no such cipher", nil)) }

    @Test func theCauseIsTheLastErrorOfTheQueue() {
        leaveError()
        let failure = LibCrypto.failure("a test")
        #expect(failure.code == .library && failure.underlying != nil)
        #expect(LibCrypto.failure("a test").underlying == nil)
    }

    @Test func errorsOfOtherCodeAreNotTheCause() throws {
        let key = try CipherKey("A1B2C3D4E5F60718293A4B5C6D7E8F90", .aes128)
        let block = [UInt8](repeating: 1, count: 16)
        leaveError()
        _ = try MessageDigest.sha1(of: block.span)
        #expect(LibCrypto.failure("a hash").underlying == nil)
        leaveError()
        _ = try key.encrypt(block.span)
        #expect(LibCrypto.failure("a cipher").underlying == nil)
        leaveError()
        _ = try key.cipherMAC(of: block.span)
        #expect(LibCrypto.failure("a code").underlying == nil)
        leaveError()
        _ = try RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [17]).apply(to: [0x00, 0x41].span)
        #expect(LibCrypto.failure("RSA").underlying == nil)
    }
}
