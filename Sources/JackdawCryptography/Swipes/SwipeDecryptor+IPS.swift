import JackdawBytes
import JackdawCards
import JackdawReaders

extension SwipeDecryptor {
    /// Decrypts a swipe in the presumed layout of IPS's readers.
    ///
    /// Only fixed keys are known to work; for DUKPT the caller must choose a scheme.
    /// - Parameter frame: the bytes from `60` to the CRC, as `IPSFormat` delimits them.
    /// - Returns: the tracks.
    /// - Throws: ``CryptographyError`` with code `frame`, `notEncrypted`, `unknownScheme`, `counter`, `exhausted`,
    ///   `length`, `algorithm`, `padding`, `text`, `mismatch` if a track contradicts the frame or the other track, or
    ///   `library`.
    public borrowing func decryptIPS(_ frame: Span<UInt8>) throws(CryptographyError) -> DecryptedSwipe {
        let swipe = try Self.reading { () throws(FrameFault) in
            try IPSFormat().check(frame)
            return try IPSSwipe(frame)
        }
        guard swipe.keyManagement != .plain else {
            throw CryptographyError(.notEncrypted, "the reader did not encrypt the swipe")
        }
        let serialNumber = frame.extracting(swipe.keySerialNumber)
        let scheme = KeyScheme.ips(swipe.keyManagement)
        let key = try workingKey(scheme, serialNumber: serialNumber)
        let packed = try key.decryptBlocks(frame.extracting(swipe.encrypted))
        var tracks: [DecryptedTrack] = []
        for number in swipe.tracks {
            // If a swipe has both, track 1 occupies the place of track 3.
            guard number != 3 || !swipe.tracks.contains(1) else { continue }
            let place = number == 2 ? swipe.packedTrack2 : swipe.packedOther
            let track = try packed.withBytes { (packed) throws(CryptographyError) in
                try Self.track(number, packed.extracting(place), bits: number == 1 ? 6 : 4)
            }
            try Self.check(track, against: swipe, in: frame)
            tracks.append(track)
        }
        let numbers = tracks.filter { $0.number != 3 }.compactMap { $0.content?.pan }
        guard numbers.allSatisfy({ $0 == numbers.first }) else {
            throw CryptographyError(.mismatch, "tracks 1 and 2 have different account numbers")
        }
        return DecryptedSwipe(
            tracks,
            keySerialNumber: isDeriving(scheme) ? serialNumber.indices.map { serialNumber[$0] } : nil)
    }

    /// A track with packed characters, the highest bits first. Zeros or more end sentinels follow it.
    private static func track(
        _ number: Int, _ packed: Span<UInt8>, bits: Int
    ) throws(CryptographyError) -> DecryptedTrack {
        let first: UInt8 = bits == 6 ? 0x20 : 0x30
        let endSentinel = UInt8(ascii: "?")
        let characters = ReaderSwipe.unpacked(packed, bits: bits)
        return try characters.withBytes { (characters) throws(CryptographyError) in
            let last = characters.indices.first { characters[$0] == endSentinel } ?? characters.count - 1
            for index in last..<characters.count where characters[index] != first && characters[index] != endSentinel {
                throw CryptographyError(
                    .padding, "track \(number) is not followed by padding: the key is wrong, or the frame is damaged")
            }
            return try TrackCheck.track(number, characters.extracting(first: last + 1))
        }
    }

    /// Checks the track against the frame's data in clear, as far as the track has the same data.
    private static func check(
        _ track: DecryptedTrack, against swipe: IPSSwipe, in frame: Span<UInt8>
    ) throws(CryptographyError) {
        guard swipe.accountNumberCount > 0 else { return }
        guard let content = track.content, let number = content.pan else {
            // Only track 3 may have no account number.
            guard track.number == 3 else {
                throw CryptographyError(
                    .mismatch, "track \(track.number) has no account number, but the frame has one")
            }
            return
        }
        let isSameNumber = number.withRevealedDigits { digits in
            digits.count == swipe.accountNumberCount
                && isSame(digits.extracting(first: 6), frame.extracting(swipe.issuer))
                && isSame(digits.extracting(last: 4), frame.extracting(swipe.lastDigits))
        }
        let expiry = frame.extracting(swipe.expiry)
        let isSameExpiry = content.expiry.map { [expiry[0], expiry[1]].hexadecimal == $0.text }
        // Each block is decrypted separately: a damaged block changes middle digits, which the frame does not have in
        // clear.
        guard isSameNumber, number.isLuhnValid, isSameExpiry ?? true else {
            throw CryptographyError(.mismatch, "track \(track.number) and the frame are of different cards")
        }
    }

    /// Whether the digits equal those of packed bytes, two digits in each.
    private static func isSame(_ digits: Span<UInt8>, _ packed: Span<UInt8>) -> Bool {
        digits.indices.allSatisfy { index in
            let byte = packed[index / 2]
            return digits[index] == UInt8(ascii: "0") + (index.isMultiple(of: 2) ? byte >> 4 : byte & 15)
        }
    }
}
