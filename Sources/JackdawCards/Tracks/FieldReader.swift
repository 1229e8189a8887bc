/// Takes a track's fields from left to right; fails with the place and what was expected there.
struct FieldReader {
    private let text: SecretText
    private let end: Int
    /// What stands between fields of variable length, and in place of a field that the card does not use.
    let separator: UInt8

    /// Next character to take, counted from the start of the text.
    private(set) var position: Int

    /// Starts behind the start sentinel, which must be that of a code, and ends before the end sentinel.
    init(_ frame: TrackFrame, of code: TrackFrame.Code) throws(CardDataError) {
        try frame.expect(code)
        text = frame.text
        separator = code.separator
        position = frame.content.lowerBound
        end = frame.content.upperBound
    }

    /// Characters not taken yet.
    var remaining: Int { end - position }

    /// The next character, nil at the end.
    var next: UInt8? { position < end ? text[position] : nil }

    /// Takes one given character.
    mutating func take(_ character: UInt8, _ expected: String) throws(CardDataError) {
        guard next == character else { throw fault(expected) }
        position += 1
    }

    /// Takes one given character if it comes next.
    mutating func takeIfNext(_ character: UInt8) -> Bool {
        guard next == character else { return false }
        position += 1
        return true
    }

    /// Takes so many characters of any kind, or those that are left.
    mutating func characters(atMost count: Int) -> SecretText {
        take(min(count, remaining))
    }

    /// Takes so many digits.
    mutating func digits(_ count: Int, _ expected: String) throws(CardDataError) -> SecretText {
        for place in position..<(position + count) {
            guard place < end, text[place].isDigit else { throw fault(expected, at: place) }
        }
        return take(count)
    }

    /// Takes so many digits, or the separator that stands in their place (then nil).
    mutating func digits(
        _ count: Int, or separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText? {
        takeIfNext(separator) ? nil : try digits(count, expected)
    }

    /// Takes digits up to a separator, and the separator.
    mutating func digits(
        _ counts: ClosedRange<Int>, upTo separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText {
        try field(counts, of: \.isDigit, upTo: separator, expected)
    }

    /// Takes characters up to a separator, and the separator.
    mutating func characters(
        _ counts: ClosedRange<Int>, upTo separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText {
        try field(counts, of: { _ in true }, upTo: separator, expected)
    }

    private mutating func field(
        _ counts: ClosedRange<Int>, of isAllowed: (UInt8) -> Bool, upTo separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText {
        let stop = (position..<end).first { text[$0] == separator || !isAllowed(text[$0]) } ?? end
        let count = stop - position
        guard counts.contains(count), stop < end, text[stop] == separator else {
            throw fault(expected, at: min(stop, position + counts.upperBound))
        }
        defer { position += 1 }
        return take(count)
    }

    /// Takes characters up to a separator and the separator, or as many as the field holds where none comes before.
    mutating func characters(
        _ counts: ClosedRange<Int>, orUpTo separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText {
        let limit = min(position + counts.upperBound, end)
        let stop = (position..<limit).first { text[$0] == separator } ?? limit
        let count = stop - position
        guard counts.contains(count), count == counts.upperBound || stop < end else { throw fault(expected, at: stop) }
        defer { _ = takeIfNext(separator) }
        return take(count)
    }

    /// Takes all that is left.
    mutating func rest() -> SecretText { take(remaining) }

    /// A fault in a field.
    func fault(_ expected: String, at place: Int? = nil) -> CardDataError {
        CardDataError(.field, at: place ?? position, expected: expected)
    }

    private mutating func take(_ count: Int) -> SecretText {
        defer { position += count }
        return text[position..<(position + count)]
    }
}

/// The fields that the tracks of a payment card share.
extension FieldReader {
    /// Takes an account number and its separator.
    mutating func accountNumber() throws(CardDataError) -> PrimaryAccountNumber {
        let digits = try digits(
            PrimaryAccountNumber.lengths, upTo: separator, "an account number of 8 to 19 digits and its separator")
        return PrimaryAccountNumber(checked: digits)
    }

    /// Takes an expiry, or the separator in its place. `0000` stands for a card that does not expire (GB/T 19584).
    mutating func expiry() throws(CardDataError) -> Expiry? {
        guard let digits = try digits(4, or: separator, "an expiry of 4 digits or a separator") else { return nil }
        if let expiry = Expiry(digits) { return expiry }
        guard digits.range.allSatisfy({ digits[$0] == ASCII.zero }) else {
            throw fault("a month, 01 to 12", at: digits.range.lowerBound + 2)
        }
        return nil
    }

    /// Takes a service code, or the separator in its place.
    mutating func serviceCode() throws(CardDataError) -> ServiceCode? {
        try digits(3, or: separator, "a service code of 3 digits or a separator").flatMap { ServiceCode($0) }
    }
}
