import JackdawBytes
import JackdawCards
import JackdawReaders

/// The encrypted parts of a swipe of a MagneSafe reader, and their places in the message.
struct MagTekCiphertexts {
    let encryption: MagTekSwipe.EncryptionStatus
    /// Whether the tracks are encrypted.
    let isEncrypted: Bool
    /// The places of tracks 1 to 3; empty for a track that is missing or was not read.
    let tracks: [Range<Int>]
    let magnePrint: Range<Int>
    let session: Range<Int>
    let keySerialNumber: [UInt8]
}

extension SwipeDecryptor {
    /// The length of a MagnePrint in bytes; the reader pads it with zeros to whole blocks.
    private static let magnePrintSize = 54

    /// Decrypts a swipe of MagTek's MagneSafe readers.
    /// - Parameter line: the text line with its carriage return, as `MagTekFormat` delimits it.
    /// - Returns: the tracks, the MagnePrint and the session.
    /// - Throws: ``CryptographyError`` with code `frame`, `notEncrypted`, `counter`, `exhausted`, `length`,
    ///   `algorithm`, `unknownScheme` if the tracks are encrypted by the secondary key and the caller has chosen no
    ///   scheme, `text` or `library`. An error of the MagnePrint is not
    ///   thrown: ``DecryptedSwipe/magnePrintFailure`` has it.
    public borrowing func decryptMagTek(_ line: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try MagTekFormat(.answer).check(line)
            return try MagTekSwipe(line)
        }
        let ciphertexts = MagTekCiphertexts(
            encryption: swipe.encryption, isEncrypted: swipe.isEncrypted,
            tracks: swipe.encryptedTracks.map { place in
                MagTekSwipe.isUnread(field: line.extracting(place)) ? place.lowerBound..<place.lowerBound : place
            },
            magnePrint: swipe.magnePrint, session: swipe.session,
            keySerialNumber: try HexadecimalDigits.bytes(of: line.extracting(swipe.keySerialNumber)))
        return try decrypt(ciphertexts) { (place) throws(CryptographyError) in
            try HexadecimalDigits.secretBytes(of: line.extracting(place))
        }
    }

    /// Decrypts the encrypted parts of a MagneSafe reader's swipe.
    /// - Parameters:
    ///   - swipe: the encrypted parts and their places.
    ///   - read: returns the bytes of a place.
    /// - Returns: the tracks, the MagnePrint and the session.
    /// - Throws: ``CryptographyError``, with the codes of ``decryptMagTek(_:)``.
    borrowing func decrypt(
        _ swipe: MagTekCiphertexts, _ read: (Range<Int>) throws(CryptographyError) -> SecretBytes
    ) throws(CryptographyError) -> DecryptedSwipe {
        guard !swipe.encryption.contains(.isExhausted) else {
            throw CryptographyError(.exhausted, "the reader has used its last key: it needs a new initial key")
        }
        guard swipe.isEncrypted else {
            throw CryptographyError(.notEncrypted, "the reader did not encrypt the swipe")
        }
        let serialNumber = swipe.keySerialNumber
        let scheme = swipe.encryption.contains(.usesSecondaryKey) ? nil : KeyScheme.magTek(swipe.encryption)
        let key = try workingKey(scheme, serialNumber: serialNumber.span)
        var tracks: [DecryptedTrack] = []
        for (index, place) in swipe.tracks.enumerated() where !place.isEmpty {
            let plaintext = try Self.decrypted(read(place), key)
            try plaintext.withBytes { (plaintext) throws(CryptographyError) in
                let characters = plaintext.extracting(first: TrackCheck.end(of: plaintext))
                guard !MagTekSwipe.isUnread(characters) else { return }
                tracks.append(try TrackCheck.track(index + 1, characters))
            }
        }
        var session: [UInt8]?
        if !swipe.session.isEmpty {
            let plaintext = try Self.decrypted(read(swipe.session), key)
            session = plaintext.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
        let number = isDeriving(scheme) ? serialNumber : nil
        do throws(CryptographyError) {
            let magnePrint = try magnePrint(of: swipe, serialNumber, read)
            return DecryptedSwipe(tracks, keySerialNumber: number, magnePrint: magnePrint, session: session)
        } catch {
            return DecryptedSwipe(tracks, keySerialNumber: number, magnePrintFailure: error, session: session)
        }
    }

    /// The MagnePrint; a status bit of its own selects its key.
    private borrowing func magnePrint(
        of swipe: MagTekCiphertexts, _ serialNumber: [UInt8],
        _ read: (Range<Int>) throws(CryptographyError) -> SecretBytes
    ) throws(CryptographyError) -> SecretBytes {
        guard !swipe.magnePrint.isEmpty else { return SecretBytes(count: 0) { _ in } }
        guard !swipe.encryption.contains(.usesSecondaryKeyForMagnePrint) else {
            throw CryptographyError(.unknownScheme, "the MagnePrint is encrypted with the reader's secondary key")
        }
        let scheme: KeyScheme = swipe.encryption.contains(.usesDataVariantForMagnePrint) ? .dataRequest : .pin
        let working = try scheme.workingKey(from: key, serialNumber: serialNumber.span)
        let plaintext = try Self.decrypted(read(swipe.magnePrint), working)
        return try plaintext.withBytes { (plaintext) throws(CryptographyError) in
            try TrackCheck.padding(of: plaintext, from: min(Self.magnePrintSize, plaintext.count))
            return SecretBytes(copying: plaintext.extracting(first: Self.magnePrintSize))
        }
    }

    private static func decrypted(
        _ ciphertext: borrowing SecretBytes, _ key: borrowing CipherKey
    ) throws(CryptographyError) -> SecretBytes {
        try ciphertext.withBytes { (ciphertext) throws(CryptographyError) in try key.decrypt(ciphertext) }
    }
}

extension SwipeDecryptor {
    /// Decrypts a swipe of MagTek's eDynamo and tDynamo.
    /// - Parameter message: a kind byte followed by a record, as `MagTekBlockJoiner` joins it.
    /// - Returns: the tracks, the MagnePrint and the session.
    /// - Throws: ``CryptographyError``, with the codes of ``decryptMagTek(_:)``.
    public borrowing func decryptEDynamo(_ message: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        let kind = try Self.reading { () throws(FrameFault) in
            try MagTekPayloadFormat().check(message)
            return try MagTekPayloadFormat.kind(of: message)
        }
        guard kind.isCardData else { throw CryptographyError(.notEncrypted, "the message is not a swipe") }
        let content = message.extracting(1...)
        guard kind.isShortened else { return try decryptRecord(content) }
        var whole = try Self.reading { () throws(FrameFault) in try MagTekRunLength.decode(content) }
        // A reader without a key sends its tracks in clear in this record.
        defer { whole.wipe() }
        return try decryptRecord(whole.span)
    }

    borrowing func decryptRecord(_ record: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        let layout = try Self.reading { () throws(FrameFault) in try MagTekCardRecord(record) }
        let number = record.extracting(layout.keySerialNumber)
        let ciphertexts = MagTekCiphertexts(
            encryption: layout.encryption, isEncrypted: layout.isEncrypted, tracks: layout.tracks.map(\.encrypted),
            magnePrint: layout.magnePrint, session: layout.session, keySerialNumber: number.indices.map { number[$0] })
        return try decrypt(ciphertexts) { (place) throws(CryptographyError) in
            SecretBytes(copying: record.extracting(place))
        }
    }
}
