/// A section of card text inside a wiped buffer.
///
/// All fields of a track are sections of one buffer, which is wiped when the last of them is released. So the text of a
/// track is in memory only once, however often it is passed on. The time of a comparison depends only on the lengths.
public struct SecretText: RedactedDescription, Equatable {
    private let storage: Storage

    /// The place of the section in its buffer.
    let range: Range<Int>

    /// Number of characters, one for each byte.
    public var count: Int { range.count }

    /// Whether the text has no characters.
    public var isEmpty: Bool { range.isEmpty }

    init(_ bytes: consuming SecretBytes) {
        let count = bytes.count
        self.init(storage: Storage(bytes), range: 0..<count)
    }

    /// Copies ASCII bytes. The caller wipes the original.
    public init(copying bytes: Span<UInt8>) { self.init(SecretBytes(copying: bytes)) }

    private init(storage: Storage, range: Range<Int>) {
        self.storage = storage
        self.range = range
    }

    /// Runs a body over the ASCII bytes in clear. The caller wipes any copy that the body makes.
    public func withRevealedText<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.bytes.withBytes { (all) throws(Failure) in try body(all.extracting(range)) }
    }

    /// The characters in clear. A `String` cannot be wiped: use ``withRevealedText(_:)`` if possible.
    public func revealedText() -> String {
        withRevealedText { String(ascii: $0) }
    }

    /// The number of characters, and none of their content.
    public var description: String { "\(count) hidden characters" }

    /// Whether both hold the same characters.
    public static func == (left: SecretText, right: SecretText) -> Bool {
        left.withRevealedText { own in right.withRevealedText { isEqualInConstantTime(own, $0) } }
    }

    /// Owns the bytes, shared by all sections.
    private final class Storage: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }
}

extension SecretText {
    /// The byte at a place in the buffer; `position` counts from the start of the buffer and must lie in `range`.
    subscript(position: Int) -> UInt8 {
        precondition(range.contains(position), "a position outside the text")
        return storage.bytes.withBytes { $0[position] }
    }

    /// A part of this text; `part` counts from the start of the buffer and must lie in `range`.
    subscript(part: Range<Int>) -> SecretText {
        precondition(range.lowerBound <= part.lowerBound && part.upperBound <= range.upperBound, "outside the text")
        return SecretText(storage: storage, range: part)
    }

    /// The section without spaces at its ends.
    var trimmed: SecretText {
        var part = range
        while let first = part.first, self[first] == ASCII.space { part = part.dropFirst() }
        while let last = part.last, self[last] == ASCII.space { part = part.dropLast() }
        return self[part]
    }

    /// The sections between separators; always at least one.
    func split(at separator: UInt8) -> [SecretText] {
        var parts: [SecretText] = []
        var start = range.lowerBound
        for position in range where self[position] == separator {
            parts.append(self[start..<position])
            start = position + 1
        }
        parts.append(self[start..<range.upperBound])
        return parts
    }

    /// Whether every character is a digit; true for an empty text.
    var isAllDigits: Bool { range.allSatisfy { self[$0].isDigit } }

    /// The text with `*` for every character except those that `isShown` selects, by place in the buffer and character.
    func masked(showing isShown: (Int, UInt8) -> Bool) -> String {
        var line = ""
        for position in range {
            let character = self[position]
            line.unicodeScalars.append(Unicode.Scalar(isShown(position, character) ? character : ASCII.asterisk))
        }
        return line
    }
}

/// The characters that structure a stripe's text, as ASCII.
enum ASCII {
    static let space: UInt8 = 0x20
    static let dollar: UInt8 = 0x24
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2A
    static let fullStop: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let formatA: UInt8 = 0x41
    static let formatB: UInt8 = 0x42
    static let formatN: UInt8 = 0x4E
    static let formatZ: UInt8 = 0x5A
    static let caret: UInt8 = 0x5E
}

extension UInt8 {
    /// Whether it is one of `0` to `9`.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether it is one of `A` to `Z`; a stripe has no small letters.
    var isCapital: Bool { (0x41...0x5A).contains(self) }

    /// The value of an ASCII digit; undefined for other bytes.
    var digitValue: Int { Int(self) - Int(ASCII.zero) }
}

extension String {
    /// The text of ASCII bytes.
    init(ascii bytes: Span<UInt8>) {
        self.init()
        for index in bytes.indices { unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    }
}
