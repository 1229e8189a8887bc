// The event of a card that a reader has read.
public import JackdawCards

extension CardEvent {
    /// The event of a swipe that a reader sent, with the fields that the reader did not encrypt. A track of which the
    /// reader sent a masked and an encrypted form is a masked track.
    /// - Parameters:
    ///   - swipe: the swipe.
    ///   - source: the kind of reader.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil if it is not known.
    public init(_ swipe: ReaderSwipe, source: Source, time: Duration? = nil) {
        var separate = SeparateFields()
        separate.maskedNumber = swipe.maskedNumber
        separate.name =
            swipe.withPart(.cardholderName) { (name) -> CardholderName? in
                let isBlank = name.indices.allSatisfy { name[$0] == UInt8(ascii: " ") }
                return isBlank ? nil : CardholderName(payment: SecretText(copying: name))
            } ?? nil
        separate.expiry =
            swipe.withPart(.expiry) { (digits) -> Expiry? in
                guard digits.count == 2, digits.indices.allSatisfy({ digits[$0] >> 4 < 10 && digits[$0] & 15 < 10 })
                else { return nil }
                let values = digits.indices.map { Int(digits[$0] >> 4) * 10 + Int(digits[$0] & 15) }
                return Expiry(year: values[0], month: values[1])
            } ?? nil
        self.init(swipe.trackTexts, source: source, time: time, separate: separate)
    }
}

extension ReaderSwipe {
    /// The tracks in the order of their numbers.
    fileprivate var trackTexts: [CardEvent.TrackText] {
        var texts = (1...3).compactMap { (number) -> CardEvent.TrackText? in
            withPart(.track(number)) { CardEvent.TrackText(number, $0.extracting(first: Self.length(of: $0))) }
                ?? withPart(.maskedTrack(number)) { CardEvent.TrackText(masked: number, $0) }
                ?? withPart(.encryptedTrack(number)) { _ in CardEvent.TrackText(encrypted: number) }
        }
        if texts.isEmpty { texts = withPart(.packedTracks, Self.unpackedTracks) ?? [] }
        if texts.isEmpty, parts.contains(.encryptedTracks) { texts = [CardEvent.TrackText(encrypted: nil)] }
        return texts
    }

    /// The number of characters up to the end sentinel, without the check character (LRC) that some readers send after
    /// it; all characters if more follow.
    private static func length(of track: Span<UInt8>) -> Int {
        let length = lengthToEndSentinel(track)
        return track.count - length <= 1 ? length : track.count
    }

    /// The number of characters up to the end sentinel; all characters without one.
    private static func lengthToEndSentinel(_ track: Span<UInt8>) -> Int {
        track.indices.first { track[$0] == UInt8(ascii: "?") }.map { $0 + 1 } ?? track.count
    }

    // MARK: Packed tracks

    /// The place of track 2 in ``Part/packedTracks``, 4 bits a character.
    package static let packedTrack2 = 0..<20
    /// The place of track 1, 6 bits a character, or of track 3, 4 bits a character.
    package static let packedOther = 20..<80

    /// Unpacks the characters of a track, the highest bits first.
    /// - Parameters:
    ///   - packed: the bytes.
    ///   - bits: the bits of a character: 6 for track 1, 4 for the others.
    /// - Returns: the characters, with the padding after the track.
    package static func unpacked(_ packed: Span<UInt8>, bits: Int) -> SecretBytes {
        let first: UInt8 = bits == 6 ? 0x20 : 0x30
        return SecretBytes(count: packed.count * 8 / bits) { characters in
            for place in 0..<characters.count * bits {
                let bit = packed[place / 8] >> (7 - place % 8) & 1
                characters[place / bits] = characters[place / bits] << 1 | bit
            }
            for index in characters.indices { characters[index] += first }
        }
    }

    /// The tracks whose start sentinel is in its place.
    private static func unpackedTracks(_ packed: Span<UInt8>) -> [CardEvent.TrackText] {
        guard packed.count >= packedOther.upperBound else { return [] }
        let other = packed.extracting(packedOther)
        return [
            unpackedTrack(1, other, bits: 6, startSentinel: UInt8(ascii: "%")),
            unpackedTrack(2, packed.extracting(packedTrack2), bits: 4, startSentinel: UInt8(ascii: ";")),
            unpackedTrack(3, other, bits: 4, startSentinel: UInt8(ascii: ";")),
        ].compactMap(\.self)
    }

    private static func unpackedTrack(
        _ number: Int, _ packed: Span<UInt8>, bits: Int, startSentinel: UInt8
    ) -> CardEvent.TrackText? {
        let text = unpacked(packed, bits: bits)
        return text.withBytes { (characters) -> CardEvent.TrackText? in
            guard characters.count > 0, characters[0] == startSentinel else { return nil }
            return CardEvent.TrackText(number, characters.extracting(first: lengthToEndSentinel(characters)))
        }
    }
}
