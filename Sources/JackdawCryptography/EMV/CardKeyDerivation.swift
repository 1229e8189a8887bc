import JackdawBytes
import JackdawCards

/// The method by which the master keys of a card are derived from those of its issuer (EMV Book 2, A1.4).
public enum CardKeyOption: Sendable, Hashable, CaseIterable {
    /// Option A: from the last 16 digits of account number and sequence number.
    case a
    /// Option B: as option A for account numbers of at most 16 digits, else from a hash of all digits.
    case b
}

extension CipherKey {
    /// Derives a master key of a card from this master key of its issuer.
    /// - Parameters:
    ///   - account: the card's account.
    ///   - option: the method.
    /// - Returns: a key for triple DES with 16 bytes, with odd parity.
    /// - Throws: ``CryptographyError`` with code `algorithm` if this key is not for triple DES
    ///   with 16 bytes, `library`.
    public borrowing func cardKey(
        for account: CardAccount, option: CardKeyOption
    ) throws(CryptographyError) -> CipherKey {
        let digits = account.count + 2
        let block: SecretBytes
        if option == .b, account.count > 16 {
            let start = digits.isMultiple(of: 2) ? 0 : 1
            let all = SecretBytes(packing: start + digits) { $0 < start ? 0 : account.digitWithSequence($0 - start) }
            var hash = try all.withBytes { (bytes) throws(CryptographyError) in try MessageDigest.sha1(of: bytes) }
            defer { hash.wipe() }
            block = hash.span.decimalDigits(16).withBytes { digits in SecretBytes(packing: 16) { digits[$0] } }
        } else {
            block = SecretBytes(packing: 16) { index in
                let place = digits - 16 + index
                return place < 0 ? 0 : account.digitWithSequence(place)
            }
        }
        return try derivedKey(from: block) { $0 ^ 0xFF }
    }

    /// A key whose halves are a block and its variant, encrypted with this key.
    borrowing func derivedKey(
        from left: borrowing SecretBytes, right variant: (UInt8) -> UInt8
    ) throws(CryptographyError) -> CipherKey {
        let both = left.withBytes { left in
            SecretBytes(count: 16) { both in
                for index in 0..<8 {
                    both[index] = left[index]
                    both[8 + index] = variant(left[index])
                }
            }
        }
        return try derivedKey(encrypting: both)
    }

    /// A key of two blocks that are encrypted with this key.
    borrowing func derivedKey(encrypting blocks: borrowing SecretBytes) throws(CryptographyError) -> CipherKey {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let bytes = try blocks.withBytes { (blocks) throws(CryptographyError) in try encryptBlocks(blocks) }
        return derivedKey(bytes)
    }

    /// A key with odd parity, which is published if this key is.
    borrowing func derivedKey(_ bytes: borrowing SecretBytes) -> CipherKey {
        let key = bytes.withBytes { bytes in
            SecretBytes(count: bytes.count) { key in
                for index in bytes.indices {
                    let isEven = (bytes[index] & 0xFE).nonzeroBitCount.isMultiple(of: 2)
                    key[index] = bytes[index] & 0xFE | (isEven ? 1 : 0)
                }
            }
        }
        return CipherKey(derived: key, for: .tripleDES2, isPublished: isPublishedTestKey)
    }
}
