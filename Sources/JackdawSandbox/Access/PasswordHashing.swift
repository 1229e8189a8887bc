public import JackdawEMV

/// Hashes passwords. A program supplies scrypt; the sandbox has no hash function of its own.
public protocol PasswordHashing: Sendable {
    /// Hashes a password with a salt.
    /// - Parameters:
    ///   - password: the password, 1 to 200 bytes.
    ///   - salt: 16 random octets.
    /// - Returns: text that has method, salt and hash, at most 200 bytes.
    func hash(_ password: SecretOctets, salt: [UInt8]) -> String

    /// Whether a password has a hash. The time must not depend on the password.
    func verify(_ password: SecretOctets, _ hash: String) -> Bool
}
