/// The algorithm of a key, and the size of the key.
public enum KeyAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// Triple DES with two keys, 16 bytes.
    case tripleDES2 = "2TDEA"
    /// Triple DES with three keys, 24 bytes.
    case tripleDES3 = "3TDEA"
    /// AES with a key of 16 bytes.
    case aes128 = "AES-128"
    /// AES with a key of 24 bytes.
    case aes192 = "AES-192"
    /// AES with a key of 32 bytes.
    case aes256 = "AES-256"
    /// HMAC with a key of 16 bytes.
    case hmac128 = "HMAC-128"
    /// HMAC with a key of 24 bytes.
    case hmac192 = "HMAC-192"
    /// HMAC with a key of 32 bytes.
    case hmac256 = "HMAC-256"

    /// The length of a key, in bytes.
    public var size: Int {
        switch self {
        case .tripleDES2, .aes128, .hmac128: 16
        case .tripleDES3, .aes192, .hmac192: 24
        case .aes256, .hmac256: 32
        }
    }

    /// Whether the algorithm is triple DES, whose keys have a parity bit in every byte.
    public var isTripleDES: Bool { self == .tripleDES2 || self == .tripleDES3 }

    /// Whether the algorithm is AES, of any key size.
    public var isAES: Bool { self == .aes128 || self == .aes192 || self == .aes256 }

    /// AES with a key of this number of bytes; nil if AES has no such size.
    static func aes(size: Int) -> KeyAlgorithm? { allCases.first { $0.isAES && $0.size == size } }

    /// Triple DES with a key of this number of bytes; nil if triple DES has no such size.
    static func tripleDES(size: Int) -> KeyAlgorithm? { allCases.first { $0.isTripleDES && $0.size == size } }

    /// The block size, in bytes.
    var blockSize: Int { isTripleDES ? 8 : 16 }

    /// The security strength in bits, as X9.24-3 counts it.
    var strength: Int {
        switch self {
        case .tripleDES2: 80
        case .tripleDES3: 112
        default: 8 * size
        }
    }

    /// Whether the algorithm encrypts; false for HMAC.
    var isCipher: Bool { isTripleDES || isAES }

    /// The name of the libcrypto cipher; nil if the algorithm does not encrypt.
    var cipherName: String? {
        switch self {
        case .tripleDES2: "DES-EDE"
        case .tripleDES3: "DES-EDE3"
        case .aes128, .aes192, .aes256: rawValue
        case .hmac128, .hmac192, .hmac256: nil
        }
    }
}

extension KeyAlgorithm: CustomStringConvertible {
    /// The name in the standards.
    public var description: String { rawValue }
}
