extension MagTekDialect {
    /// Hides tracks, what was encrypted and the fingerprint of a swipe, and numbers in answers.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames {
        guard var line = frames.first, frames.count == 1 else { return .unknown }
        guard line.contains(UInt8(ascii: "|")) else {
            Self.hideDigits(of: &line, 4..<line.count - 1) { CardHiding.hideNumbers(&$0, $0.indices) }
            return .masked([line])
        }
        guard let layout = try? MagTekSwipe(line.span) else { return .unknown }
        let zero = UInt8(ascii: "0")
        Self.hideMaskedTracks(of: &line, layout)
        for place in layout.encryptedTracks where !MagTekSwipe.isUnread(field: line.span.extracting(place)) {
            if layout.isEncrypted {
                CardHiding.clear(&line, place, zero)
            } else if MagTekSwipe.isPlain(line.span.extracting(place)) {
                CardHiding.hideTracks(&line, place)
            } else {
                Self.hideDigits(of: &line, place) { CardHiding.hideTracks(&$0, $0.indices) }
            }
        }
        CardHiding.clear(&line, layout.magnePrint, zero)
        CardHiding.hideNumbers(&line, layout.serialNumber)
        let (crc, encryptedCRC) = (layout.parts[layout.parts.count - 3], layout.parts[layout.parts.count - 2])
        CardHiding.clear(&line, encryptedCRC, zero)
        let sum = RedundancyCheck.crc16(line.span.extracting(first: crc.lowerBound))
        let digits = [UInt8(sum & 0xFF), UInt8(sum >> 8)].flatMap { $0.hexadecimal.utf8 }
        line.replaceSubrange(crc, with: digits)
        return .masked([line])
    }

    /// Hides the masked tracks, but for the `E` in place of each that was not read: without it a card is read.
    private static func hideMaskedTracks(of line: inout [UInt8], _ layout: MagTekSwipe) {
        var start = layout.masked.lowerBound
        for (_, place) in layout.maskedTracks(line.span) where MagTekSwipe.isUnread(line.span.extracting(place)) {
            CardHiding.hideTracks(&line, start..<place.lowerBound)
            start = place.upperBound
        }
        let rest = start..<layout.masked.upperBound
        if !MagTekSwipe.isUnread(line.span.extracting(rest)) { CardHiding.hideTracks(&line, rest) }
    }

    /// Hides something in bytes that are written as hexadecimal digits.
    private static func hideDigits(of line: inout [UInt8], _ place: Range<Int>, _ hide: (inout [UInt8]) -> Void) {
        var bytes = stride(from: place.lowerBound, to: place.upperBound - 1, by: 2).map { line.span.byte(at: $0) ?? 0 }
        hide(&bytes)
        for (index, byte) in bytes.enumerated() {
            let digits = Array(byte.hexadecimal.utf8)
            line.replaceSubrange(place.lowerBound + 2 * index..<place.lowerBound + 2 * index + 2, with: digits)
        }
    }
}
