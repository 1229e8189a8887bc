import COpenSSL
public import JackdawCards
public import JackdawEMV

extension RSAPublicKey {
    /// The public operation: the block to the power of the exponent, modulo the modulus. It recovers the data of a
    /// certificate or a signature, and encrypts a block for the key's owner. The padding of EMV is a part of the data,
    /// so that there is none here.
    /// - Parameter block: as many bytes as the modulus has; a smaller number than the modulus.
    /// - Returns: as many bytes, in memory that is wiped: the certificate of a card has its account number.
    /// - Throws: ``CryptographyError`` with code `length` if the block has another size, the modulus more than 512
    ///   bytes or the exponent more than the modulus; `value` if the block is too great a number, the modulus even or
    ///   1, or the exponent 0; `library`.
    public func apply(to block: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        try check()
        return try PowerModulo.of(block, exponent.span, modulus: modulus.span, isExponentSecret: false)
    }

    /// Checks that modulus and exponent are those of a key.
    func check() throws(CryptographyError) {
        try PowerModulo.check(modulus: modulus, exponentSize: exponent.count)
        guard exponent.contains(where: { $0 != 0 }) else {
            throw CryptographyError(.value, "the exponent of an RSA key must be greater than 0")
        }
    }
}

/// A private key of RSA, for simulated cards, issuers and certification authorities.
package struct RSAPrivateKey: ~Copyable, Sendable {
    private let modulus: [UInt8]
    private let exponent: SecretBytes

    /// Creates a key.
    /// - Parameters:
    ///   - modulus: 1 to 512 bytes, an odd number greater than 1.
    ///   - exponent: the private exponent, with at most as many bytes as the modulus.
    /// - Throws: ``CryptographyError`` with code `length` or `value`.
    package init(modulus: [UInt8], exponent: consuming SecretBytes) throws(CryptographyError) {
        try PowerModulo.check(modulus: modulus, exponentSize: exponent.count)
        self.modulus = modulus
        self.exponent = exponent
    }

    /// The private operation, which signs a block, or decrypts one. Its time does not depend on the exponent's bits.
    /// - Parameter block: as many bytes as the modulus has; a smaller number than the modulus.
    /// - Returns: as many bytes.
    /// - Throws: ``CryptographyError`` with code `length`, `value` or `library`.
    package borrowing func apply(to block: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        try exponent.withBytes { (exponent) throws(CryptographyError) in
            try PowerModulo.of(block, exponent, modulus: modulus.span, isExponentSecret: true)
        }
    }
}

/// Powers of big numbers by libcrypto (`BN_mod_exp`).
private enum PowerModulo {
    /// The maximum size of a modulus, in bytes; EMV's limit is 248.
    static let maxModulusSize = 512

    static func check(modulus: [UInt8], exponentSize: Int) throws(CryptographyError) {
        guard (1...maxModulusSize).contains(modulus.count), (1...modulus.count).contains(exponentSize) else {
            throw CryptographyError(
                .length,
                "an RSA key has a modulus of at most \(maxModulusSize) bytes and no longer exponent; this one has "
                    + "\(modulus.count) and \(exponentSize)")
        }
        let isOdd = modulus.last.map { $0 & 1 } == 1
        guard isOdd, modulus.last != 1 || modulus.dropLast().contains(where: { $0 != 0 }) else {
            throw CryptographyError(.value, "the modulus of an RSA key must be odd and greater than 1")
        }
    }

    static func of(
        _ block: Span<UInt8>, _ exponent: Span<UInt8>, modulus: Span<UInt8>, isExponentSecret: Bool
    ) throws(CryptographyError) -> SecretBytes {
        guard block.count == modulus.count else {
            throw CryptographyError(
                .length, "a block of \(block.count) bytes for an RSA key of \(modulus.count)")
        }
        LibCrypto.clearErrors()
        let context = unsafe BN_CTX_secure_new()
        let (base, power, limit, result) = unsafe (block.number, exponent.number, modulus.number, BN_new())
        defer {
            unsafe BN_CTX_free(context)
            unsafe BN_clear_free(base)
            unsafe BN_clear_free(power)
            unsafe BN_clear_free(limit)
            unsafe BN_clear_free(result)
        }
        guard unsafe context != nil, unsafe base != nil, unsafe power != nil, unsafe limit != nil, unsafe result != nil
        else { throw LibCrypto.failure("no memory for big numbers") }
        guard unsafe BN_ucmp(base, limit) < 0 else {
            throw CryptographyError(.value, "the block is not a smaller number than the modulus of the RSA key")
        }
        if isExponentSecret { unsafe BN_set_flags(power, BN_FLG_CONSTTIME) }
        try LibCrypto.check(unsafe BN_mod_exp(result, base, power, limit, context), "RSA of \(block.count) bytes")
        let count = block.count
        return try SecretBytes(count: count) { (output) throws(CryptographyError) in
            let written = unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe BN_bn2binpad(result, output.baseAddress, Int32(count))
            }
            guard Int(written) == count else { throw LibCrypto.failure("RSA returned another number of bytes") }
        }
    }
}

extension Span<UInt8> {
    /// A big number of libcrypto, which the caller frees; nil if there is no memory.
    fileprivate var number: OpaquePointer? {
        unsafe withUnsafeBufferPointer { unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
    }
}
