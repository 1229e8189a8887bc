import COpenSSL

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
