// The identifiers of sales and attempts, and the host's own.

/// The identifier of a sale, which the caller chooses: 1 to 64 characters of printable ASCII without spaces.
public struct SaleIdentifier: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Makes an identifier of a text.
    /// - Returns: nil if the text does not have 1 to 64 characters of printable ASCII without spaces.
    public init?(rawValue: String) {
        guard rawValue.isPlainIdentifier(maxCount: 64) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    public static func < (left: SaleIdentifier, right: SaleIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// The identifier of an attempt to pay a sale, or to capture or refund one: 1 to 64 characters of printable ASCII without
/// spaces.
///
/// It is the idempotency key of every request about the attempt. It is never used for a second attempt.
public struct AttemptIdentifier: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Makes an identifier of a text.
    /// - Returns: nil if the text does not have 1 to 64 characters of printable ASCII without spaces.
    public init?(rawValue: String) {
        guard rawValue.isPlainIdentifier(maxCount: 64) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    public static func < (left: AttemptIdentifier, right: AttemptIdentifier) -> Bool { left.rawValue < right.rawValue }
}

/// The host's own identifier of a payment: 1 to 128 characters of printable ASCII without spaces.
public struct HostReference: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String

    /// Makes an identifier of a host's text.
    /// - Returns: nil if the text does not have 1 to 128 characters of printable ASCII without spaces.
    public init?(rawValue: String) {
        guard rawValue.isPlainIdentifier(maxCount: 128) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// A text of a host or a person for a record: the reason of a decline or a refusal, a note.
///
/// The text may be a copy of any input, so it has spaces for control characters, `*` for the digits of each run of 12 digits
/// or more, with single spaces or hyphens between them, which may be a card number, and is cut after 256 characters.
public struct ReasonText: Sendable, Hashable, CustomStringConvertible {
    /// The text after these changes.
    public let text: String

    private static let maxCharacters = 256

    /// Changes a text as described.
    public init(_ text: String) {
        // A number across the cut must be seen as a whole.
        var scalars = Array(text.unicodeScalars.prefix(2 * Self.maxCharacters))
        for index in scalars.indices where scalars[index].value < 0x20 || (0x7F...0x9F).contains(scalars[index].value) {
            scalars[index] = " "
        }
        var index = 0
        while index < scalars.count {
            let run = Self.digitRun(scalars, from: index)
            if run.digits >= 12 {
                for place in index..<run.end where scalars[place].isDigit { scalars[place] = "*" }
            }
            index = max(run.end, index + 1)
        }
        self.text = String(String.UnicodeScalarView(scalars.prefix(Self.maxCharacters)))
    }

    public var description: String { text }

    /// The end of a run of digits with single separators, and its number of digits.
    private static func digitRun(_ scalars: [Unicode.Scalar], from start: Int) -> (end: Int, digits: Int) {
        var (end, digits) = (start, 0)
        var index = start
        while index < scalars.count {
            if scalars[index].isDigit {
                digits += 1
                end = index + 1
            } else if digits == 0 || index > end || !(scalars[index] == " " || scalars[index] == "-") {
                break
            }
            index += 1
        }
        return (end, digits)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(value) }
}

extension String {
    /// Whether the text has 1 to `maxCount` characters of printable ASCII without spaces.
    fileprivate func isPlainIdentifier(maxCount: Int) -> Bool {
        (1...maxCount).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
