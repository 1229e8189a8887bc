import JackdawCards
import JackdawReaders

/// Converts between bytes and hexadecimal digits, which some readers send and people write.
enum HexadecimalDigits {
    /// The bytes of digits that are not secret.
    static func bytes(of digits: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try secretBytes(of: digits).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// The bytes of digits, in memory that is wiped after use.
    /// - Throws: ``CryptographyError`` with code `digit` or `length`.
    static func secretBytes(of digits: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        guard digits.count.isMultiple(of: 2) else {
            throw CryptographyError(.length, "an odd number of hexadecimal digits")
        }
        return try SecretBytes(count: digits.count / 2) { (bytes) throws(CryptographyError) in
            for index in digits.indices {
                guard let digit = digits[index].digitValue else {
                    throw CryptographyError(.digit, "character \(index + 1) is not a hexadecimal digit")
                }
                bytes[index / 2] = bytes[index / 2] << 4 | digit
            }
        }
    }

    /// Two upper-case digits for each byte.
    static func text(of bytes: [UInt8]) -> String { bytes.map(\.hexadecimal).joined() }
}
