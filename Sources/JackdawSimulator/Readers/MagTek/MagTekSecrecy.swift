import JackdawReaders

/// How MagTek's readers encrypt a swipe, whatever carries it.
struct MagTekSecrecy: Sendable {
    /// A swipe, encrypted.
    struct Swipe {
        let masked: [[UInt8]]
        let tracks: [[UInt8]]
        let magnePrint: [UInt8]
        let session: [UInt8]
        let keySerialNumber: [UInt8]
    }

    let cipher: any SwipeCipher
    /// The stripe's fingerprint.
    let magnePrint: [UInt8]

    /// What the reader says of the fingerprint: that it takes one.
    static let magnePrintStatus: [UInt8] = [0xA1, 0x05, 0x00, 0x00]

    /// What the reader says of how it encrypts; all of a swipe is encrypted alike.
    func status(isExhausted: Bool) -> MagTekSwipe.EncryptionStatus {
        var status: MagTekSwipe.EncryptionStatus = [.hasKey, .isEncrypting]
        if isExhausted { status.insert(.isExhausted) }
        if !cipher.usesPINKey { status.formUnion([.usesDataVariant, .usesDataVariantForMagnePrint]) }
        return status
    }

    /// Encrypts a swipe; a track that is not there stays away.
    /// - Returns: nil where no key is left.
    func encrypt(_ tracks: [[UInt8]]) -> Swipe? {
        let session = [UInt8](repeating: 0, count: 8)
        guard let encrypted = cipher.encrypt(tracks + [magnePrint, session], by: .tripleDES) else { return nil }
        return Swipe(
            masked: tracks.map(Self.masked), tracks: Array(encrypted.parts[..<3]), magnePrint: encrypted.parts[3],
            session: encrypted.parts[4], keySerialNumber: encrypted.keySerialNumber)
    }

    /// A track as the reader shows it; `E` in place of one that was not read stays.
    static func masked(_ track: [UInt8]) -> [UInt8] {
        MagTekSwipe.isUnread(track.span) ? track : TrackMask.zeros(track)
    }

    /// The fields of a line, of which all but the status are empty where no key is left.
    func fields(of tracks: [[UInt8]], serialNumber: [UInt8]) -> [[UInt8]] {
        func digits(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { Array($0.hexadecimal.utf8) } }
        let swipe = encrypt(tracks)
        let status = status(isExhausted: swipe == nil).rawValue
        let statusDigits = digits([UInt8(status & 0xFF), UInt8(status >> 8)])
        guard let swipe else {
            return [[], statusDigits] + [[UInt8]](repeating: [], count: 5) + [serialNumber, [], []]
        }
        return [swipe.masked.flatMap(\.self), statusDigits] + swipe.tracks.map(digits)
            + [Self.magnePrintStatus, swipe.magnePrint].map(digits) + [serialNumber]
            + [swipe.session, swipe.keySerialNumber].map(digits)
    }
}
