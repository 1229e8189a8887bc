/// What a key is for.
public enum KeyAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// Triple DES with two keys, 16 bytes.
    case tripleDES2 = "2TDEA"
    /// Triple DES with three keys, 24 bytes.
    case tripleDES3 = "3TDEA"
    /// AES with 16 bytes.
    case aes128 = "AES-128"
    /// AES with 24 bytes.
    case aes192 = "AES-192"
    /// AES with 32 bytes.
    case aes256 = "AES-256"
    /// HMAC with 16 bytes.
    case hmac128 = "HMAC-128"
    /// HMAC with 24 bytes.
    case hmac192 = "HMAC-192"
    /// HMAC with 32 bytes.
    case hmac256 = "HMAC-256"

    /// Bytes of a key.
    public var size: Int {
        switch self {
        case .tripleDES2, .aes128, .hmac128: 16
        case .tripleDES3, .aes192, .hmac192: 24
        case .aes256, .hmac256: 32
        }
    }

    /// Whether it is triple DES, whose keys have a parity bit in every byte.
    public var isTripleDES: Bool { self == .tripleDES2 || self == .tripleDES3 }

    /// Whether it is AES.
    public var isAES: Bool { [.aes128, .aes192, .aes256].contains(self) }

    /// AES with so many bytes of a key; nil where there is none.
    static func aes(size: Int) -> KeyAlgorithm? { allCases.first { $0.isAES && $0.size == size } }

    /// Triple DES with so many bytes of a key; nil where there is none.
    static func tripleDES(size: Int) -> KeyAlgorithm? { allCases.first { $0.isTripleDES && $0.size == size } }

    /// Bytes that are encrypted at once.
    var blockSize: Int { isTripleDES ? 8 : 16 }

    /// Bits that an attacker has to guess, as X9.24-3 counts them.
    var strength: Int {
        switch self {
        case .tripleDES2: 80
        case .tripleDES3: 112
        default: 8 * size
        }
    }

    /// What libcrypto calls the cipher; nil where it encrypts nothing. All of triple DES is the one with three keys.
    var cipherName: String? {
        switch self {
        case .tripleDES2, .tripleDES3: "DES-EDE3"
        case .aes128, .aes192, .aes256: rawValue
        case .hmac128, .hmac192, .hmac256: nil
        }
    }
}

extension KeyAlgorithm: CustomStringConvertible {
    /// As the standards call it.
    public var description: String { rawValue }
}
