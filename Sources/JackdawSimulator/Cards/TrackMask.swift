import JackdawCards

/// Masks tracks as readers that encrypt them do.
enum TrackMask {
    /// Digits of an account number that show at either end.
    private static let shown = 4

    /// Masks as ID TECH's readers do, with stars; the name, the ends of the account number and the field separators
    /// show.
    /// - Parameter text: a track with its sentinels, and its check character if that is sent.
    /// - Returns: the same number of characters.
    static func stars(_ text: [UInt8]) -> [UInt8] {
        let hidden = UInt8(ascii: "*")
        let places = Places(text)
        return text.enumerated().map { index, character in
            places.isShown(index) || index == 0 || "^=?".utf8.contains(character) ? character : hidden
        }
    }

    /// Masks as MagTek's readers do, with zeros; the name, the ends of the account number, the expiry and the field
    /// separators show. If the check digit of the account number is right, one hidden digit is chosen so that it stays
    /// right.
    /// - Parameter text: a track with its sentinels.
    /// - Returns: the same number of characters.
    static func zeros(_ text: [UInt8]) -> [UInt8] {
        let places = Places(text)
        var masked = text.enumerated().map { index, character in
            let isShown = places.isShown(index) || places.expiry.contains(index) || index == 0
            // Track 1 of a bank card has a format code, `B`.
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

    /// The places of a track's fields.
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
