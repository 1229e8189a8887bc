import JackdawDSP
import JackdawReaders

/// Makes swipes as ID TECH's stripe readers lay them out, which its NEO readers send, too.
struct IDTechSwipeMaker {
    let card: SimulatedCard
    /// Whether it was read; else it was only noticed.
    var isRead = true
    /// Whether it has the enhanced layout.
    var isEnhanced = true

    /// The frame of a swipe in clear.
    func frameInClear() -> [UInt8]? {
        let tracks = card.tracks.map { isRead ? Array($0.utf8) : [] }
        let flags = isEnhanced ? [present(tracks), 0] : []
        return frame(tracks, flags + tracks.joined())
    }

    /// The frame of an encrypted swipe. What is no bank card is sent in clear, as such readers do unless they are told to
    /// encrypt everything.
    /// - Returns: the frame; nil where there is no key for it.
    func frame(encryptedBy cipher: any SwipeCipher, _ kind: IDTechSwipe.Cipher) -> [UInt8]? {
        guard isRead, card.kind != .licence else { return frameInClear() }
        let tracks = card.tracks.map { $0.isEmpty ? [] : Array($0.utf8) + [Self.redundancyCheck(of: Array($0.utf8))] }
        let (present, masked) = (present(tracks), tracks.map(TrackMask.stars))
        // Tracks 1 and 2 go as one in the original layout, whose track 3 is in clear.
        let parts = isEnhanced ? tracks.filter { !$0.isEmpty } : [tracks[0] + tracks[1]]
        guard let encrypted = cipher.encrypt(parts, by: kind == .aes ? .aes : .tripleDES) else { return nil }
        var hashes: [UInt8] = []
        for track in isEnhanced ? tracks : Array(tracks.prefix(2)) where !track.isEmpty {
            guard let hash = cipher.hash(of: track) else { return nil }
            hashes += hash
        }
        let serialNumber = encrypted.keySerialNumber
        guard isEnhanced else {
            let noNumber = [UInt8](repeating: 0, count: 10)
            return frame(
                tracks,
                masked[0] + masked[1] + tracks[2] + encrypted.parts.joined() + hashes
                    + (serialNumber.isEmpty ? noNumber : serialNumber))
        }
        let sent = present & 0x03 | kind.rawValue << 4
        let follows = present | present << 3 | (serialNumber.isEmpty ? 0 : 0x80)
        return frame(
            tracks, [sent, follows] + masked[0] + masked[1] + encrypted.parts.joined() + hashes + serialNumber)
    }

    /// Kind, status and lengths, and what follows them.
    private func frame(_ tracks: [[UInt8]], _ rest: [UInt8]) -> [UInt8]? {
        let type: UInt8 = (card.kind == .licence ? 0x01 : 0x00) | (isEnhanced ? 0x80 : 0)
        // Read where it is there; noticed in any case.
        let status = 0x38 | present(tracks)
        return try? IDTechSwipeFormat.frame([type, status] + tracks.map { UInt8($0.count) } + rest)
    }

    private func present(_ tracks: [[UInt8]]) -> UInt8 {
        tracks.enumerated().reduce(UInt8(0)) { $1.element.isEmpty ? $0 : $0 | 1 << UInt8($1.offset) }
    }

    /// The character behind a track that makes each column of bits even (ISO 7811).
    private static func redundancyCheck(of text: [UInt8]) -> UInt8 {
        let code: CharacterCode = text[0] == UInt8(ascii: "%") ? .alphanumeric : .numeric
        return code.ascii(LongitudinalRedundancyCheck(of: text.compactMap(code.value(ofASCII:))).value)
    }
}
