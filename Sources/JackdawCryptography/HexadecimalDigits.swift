import JackdawBytes
import JackdawCards

/// The bytes of hexadecimal digits, which some readers send and people write.
enum HexadecimalDigits {
    /// The bytes of digits that are not secret.
    static func bytes(of digits: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        try secretBytes(of: digits).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// The bytes of digits, in memory that is wiped after use.
    /// - Throws: ``CryptographyError`` with code `digit` or `length`.
    static func secretBytes(of digits: Span<UInt8>) throws(CryptographyError) -> SecretBytes {
        do throws(HexadecimalError) {
            return try SecretBytes(hexadecimal: digits)
        } catch {
            throw CryptographyError(error.code == .oddCount ? .length : .digit, error.message)
        }
    }
}
