/// The name on a card, as a whole and in its parts.
///
/// Every printed form is ``masked``; the characters in clear come from its parts alone.
public struct CardholderName: RedactedDescription, Equatable {
    /// The whole field, padding included.
    public let text: SecretText
    /// Family name, or the whole name where the field is not divided.
    public let surname: SecretText
    /// Given name or initials; empty where there is none.
    public let givenName: SecretText
    /// Second given name of a licence; empty on payment cards, which do not tell it from the first.
    public let middleName: SecretText
    /// Title or suffix; empty where there is none.
    public let title: SecretText

    /// The name of a payment card: `SURNAME/GIVEN.TITLE` (ISO/IEC 7813).
    init(payment field: SecretText) {
        let end = field.range.upperBound
        let slash = field.range.first { field[$0] == ASCII.slash } ?? end
        let given = min(slash + 1, end)..<end
        let stop = given.last { field[$0] == ASCII.fullStop } ?? end
        text = field
        surname = field[field.range.lowerBound..<slash].trimmed
        givenName = field[given.lowerBound..<stop].trimmed
        middleName = field[end..<end]
        title = field[min(stop + 1, end)..<end].trimmed
    }

    /// The name of a licence: `SURNAME$GIVEN$MIDDLE$SUFFIX` (AAMVA).
    init(licence field: SecretText) {
        let parts = field.split(at: ASCII.dollar).map(\.trimmed)
        let none = field[field.range.upperBound..<field.range.upperBound]
        text = field
        surname = parts[0]
        givenName = parts.count > 1 ? parts[1] : none
        middleName = parts.count > 2 ? parts[2] : none
        title = parts.count > 3 ? parts[3] : none
    }

    /// The name for default output, as ``mask(_:)`` masks it, without padding at its ends.
    public var masked: String { text.trimmed.withRevealedText { Self.mask($0) } }

    /// Masks a name: `*` for every character but the `/` that ends the surname.
    /// - Parameter name: as the card or the reader has it; bytes of any value.
    /// - Returns: one character a byte.
    public static func mask(_ name: Span<UInt8>) -> String {
        name.indices.reduce(into: "") { $0 += isShown(name[$1]) ? "/" : "*" }
    }

    /// Whether a masked name shows a character.
    static func isShown(_ character: UInt8) -> Bool { character == ASCII.slash }

    /// The same as ``masked``.
    public var description: String { masked }
}
