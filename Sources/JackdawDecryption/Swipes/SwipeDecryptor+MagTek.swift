import JackdawCards
import JackdawReaders

extension SwipeDecryptor {
    /// Bytes of a MagnePrint; zeros make them whole blocks.
    private static let magnePrintSize = 54

    /// Decrypts a swipe of MagTek's MagneSafe readers.
    /// - Parameter line: with the carriage return at its end, as `MagTekFormat` tells it.
    /// - Returns: the tracks, the MagnePrint and the session.
    /// - Throws: ``DecryptionError`` with code `frame`, `notEncrypted`, `counter`, `exhausted`, `length`, `algorithm`,
    ///   `unknownScheme` where the tracks are encrypted by the secondary key and no scheme is named, `text` or `library`.
    ///   What is wrong with the MagnePrint is told apart, as ``DecryptedSwipe/magnePrintFailure``.
    public borrowing func decryptMagTek(_ line: Span<UInt8>) throws(DecryptionError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try MagTekFormat(.answer).check(line)
            return try MagTekSwipe(line)
        }
        guard !swipe.encryption.contains(.isExhausted) else {
            throw DecryptionError(.exhausted, "the reader has used its last key: it needs a new initial key")
        }
        guard swipe.encryption.contains(.isEncrypting), !swipe.keySerialNumber.isEmpty else {
            throw DecryptionError(.notEncrypted, "the reader has encrypted nothing")
        }
        let serialNumber = try HexadecimalDigits.bytes(of: line.extracting(swipe.keySerialNumber))
        let scheme = swipe.encryption.contains(.usesSecondaryKey) ? nil : KeyScheme.magTek(swipe.encryption)
        let key = try workingKey(scheme, serialNumber: serialNumber.span)
        var tracks: [DecryptedTrack] = []
        for (index, place) in swipe.encryptedTracks.enumerated() where !place.isEmpty {
            let plaintext = try Self.decrypted(line.extracting(place), key)
            try plaintext.withBytes { (plaintext) throws(DecryptionError) in
                let characters = plaintext.extracting(first: TrackCheck.end(of: plaintext))
                guard !TrackCheck.isUnread(characters) else { return }
                tracks.append(try TrackCheck.track(index + 1, characters))
            }
        }
        var session: [UInt8]?
        if !swipe.session.isEmpty {
            let plaintext = try Self.decrypted(line.extracting(swipe.session), key)
            session = plaintext.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
        let number = isDeriving(scheme) ? serialNumber : nil
        do throws(DecryptionError) {
            let magnePrint = try magnePrint(of: swipe, in: line, serialNumber)
            return DecryptedSwipe(tracks, keySerialNumber: number, magnePrint: magnePrint, session: session)
        } catch {
            return DecryptedSwipe(tracks, keySerialNumber: number, magnePrintFailure: error, session: session)
        }
    }

    /// The MagnePrint, which a bit of its own says the key of.
    private borrowing func magnePrint(
        of swipe: MagTekSwipe, in line: Span<UInt8>, _ serialNumber: [UInt8]
    ) throws(DecryptionError) -> SecretBytes {
        guard !swipe.magnePrint.isEmpty else { return SecretBytes(count: 0) { _ in } }
        guard !swipe.encryption.contains(.usesSecondaryKeyForMagnePrint) else {
            throw DecryptionError(.unknownScheme, "the MagnePrint is encrypted by the reader's secondary key")
        }
        let scheme: KeyScheme = swipe.encryption.contains(.usesDataVariantForMagnePrint) ? .dataRequest : .pin
        let working = try scheme.workingKey(from: key, serialNumber: serialNumber.span)
        let plaintext = try Self.decrypted(line.extracting(swipe.magnePrint), working)
        return try plaintext.withBytes { (plaintext) throws(DecryptionError) in
            try TrackCheck.padding(of: plaintext, from: min(Self.magnePrintSize, plaintext.count))
            return SecretBytes(copying: plaintext.extracting(first: Self.magnePrintSize))
        }
    }

    private static func decrypted(
        _ digits: Span<UInt8>, _ key: borrowing CipherKey
    ) throws(DecryptionError) -> SecretBytes {
        let ciphertext = try HexadecimalDigits.secretBytes(of: digits)
        return try ciphertext.withBytes { (ciphertext) throws(DecryptionError) in try key.decrypt(ciphertext) }
    }
}
