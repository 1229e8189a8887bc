import COpenSSL

/// The key derivation function scrypt (RFC 7914) by libcrypto, for passwords.
package struct Scrypt: Sendable, Hashable {
    /// The exponent of the cost: 14 is N = 16,384.
    package let costExponent: Int
    /// The size of a block (r), in units of 128 bytes.
    package let blockSize: Int
    /// The number of calculations that could run at once (p).
    package let parallelism: Int

    /// The most memory that parameters may ask for, in bytes.
    package static let maxMemory = 1 << 28

    /// N = 16,384, r = 8, p = 1: 16 MiB and a few hundredths of a second. The values for logins of the paper that
    /// defined scrypt (Percival 2009, section 5).
    package static let interactive = Scrypt(costExponent: 14, blockSize: 8, parallelism: 1)!

    /// Parameters; nil if the standard does not allow them, or they need more than ``maxMemory``.
    package init?(costExponent: Int, blockSize: Int, parallelism: Int) {
        guard (1...24).contains(costExponent), (1...32).contains(blockSize), (1...16).contains(parallelism),
            // RFC 7914, section 2: N is less than 2^(128 r / 8).
            costExponent < 16 * blockSize, Self.memory(costExponent, blockSize, parallelism) <= Self.maxMemory
        else { return nil }
        self.costExponent = costExponent
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    private static func memory(_ costExponent: Int, _ blockSize: Int, _ parallelism: Int) -> Int {
        128 * blockSize * ((1 << costExponent) + parallelism + 2)
    }

    /// Derives a key from a password.
    /// - Parameters:
    ///   - password: the password, of any length.
    ///   - salt: the salt.
    ///   - size: the length of the key, 1 to 64 bytes.
    /// - Returns: the key.
    /// - Throws: ``CryptographyError`` with code `library`, if there is not enough memory for example.
    package func key(
        _ password: Span<UInt8>, salt: Span<UInt8>, size: Int
    ) throws(CryptographyError) -> [UInt8] {
        guard (1...64).contains(size) else { throw CryptographyError(.length, "a key has 1 to 64 bytes") }
        LibCrypto.clearErrors()
        var key = [UInt8](repeating: 0, count: size)
        let memory = UInt64(Self.memory(costExponent, blockSize, parallelism))
        let done = unsafe password.withUnsafeBytes { password in
            unsafe salt.withUnsafeBufferPointer { salt in
                // A null pointer would ask for the default key of an empty password.
                var none: CChar = 0
                return unsafe withUnsafePointer(to: &none) { none in
                    unsafe EVP_PBE_scrypt(
                        password.baseAddress?.assumingMemoryBound(to: CChar.self) ?? none, password.count,
                        salt.baseAddress, salt.count, UInt64(1) << UInt64(costExponent), UInt64(blockSize),
                        UInt64(parallelism), memory, &key, size)
                }
            }
        }
        try LibCrypto.check(done, "scrypt")
        return key
    }
}
