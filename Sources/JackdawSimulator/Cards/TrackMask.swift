import JackdawCards

/// How readers that encrypt show of a track what they do not hide.
enum TrackMask {
    /// Digits of an account number that show at either end.
    private static let shown = 4

    /// As ID TECH's readers do: stars, but for a name, the ends of the account number, and what parts fields.
    /// - Parameter text: a track with its sentinels, and the character that it is checked by where that is sent.
    /// - Returns: as many characters.
    static func stars(_ text: [UInt8]) -> [UInt8] {
        let hidden = UInt8(ascii: "*")
        let places = Places(text)
        return text.enumerated().map { index, character in
            places.isShown(index) || index == 0 || "^=?".utf8.contains(character) ? character : hidden
        }
    }

    /// As MagTek's readers do: zeros, but for a name, the ends of the account number, the expiry, and what parts fields; of an
    /// account number whose check digit is right, it stays so.
    /// - Parameter text: a track with its sentinels.
    /// - Returns: as many characters.
    static func zeros(_ text: [UInt8]) -> [UInt8] {
        let places = Places(text)
        var masked = text.enumerated().map { index, character in
            let isShown = places.isShown(index) || places.expiry.contains(index) || index == 0
            // A bank card's track 1 says what it is.
            let isCode = index == 1 && places.number.lowerBound == 2
            return isShown || isCode || "^=?".utf8.contains(character) ? character : UInt8(ascii: "0")
        }
        let hidden = places.number.dropFirst(shown).dropLast(shown)
        guard let place = hidden.dropFirst(shown).first ?? hidden.first,
            Luhn.isValid(text.span.extracting(places.number))
        else {
            return masked
        }
        for digit in UInt8(ascii: "0")...UInt8(ascii: "9") {
            masked[place] = digit
            if Luhn.isValid(masked.span.extracting(places.number)) { break }
        }
        return masked
    }

    /// Where fields of a track lie.
    private struct Places {
        var number = 0..<0
        var name = 0..<0
        var expiry = 0..<0

        init(_ text: [UInt8]) {
            let caret = UInt8(ascii: "^")
            let isFirst = text.starts(with: "%B".utf8)
            let separator = isFirst ? caret : UInt8(ascii: "=")
            guard isFirst || text.first != UInt8(ascii: "%"), let end = text.firstIndex(of: separator) else { return }
            number = min(isFirst ? 2 : 1, end)..<end
            if isFirst {
                guard let nameEnd = text[(end + 1)...].firstIndex(of: caret) else { return }
                name = end..<nameEnd
                expiry = nameEnd + 1..<min(nameEnd + 5, text.count)
            } else if text.first == UInt8(ascii: ";") {
                expiry = end + 1..<min(end + 5, text.count)
            }
        }

        func isShown(_ index: Int) -> Bool {
            number.prefix(shown).contains(index) || number.suffix(shown).contains(index) || name.contains(index)
        }
    }
}
