/// Parses a track's fields from left to right. An error has the position and the expected form.
struct FieldReader {
    private let text: SecretText
    private let end: Int
    /// Separates fields of variable length, and replaces a field that the card does not use.
    let separator: UInt8

    /// Position of the next character, counted from the start of the text.
    private(set) var position: Int

    /// Starts after the start sentinel, which must be that of the code, and ends before the end sentinel.
    init(_ frame: TrackFrame, of code: TrackFrame.Code) throws(CardDataError) {
        try frame.expect(code)
        text = frame.text
        separator = code.separator
        position = frame.content.lowerBound
        end = frame.content.upperBound
    }

    /// Number of characters that are left.
    var remaining: Int { end - position }

    /// The next character; nil at the end.
    var next: UInt8? { position < end ? text[position] : nil }

    /// Reads one given character.
    mutating func take(_ character: UInt8, _ expected: String) throws(CardDataError) {
        guard next == character else { throw fault(expected) }
        position += 1
    }

    /// Reads one given character if it comes next.
    mutating func takeIfNext(_ character: UInt8) -> Bool {
        guard next == character else { return false }
        position += 1
        return true
    }

    /// Reads `count` characters of any kind, or the rest if that is shorter.
    mutating func characters(atMost count: Int) -> SecretText {
        take(min(count, remaining))
    }

    /// Reads exactly `count` digits.
    mutating func digits(_ count: Int, _ expected: String) throws(CardDataError) -> SecretText {
        for place in position..<(position + count) {
            guard place < end, text[place].isDigit else { throw fault(expected, at: place) }
        }
        return take(count)
    }

    /// Reads exactly `count` digits, or the separator that replaces them; returns nil then.
    mutating func digits(
        _ count: Int, or separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText? {
        takeIfNext(separator) ? nil : try digits(count, expected)
    }

    /// Reads digits up to a separator, and the separator.
    mutating func digits(
        _ counts: ClosedRange<Int>, upTo separator: UInt8, _ expected: String
    ) throws(CardDataError) -> SecretText {
        try field(counts, of: { $0.isDigit }, upTo: separator, expected)
    }

    /// Reads the characters before a separator, and skips the separator.
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

    /// Reads the characters before a separator, and skips the separator; without a separator, reads the full width of
    /// the field.
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

    /// Reads all remaining characters.
    mutating func rest() -> SecretText { take(remaining) }

    /// The error of a field, at a position or the present one.
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
    /// Reads an account number and its separator.
    mutating func accountNumber() throws(CardDataError) -> PrimaryAccountNumber {
        let digits = try digits(
            PrimaryAccountNumber.lengths, upTo: separator, "an account number of 8 to 19 digits and its separator")
        return PrimaryAccountNumber(checked: digits)
    }

    /// Reads an expiry, or the separator that replaces it. `0000` means that the card does not expire (GB/T 19584);
    /// returns nil in both cases.
    mutating func expiry() throws(CardDataError) -> Expiry? {
        guard let digits = try digits(4, or: separator, "an expiry of 4 digits or a separator") else { return nil }
        if let expiry = Expiry(digits) { return expiry }
        guard digits.range.allSatisfy({ digits[$0] == ASCII.zero }) else {
            throw fault("a month, 01 to 12", at: digits.range.lowerBound + 2)
        }
        return nil
    }

    /// Reads a service code, or the separator that replaces it.
    mutating func serviceCode() throws(CardDataError) -> ServiceCode? {
        try digits(3, or: separator, "a service code of 3 digits or a separator").flatMap { ServiceCode($0) }
    }
}
