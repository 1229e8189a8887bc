import JackdawTestSupport
import Testing

@testable import JackdawCryptography

/// Errors of message authentication codes.
@Suite struct MessageAuthenticationTests {
    /// What libcrypto does not have, and a code of another size than it makes.
    @Test(arguments: [("NONE", 16), ("CMAC", 32)])
    func anotherCodeIsAFailure(_ name: String, size: Int) {
        let key = [UInt8](repeating: 1, count: 16)
        let found = code {
            _ = try MessageAuthentication.code(
                name, ("cipher", "AES-128-CBC"), key: key.span, of: key.span, size: size)
        }
        #expect(found == .library)
    }
}
