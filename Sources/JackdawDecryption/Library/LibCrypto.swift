import COpenSSL

/// What every call of libcrypto has in common.
enum LibCrypto {
    /// The most bytes that one call takes: its lengths are 32 bits.
    static let greatestSize = 1 << 30

    /// Checks a result, 1 where a call did its work.
    static func check(_ result: Int32, _ doing: String) throws(DecryptionError) {
        guard result == 1 else { throw failure(doing) }
    }

    /// The error of the call before, and an empty queue of errors for the next.
    static func failure(_ doing: String) -> DecryptionError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return DecryptionError(.library, "libcrypto failed: \(doing)") }
        var text = [CChar](repeating: 0, count: 256)
        unsafe text.withUnsafeMutableBufferPointer { unsafe ERR_error_string_n(code, $0.baseAddress, $0.count) }
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return DecryptionError(.library, "libcrypto failed: \(doing)", underlying: words)
    }
}

/// Hashes of libcrypto (`EVP_Digest`).
enum MessageDigest {
    /// SHA-1, which some readers send of each track.
    static func sha1(of data: Span<UInt8>) throws(DecryptionError) -> [UInt8] {
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

/// Authentication codes of libcrypto (`EVP_MAC`).
enum MessageAuthentication {
    /// A code by its name.
    /// - Parameters:
    ///   - name: `CMAC` or `HMAC`.
    ///   - setting: the parameter that says of which cipher or hash, and its value.
    ///   - key: of that cipher's size.
    ///   - data: what it authenticates.
    ///   - size: bytes of the code.
    /// - Returns: the code.
    /// - Throws: ``DecryptionError`` with code `library`.
    static func code(
        _ name: String, _ setting: (name: String, value: String), key: Span<UInt8>, of data: Span<UInt8>, size: Int
    ) throws(DecryptionError) -> [UInt8] {
        let algorithm = unsafe EVP_MAC_fetch(nil, name, nil)
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let algorithm = unsafe algorithm else { throw LibCrypto.failure("there is no \(name)") }
        let context = unsafe EVP_MAC_CTX_new(algorithm)
        defer { unsafe EVP_MAC_CTX_free(context) }
        guard let context = unsafe context else { throw LibCrypto.failure("\(name) has no context") }
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
        try LibCrypto.check(started, "\(name) takes no such key")
        let taken = unsafe data.withUnsafeBufferPointer { data in
            unsafe EVP_MAC_update(context, data.baseAddress, data.count)
        }
        try LibCrypto.check(taken, "\(name) of \(data.count) bytes")
        var code = [UInt8](repeating: 0, count: size)
        var count = 0
        try LibCrypto.check(unsafe EVP_MAC_final(context, &code, &count, size), "\(name) has no end")
        guard count == size else { throw LibCrypto.failure("\(name) gave \(count) bytes") }
        return code
    }
}
