public import JackdawCards

/// A track in clear, in a wiped buffer; what is printed of it is masked.
public struct DecryptedTrack: RedactedDescription {
    /// Which one, 1 to 3.
    public let number: Int
    /// From the start sentinel to the end sentinel; of cards that have none, everything.
    public let text: SecretText
    /// The character behind the end sentinel that the track is checked by; nil where the reader left it out.
    public let redundancyCheck: UInt8?
    /// Whether the reader encrypted it; else it sent the track in clear beside others that it encrypted.
    public let wasEncrypted: Bool
    /// Whether the frame has a hash of the track, which is right; without one only sentinels and characters speak for it.
    public let isHashChecked: Bool

    init(
        number: Int, text: SecretText, redundancyCheck: UInt8?, wasEncrypted: Bool = true, isHashChecked: Bool
    ) {
        self.number = number
        self.text = text
        self.redundancyCheck = redundancyCheck
        self.wasEncrypted = wasEncrypted
        self.isHashChecked = isHashChecked
    }

    /// Its fields, where it has the form of a track.
    public var content: Track? { text.withRevealedText { try? Track(parsing: $0) } }
    /// The text for default output, of the same length.
    public var maskedText: String { text.withRevealedText { Masking.mask($0) } }

    /// Number and length.
    public var description: String { "track \(number), \(text.count) characters" }
}
