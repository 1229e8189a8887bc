public import JackdawEMV

/// The calculations of offline data authentication, by libcrypto.
///
/// ```swift
/// let keys = try AuthorityKeys(json: file, mode: .live).authenticationKeys(on: today)
/// let authentication = OfflineAuthentication(LibCryptoPrimitives(), keys: keys, date: today)
/// ```
public struct LibCryptoPrimitives: AuthenticationPrimitives {
    /// Creates the calculations; they have no state.
    public init() {}

    public func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { try? key.apply(to: block.span) }

    /// The SHA-1 digest of bytes: 20 bytes; none if libcrypto has no SHA-1, so that no card is authentic.
    public func sha1(_ bytes: [UInt8]) -> [UInt8] { (try? MessageDigest.sha1(of: bytes.span)) ?? [] }
}
