import Testing

@testable import JackdawCryptography

/// Ciphers that are fetched from libcrypto once.
@Suite struct FetchedCipherTests {
    @Test func aFailedFetchIsRepeatedAndASuccessIsKept() {
        let cipher = FetchedCipher()
        let addresses = [0, 0x1000, 0].map { (address: UInt) -> UInt in
            let found = unsafe cipher.pointer { unsafe OpaquePointer(bitPattern: address) }
            return UInt(bitPattern: found)
        }
        #expect(addresses == [0, 0x1000, 0x1000])
    }
}
