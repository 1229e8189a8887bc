/// What a ``LineDecoder`` reports: the characters of a burst in the order of time, then the burst.
public enum LineEvent: Sendable, BitwiseCopyable {
    /// A character, as soon as it is decided.
    case character(LineCharacter)
    /// The end of a burst, with what was measured over it. No burst is without a character.
    case burst(LineBurst)
}
