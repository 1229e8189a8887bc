import JackdawCards
public import JackdawEMV

/// The calculations of offline data authentication, by libcrypto.
///
/// ```swift
/// let keys = try AuthorityKeys(json: file, mode: .live).authenticationKeys(on: today)
/// let authentication = OfflineAuthentication(LibCryptoPrimitives(mode: .live), keys: keys, date: today)
/// ```
public struct LibCryptoPrimitives: AuthenticationPrimitives {
    let mode: CardMode

    /// Creates the calculations for cards of a mode.
    /// - Parameter mode: live cards or test cards.
    public init(mode: CardMode) { self.mode = mode }

    /// Applies a public key to a block.
    /// - Parameters:
    ///   - block: as many bytes as the modulus has, the highest first.
    ///   - key: the public key.
    /// - Returns: as many bytes; nil if the key cannot be used, or if it is a published test key of a certification
    ///   authority and the mode is live cards.
    public func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? {
        guard allows(key), let recovered = try? key.apply(to: block.span) else { return nil }
        return recovered.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Whether a key may be used in the mode. The keys of a kernel need not come from `AuthorityKeys`.
    func allows(_ key: RSAPublicKey) -> Bool {
        let modulus = Array(key.modulus.drop { $0 == 0 })
        return mode == .test || (try? PublishedAuthorityKey.contains(modulus, of: nil)) == false
    }

    /// The SHA-1 digest of bytes: 20 bytes; none if libcrypto has no SHA-1, so that no card is authentic.
    public func sha1(_ bytes: [UInt8]) -> [UInt8] { (try? MessageDigest.sha1(of: bytes.span)) ?? [] }
}
