import JackdawCards
import JackdawCryptography
import JackdawTestSupport

/// Secret bytes of hexadecimal digits.
func secret(_ text: String) -> SecretBytes {
    let bytes = hex(text)
    return SecretBytes(copying: bytes.span)
}

extension DecryptedSwipe {
    /// A track in clear, with the character that it is checked by; nil where there is none.
    func revealed(_ number: Int) -> String? {
        tracks.first { $0.number == number }.map { track in
            track.text.revealedText() + (track.redundancyCheck.map { String(Character(Unicode.Scalar($0))) } ?? "")
        }
    }
}
