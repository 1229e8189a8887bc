import JackdawCards
import JackdawReaders

/// Distinguishes a track from the output of a wrong key.
enum TrackCheck {
    private static let endSentinel = UInt8(ascii: "?")
    /// The start sentinels of each track: those of MagTek's readers, and on track 3 also those of ISO 4909 and AAMVA.
    private static let startSentinels = MagTekSwipe.startSentinels.merging([3: Array(";%".utf8)]) { $0 + $1 }

    /// The length without padding: up to the last byte that is not zero.
    static func end(of plaintext: Span<UInt8>) -> Int {
        (plaintext.indices.last { plaintext[$0] != 0 } ?? -1) + 1
    }

    /// Checks that all bytes from an index on are zero.
    static func padding(of plaintext: Span<UInt8>, from start: Int) throws(CryptographyError) {
        for index in start..<max(start, plaintext.count) where plaintext[index] != 0 {
            throw CryptographyError(
                .padding, "the bytes after the tracks are not zeros: the key is wrong, or the frame is damaged"
            )
        }
    }

    /// Checks and parses a decrypted track.
    /// - Parameters:
    ///   - number: the track's number, 1 to 3.
    ///   - characters: the complete track, without padding.
    ///   - hash: the track's SHA-1 in the frame; nil if the frame has none.
    ///   - hasSentinels: whether cards of this kind have sentinels; without them, only the hash verifies the track.
    /// - Returns: the track.
    /// - Throws: ``CryptographyError`` with code `hash` or `text`.
    static func track(
        _ number: Int, _ characters: Span<UInt8>, hash: Span<UInt8>? = nil, hasSentinels: Bool = true
    ) throws(CryptographyError) -> DecryptedTrack {
        if let hash {
            let found = try MessageDigest.sha1(of: characters)
            guard found.count == hash.count, found.indices.allSatisfy({ found[$0] == hash[$0] }) else {
                throw CryptographyError(
                    .hash,
                    "the SHA-1 of track \(number) is not the frame's: the key is wrong, or the frame is damaged")
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
            throw failure(number, "an LRC that does not match its characters")
        }
        return DecryptedTrack(
            number: number, text: SecretText(copying: text), redundancyCheck: check, isHashChecked: isProven)
    }

    /// Creates a track that the reader sent in clear, which needs no check of a key.
    /// - Parameters:
    ///   - number: the track's number, 1 to 3.
    ///   - characters: the complete track.
    /// - Returns: a track with the text up to the end sentinel, or all of it without sentinels.
    static func trackInClear(_ number: Int, _ characters: Span<UInt8>) -> DecryptedTrack {
        let end = (try? end(ofText: characters, number)) ?? characters.count
        return DecryptedTrack(
            number: number, text: SecretText(copying: characters.extracting(first: end)),
            redundancyCheck: end < characters.count ? characters[end] : nil, wasEncrypted: false,
            isHashChecked: false)
    }

    /// The index after the end sentinel; at most one character may follow it.
    private static func end(ofText characters: Span<UInt8>, _ number: Int) throws(CryptographyError) -> Int {
        guard characters.count > 1, startSentinels[number]?.contains(characters[0]) == true else {
            throw failure(number, "no start sentinel")
        }
        guard characters.indices.allSatisfy({ (0x20...0x5F).contains(characters[$0]) }) else {
            throw failure(number, "characters outside the track's code")
        }
        guard let end = characters.indices.first(where: { characters[$0] == endSentinel }),
            end + 2 >= characters.count
        else { throw failure(number, "no end sentinel at its end") }
        return end + 1
    }

    /// The LRC: the character that makes each bit column even, in the code of the start sentinel. Independent of the
    /// code that generates tracks, with which the tests check this function.
    private static func redundancyCheck(of text: Span<UInt8>) -> UInt8 {
        let (first, columns): (UInt8, UInt8) =
            text[0] == UInt8(ascii: ";") || text[0] == UInt8(ascii: "+")
            ? (0x30, 0x0F) : (0x20, 0x3F)
        var sum: UInt8 = 0
        for index in text.indices { sum ^= text[index] &- first }
        return sum & columns + first
    }

    private static func failure(_ number: Int, _ fault: String) -> CryptographyError {
        CryptographyError(.text, "track \(number) has \(fault): the key is wrong, or the frame is damaged")
    }
}
