public import JackdawReaders

/// By which key a reader encrypts tracks.
public enum KeyScheme: String, Sendable, Hashable, CaseIterable {
    /// One key, the same always.
    case fixed
    /// DUKPT with triple DES, the variant for PINs: MagTek's readers unless they are set otherwise.
    case pin
    /// DUKPT with triple DES, the key for data of the reader: ID TECH's.
    case dataRequest = "data-request"
    /// DUKPT with triple DES, the key for data to the reader.
    case dataResponse = "data-response"
    /// DUKPT with triple DES, the variant for data without the one-way function.
    case plainDataRequest = "plain-data-request"
    /// DUKPT with AES, the key of AES-128 for data that the reader encrypts.
    case aesDataEncryption = "aes-data-encryption"

    /// ID TECH's readers, by their manuals and the swipes that these print.
    public static var idTech: KeyScheme { .dataRequest }

    /// MagTek's readers, by their manual; a bit of each swipe says which of two it is.
    /// - Parameter status: the swipe's.
    /// - Returns: the scheme of its tracks.
    public static func magTek(_ status: MagTekSwipe.EncryptionStatus) -> KeyScheme {
        status.contains(.usesDataVariant) ? .dataRequest : .pin
    }

    /// IPS's readers: a fixed key is used as it is; how keys of DUKPT are used is not published.
    /// - Parameter management: what the swipe says.
    /// - Returns: the scheme; nil where it is not known.
    public static func ips(_ management: IPSSwipe.KeyManagement) -> KeyScheme? {
        management == .fixed ? .fixed : nil
    }

    /// By which key the readers of a family encrypt, if their makers say it: MagTek's unless they are set otherwise.
    /// - Parameter family: its name.
    /// - Returns: the scheme; nil if it is not published, or the family's readers encrypt nothing.
    public static func published(for family: String) -> KeyScheme? {
        switch ReaderFamily.named(family)?.encryption {
        case .idTech: .idTech
        case .magTekLine, .magTekRecord: .magTek([])
        case .ips: .fixed
        case nil: nil
        }
    }

    /// The key of one swipe.
    /// - Parameters:
    ///   - base: the base derivation key, or the fixed key itself.
    ///   - serialNumber: as the reader sent it; not looked at with a fixed key.
    /// - Returns: what the tracks are encrypted by.
    /// - Throws: ``DecryptionError`` with code `length` where the serial number is none, `counter`, `exhausted`, `algorithm`
    ///   or `library`.
    public func workingKey(
        from base: borrowing CipherKey, serialNumber: Span<UInt8>
    ) throws(DecryptionError) -> CipherKey {
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

    /// What a base derivation key of so many bytes is for; nil where there is none.
    func algorithm(ofSize size: Int) -> KeyAlgorithm? {
        switch self {
        case .aesDataEncryption: .aes(size: size)
        case .fixed: .tripleDES(size: size)
        case .pin, .dataRequest, .dataResponse, .plainDataRequest: size == 16 ? .tripleDES2 : nil
        }
    }
}
