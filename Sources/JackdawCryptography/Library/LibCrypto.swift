import COpenSSL

/// Common parts of all libcrypto calls.
enum LibCrypto {
    /// The maximum number of bytes in one call, whose lengths have 32 bits.
    static let maxCallSize = 1 << 30

    /// Clears the thread's error queue before the first call of an operation: the queue may have errors of other code
    /// in the program, which ``failure(_:)`` would report as the cause.
    static func clearErrors() {
        // Clearing takes six times as long as looking: all entries of the queue are overwritten.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Checks a result, which is 1 if the call succeeded.
    /// - Parameters:
    ///   - result: the result.
    ///   - operation: names the calculation in the error.
    /// - Throws: ``failure(_:)``.
    static func check(_ result: Int32, _ operation: String) throws(CryptographyError) {
        guard result == 1 else { throw failure(operation) }
    }

    /// Creates the error of the last call, and clears the error queue. The operation has called
    /// ``clearErrors()`` before, on this thread.
    /// - Parameter operation: names the calculation in the error.
    /// - Returns: an error with the last entry of the queue as its cause; without a cause if the queue is empty.
    static func failure(_ operation: String) -> CryptographyError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return CryptographyError(.library, "libcrypto failed: \(operation)") }
        var text = [CChar](repeating: 0, count: 256)
        unsafe text.withUnsafeMutableBufferPointer { unsafe ERR_error_string_n(code, $0.baseAddress, $0.count) }
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return CryptographyError(.library, "libcrypto failed: \(operation)", underlying: words)
    }
}

/// Hashes by libcrypto (`EVP_Digest`).
public enum MessageDigest {
    /// SHA-1: of the certificates and signatures of cards, and of the tracks that some readers send.
    /// - Parameter data: a message of any length.
    /// - Returns: 20 bytes.
    /// - Throws: ``CryptographyError`` with code `library`.
    public static func sha1(of data: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        LibCrypto.clearErrors()
        var hash = [UInt8](repeating: 0, count: 20)
        let algorithm = unsafe EVP_MD_fetch(nil, "SHA1", nil)
        defer { unsafe EVP_MD_free(algorithm) }
        guard let algorithm = unsafe algorithm else { throw LibCrypto.failure("there is no SHA-1") }
        var count: UInt32 = 0
        let done = unsafe data.withUnsafeBytes { data in
            unsafe EVP_Digest(data.baseAddress, data.count, &hash, &count, algorithm, nil)
        }
        try LibCrypto.check(done, "SHA-1 of \(data.count) bytes")
        return hash
    }
}

/// Message authentication codes by libcrypto (`EVP_MAC`).
enum MessageAuthentication {
    /// Computes a code with an algorithm of libcrypto.
    /// - Parameters:
    ///   - name: `CMAC` or `HMAC`.
    ///   - setting: the parameter that selects the cipher or hash, and its value.
    ///   - key: a key of that cipher's size.
    ///   - data: the message to authenticate.
    ///   - size: the length of the code, in bytes.
    /// - Returns: the code.
    /// - Throws: ``CryptographyError`` with code `library`.
    static func code(
        _ name: String, _ setting: (name: String, value: String), key: Span<UInt8>, of data: Span<UInt8>, size: Int
    ) throws(CryptographyError) -> [UInt8] {
        LibCrypto.clearErrors()
        let algorithm = unsafe EVP_MAC_fetch(nil, name, nil)
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let algorithm = unsafe algorithm else { throw LibCrypto.failure("there is no \(name)") }
        let context = unsafe EVP_MAC_CTX_new(algorithm)
        defer { unsafe EVP_MAC_CTX_free(context) }
        guard let context = unsafe context else { throw LibCrypto.failure("there is no context for \(name)") }
        var value = Array(setting.value.utf8CString)
        let started = unsafe setting.name.withCString { parameter in
            unsafe value.withUnsafeMutableBufferPointer { value in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(parameter, value.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return unsafe key.withUnsafeBufferPointer { key in
                    unsafe EVP_MAC_init(context, key.baseAddress, key.count, parameters)
                }
            }
        }
        try LibCrypto.check(started, "\(name) rejects the key")
        let taken = unsafe data.withUnsafeBufferPointer { data in
            unsafe EVP_MAC_update(context, data.baseAddress, data.count)
        }
        try LibCrypto.check(taken, "\(name) of \(data.count) bytes")
        var code = [UInt8](repeating: 0, count: size)
        var count = 0
        try LibCrypto.check(unsafe EVP_MAC_final(context, &code, &count, size), "\(name) cannot be completed")
        guard count == size else { throw LibCrypto.failure("\(name) returned \(count) bytes") }
        return code
    }
}
