#if Payments
import COpenSSL
import Glibc
import JackdawHTTP
import Testing

/// The end of a process with threads that exchange requests.
struct ProcessExitTests {
    /// libcurl uses OpenSSL on threads that may run while the process exits. The handler is registered before OpenSSL is used,
    /// so that it runs after a handler of OpenSSL itself.
    @Test func openSSLCanBeUsedUntilTheProcessEnds() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = CurlClient(try HTTPHost("https://localhost"))
            atexit { _exit(OPENSSL_init_crypto(UInt64(OPENSSL_INIT_ADD_ALL_CIPHERS), nil) == 1 ? 7 : 1) }
            guard OPENSSL_init_crypto(UInt64(OPENSSL_INIT_ADD_ALL_CIPHERS), nil) == 1 else { exit(1) }
            exit(2)
        }
    }
}
#endif
