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
    private let isOfPayment: Bool

    /// The name of a payment card: `SURNAME/GIVEN.TITLE` (ISO/IEC 7813).
    init(payment field: SecretText) {
        let end = field.range.upperBound
        let slash = field.range.first { field[$0] == ASCII.slash } ?? end
        let given = min(slash + 1, end)..<end
        let stop = given.last { field[$0] == ASCII.fullStop } ?? end
        isOfPayment = true
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
        isOfPayment = false
        text = field
        surname = parts[0]
        givenName = parts.count > 1 ? parts[1] : none
        middleName = parts.count > 2 ? parts[2] : none
        title = parts.count > 3 ? parts[3] : none
    }

    /// The name for default output, without padding at its ends: `*` for every character but the `/` that ends the
    /// surname.
    public var masked: String { text.trimmed.masked { place, _ in place == surnameEnd } }

    /// Where the `/` is that ends the surname; nil where there is none, as on licences.
    var surnameEnd: Int? { isOfPayment ? text.range.first { text[$0] == ASCII.slash } : nil }

    /// Masks the name of a payment card: `*` for every character but the `/` that ends the surname, which is the first.
    /// - Parameter name: as the card or the reader has it; bytes of any value.
    /// - Returns: one character a byte.
    public static func mask(_ name: Span<UInt8>) -> String {
        let end = name.indices.first { name[$0] == ASCII.slash }
        return name.indices.reduce(into: "") { $0 += $1 == end ? "/" : "*" }
    }

    /// The same as ``masked``.
    public var description: String { masked }
}
