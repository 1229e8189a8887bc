import JackdawCards
public import JackdawReaders

/// Distinguishes a track from the bytes that a wrong key leaves.
enum TrackCheck {
    private static let endSentinel = UInt8(ascii: "?")
    /// Which characters a track begins with: those of MagTek's readers, and on track 3 those of ISO 4909 and AAMVA, too.
    private static let startSentinels = MagTekSwipe.startSentinels.merging([3: Array(";%".utf8)]) { $0 + $1 }

    /// Where a track ends: after the last byte that is no padding.
    static func end(of plaintext: Span<UInt8>) -> Int {
        (plaintext.indices.last { plaintext[$0] != 0 } ?? -1) + 1
    }

    /// Checks that everything from a place on is zero.
    static func padding(of plaintext: Span<UInt8>, from start: Int) throws(DecryptionError) {
        for index in start..<max(start, plaintext.count) where plaintext[index] != 0 {
            throw DecryptionError(
                .padding, "bytes after the tracks are not zero: the key is another one, or the frame damaged"
            )
        }
    }

    /// Reads a track.
    /// - Parameters:
    ///   - number: which one, 1 to 3.
    ///   - characters: all of it, without padding.
    ///   - hash: its SHA-1 as the frame has it; nil where it has none.
    ///   - hasSentinels: whether the card is of a kind that has them; of others only the hash speaks for them.
    /// - Returns: the track.
    /// - Throws: ``DecryptionError`` with code `hash` or `text`.
    static func track(
        _ number: Int, _ characters: Span<UInt8>, hash: Span<UInt8>? = nil, hasSentinels: Bool = true
    ) throws(DecryptionError) -> DecryptedTrack {
        if let hash {
            let found = try MessageDigest.sha1(of: characters)
            guard found.count == hash.count, found.indices.allSatisfy({ found[$0] == hash[$0] }) else {
                throw DecryptionError(
                    .hash,
                    "the SHA-1 of track \(number) is not the frame's: the key is another one, or the frame damaged")
            }
        }
        let isProven = hash != nil
        guard hasSentinels || !isProven else {
            return DecryptedTrack(
                number: number, text: SecretText(copying: characters), redundancyCheck: nil, isHashChecked: true)
        }
        let end = try end(ofText: characters, number)
        let text = characters.extracting(first: end)
        let check = end < characters.count ? characters[end] : nil
        if let check, !isProven, check != redundancyCheck(of: text) {
            throw failure(number, "another LRC than its characters")
        }
        return DecryptedTrack(
            number: number, text: SecretText(copying: text), redundancyCheck: check, isHashChecked: isProven)
    }

    /// A track that was not encrypted: no check of a key applies to it.
    /// - Parameters:
    ///   - number: which one, 1 to 3.
    ///   - characters: all of it.
    /// - Returns: its text to the end sentinel; all of it if it has no sentinels.
    static func trackInClear(_ number: Int, _ characters: Span<UInt8>) -> DecryptedTrack {
        let end = (try? end(ofText: characters, number)) ?? characters.count
        return DecryptedTrack(
            number: number, text: SecretText(copying: characters.extracting(first: end)),
            redundancyCheck: end < characters.count ? characters[end] : nil, wasEncrypted: false,
            isHashChecked: false)
    }

    /// Where the text ends: after the end sentinel, which at most one character follows.
    private static func end(ofText characters: Span<UInt8>, _ number: Int) throws(DecryptionError) -> Int {
        guard characters.count > 1, startSentinels[number]?.contains(characters[0]) == true else {
            throw failure(number, "no start sentinel")
        }
        guard characters.indices.allSatisfy({ (0x20...0x5F).contains(characters[$0]) }) else {
            throw failure(number, "characters that no track has")
        }
        guard let end = characters.indices.first(where: { characters[$0] == endSentinel }),
            end + 2 >= characters.count
        else { throw failure(number, "no end sentinel where it ends") }
        return end + 1
    }

    /// The character that makes each column of bits even, by the code that the start sentinel belongs to. It is its own code: the encoder that
    /// tests make tracks with has another.
    private static func redundancyCheck(of text: Span<UInt8>) -> UInt8 {
        let (first, columns): (UInt8, UInt8) =
            text[0] == UInt8(ascii: ";") || text[0] == UInt8(ascii: "+")
            ? (0x30, 0x0F) : (0x20, 0x3F)
        var sum: UInt8 = 0
        for index in text.indices { sum ^= text[index] &- first }
        return sum & columns + first
    }

    private static func failure(_ number: Int, _ fault: String) -> DecryptionError {
        DecryptionError(.text, "track \(number) has \(fault): the key is another one, or the frame damaged")
    }
}

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
    package static func magTek(_ status: MagTekSwipe.EncryptionStatus) -> KeyScheme {
        status.contains(.usesDataVariant) ? .dataRequest : .pin
    }

    /// IPS's readers: a fixed key is used as it is; how keys of DUKPT are used is not published.
    /// - Parameter management: what the swipe says.
    /// - Returns: the scheme; nil where it is not known.
    package static func ips(_ management: IPSSwipe.KeyManagement) -> KeyScheme? {
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
