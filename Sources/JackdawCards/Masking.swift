/// Text that may be shown, from text that may not.
public enum Masking {
    /// Masks whatever a stripe held, also a damaged or partial text: the length stays.
    ///
    /// A track of a known format shows what its `maskedText` shows. Of anything else only the start sentinel, `^`, `=`
    /// and `?` show.
    /// - Parameter text: what was read, sentinels included where there are any; bytes of any value.
    /// - Returns: one character a byte.
    public static func mask(_ text: Span<UInt8>) -> String {
        guard let track = try? Track(parsing: text) else { return hidingAll(SecretText(copying: text)) }
        return track.maskedText
    }

    static func hidingAll(_ text: SecretText) -> String {
        text.masked { place, character in
            switch character {
            case ASCII.caret, ASCII.equals, ASCII.question: true
            case ASCII.percent, ASCII.semicolon: place == 0
            default: false
            }
        }
    }
}
