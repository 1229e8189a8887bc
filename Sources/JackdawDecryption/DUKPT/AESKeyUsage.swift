/// What a working key of X9.24-3 is for, as the standard numbers it.
public enum AESKeyUsage: UInt16, Sendable, Hashable, CaseIterable {
    /// Encrypting other keys.
    case keyEncryption = 0x0002
    /// PINs.
    case pin = 0x1000
    /// Codes that the reader makes.
    case macGeneration = 0x2000
    /// Codes that the reader checks.
    case macVerification = 0x2001
    /// Codes both ways.
    case mac = 0x2002
    /// Data that the reader encrypts.
    case dataEncryption = 0x3000
    /// Data that the reader decrypts.
    case dataDecryption = 0x3001
    /// Data both ways.
    case data = 0x3002
}
