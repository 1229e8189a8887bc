package import JackdawReaders

/// The scheme that selects the key with which a reader encrypts tracks.
public enum KeyScheme: String, Sendable, Hashable, CaseIterable {
    /// One fixed key for all swipes.
    case fixed
    /// Triple DES DUKPT, the PIN variant: MagTek's readers by default.
    case pin
    /// Triple DES DUKPT, the key for data from the reader: ID TECH's readers.
    case dataRequest = "data-request"
    /// Triple DES DUKPT, the key for data to the reader.
    case dataResponse = "data-response"
    /// Triple DES DUKPT, the data variant without the one-way function.
    case plainDataRequest = "plain-data-request"
    /// AES DUKPT, the AES-128 key for data that the reader encrypts.
    case aesDataEncryption = "aes-data-encryption"

    /// The scheme of ID TECH's readers, from their manuals and the swipes printed there.
    public static var idTech: KeyScheme { .dataRequest }

    /// The scheme of MagTek's readers, from their manual; a status bit of each swipe selects one of two.
    /// - Parameter status: the encryption status of the swipe.
    /// - Returns: the scheme of its tracks.
    package static func magTek(_ status: MagTekSwipe.EncryptionStatus) -> KeyScheme {
        status.contains(.usesDataVariant) ? .dataRequest : .pin
    }

    /// The scheme of IPS's readers: a fixed key is used unchanged; the use of DUKPT keys is not published.
    /// - Parameter management: the key management of the swipe.
    /// - Returns: the scheme; nil if it is not known.
    package static func ips(_ management: IPSSwipe.KeyManagement) -> KeyScheme? {
        management == .fixed ? .fixed : nil
    }

    /// The scheme of a family's readers, if their maker has published it: for MagTek's readers the default.
    /// - Parameter family: the family's name.
    /// - Returns: the scheme; nil if it is not published, or the family's readers do not encrypt.
    public static func published(for family: String) -> KeyScheme? {
        ReaderFamily.named(family)?.encryption.flatMap { KeyScheme($0) }
    }

    /// The scheme that a family declares; nil if no scheme has its name.
    init?(_ encryption: SwipeEncryption) { self.init(rawValue: encryption.scheme) }

    /// Derives the key of one swipe.
    /// - Parameters:
    ///   - base: the base derivation key, or the fixed key itself.
    ///   - serialNumber: the serial number that the reader sent; ignored for a fixed key.
    /// - Returns: the key that encrypts the tracks.
    /// - Throws: ``CryptographyError`` with code `length` if the serial number has an invalid length, `counter`,
    ///   `exhausted`, `algorithm` or `library`.
    public func workingKey(
        from base: borrowing CipherKey, serialNumber: Span<UInt8>
    ) throws(CryptographyError) -> CipherKey {
        let usage: TripleDESKeyUsage
        switch self {
        case .fixed: return try base.repurposed(for: base.algorithm)
        case .aesDataEncryption:
            return try AESDerivation.workingKey(
                for: .dataEncryption, .aes128, fromBase: base, serialNumber: AESKeySerialNumber(serialNumber))
        case .pin: usage = .pin
        case .dataRequest: usage = .dataRequest
        case .dataResponse: usage = .dataResponse
        case .plainDataRequest: usage = .plainDataRequest
        }
        return try TripleDESDerivation.workingKey(
            for: usage, from: base, serialNumber: KeySerialNumber(serialNumber))
    }

    /// The algorithm of a base derivation key of this number of bytes; nil if there is none.
    func algorithm(ofSize size: Int) -> KeyAlgorithm? {
        switch self {
        case .aesDataEncryption: .aes(size: size)
        case .fixed: .tripleDES(size: size)
        case .pin, .dataRequest, .dataResponse, .plainDataRequest: size == 16 ? .tripleDES2 : nil
        }
    }
}
