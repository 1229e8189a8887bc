import JackdawCards
import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe of MagTek's eDynamo and tDynamo.
    /// - Parameter message: as `MagTekBlockJoiner` joins it: a kind, and a record after it.
    /// - Returns: the tracks, the MagnePrint and the session.
    /// - Throws: ``DecryptionError`` as ``decryptMagTek(_:)`` does.
    public borrowing func decryptEDynamo(_ message: Span<UInt8>) throws(DecryptionError) -> DecryptedSwipe {
        let kind = try Self.reading { () throws(FrameFault) in
            try MagTekPayloadFormat().check(message)
            return try MagTekPayloadFormat.kind(of: message)
        }
        guard kind.isCardData else { throw DecryptionError(.notEncrypted, "the message is no swipe") }
        let content = message.extracting(1...)
        guard kind.isShortened else { return try decryptRecord(content) }
        var whole = try Self.reading { () throws(FrameFault) in try MagTekRunLength.decode(content) }
        // A reader without a key has the tracks in it.
        defer { for index in whole.indices { whole[index] = 0 } }
        return try decryptRecord(whole.span)
    }

    borrowing func decryptRecord(_ record: Span<UInt8>) throws(DecryptionError) -> DecryptedSwipe {
        let layout = try Self.reading { () throws(FrameFault) in try MagTekCardRecord(record) }
        let number = record.extracting(layout.keySerialNumber)
        let ciphertexts = MagTekCiphertexts(
            encryption: layout.encryption, isEncrypted: layout.isEncrypted, tracks: layout.tracks.map(\.encrypted),
            magnePrint: layout.magnePrint, session: layout.session, keySerialNumber: number.indices.map { number[$0] })
        return try decrypt(ciphertexts) { (place) throws(DecryptionError) in
            SecretBytes(copying: record.extracting(place))
        }
    }
}
