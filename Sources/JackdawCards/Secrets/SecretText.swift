/// A stretch of card text inside a wiped buffer.
///
/// All fields of a track are stretches of one buffer, which is wiped when the last of them goes: however often a track
/// is handed on, its text is in memory once. Comparison takes a time that depends on the lengths alone.
public struct SecretText: RedactedDescription, Equatable {
    private let storage: Storage

    /// Where the stretch lies in its buffer.
    let range: Range<Int>

    /// Number of characters.
    public var count: Int { range.count }

    /// Whether there are none.
    public var isEmpty: Bool { range.isEmpty }

    init(_ bytes: consuming SecretBytes) {
        let count = bytes.count
        self.init(storage: Storage(bytes), range: 0..<count)
    }

    /// A copy of ASCII bytes. The original is the caller's to wipe.
    public init(copying bytes: Span<UInt8>) { self.init(SecretBytes(copying: bytes)) }

    private init(storage: Storage, range: Range<Int>) {
        self.storage = storage
        self.range = range
    }

    /// Runs a body over the ASCII bytes in clear; what it copies out is the caller's to wipe.
    public func withRevealedText<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.bytes.withBytes { (all) throws(Failure) in try body(all.extracting(range)) }
    }

    /// The characters in clear. A `String` cannot be wiped: use ``withRevealedText(_:)`` where that will do.
    public func revealedText() -> String {
        withRevealedText { String(ascii: $0) }
    }

    /// Says how much is held, never what.
    public var description: String { "\(count) hidden characters" }

    /// Whether both hold the same characters.
    public static func == (left: SecretText, right: SecretText) -> Bool {
        left.withRevealedText { own in right.withRevealedText { isEqualInConstantTime(own, $0) } }
    }

    /// The bytes and their owner's life, shared by all stretches.
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
        precondition(range.lowerBound <= part.lowerBound && part.upperBound <= range.upperBound, "a part outside")
        return SecretText(storage: storage, range: part)
    }

    /// The stretch without spaces at its ends.
    var trimmed: SecretText {
        var part = range
        while let first = part.first, self[first] == ASCII.space { part = part.dropFirst() }
        while let last = part.last, self[last] == ASCII.space { part = part.dropLast() }
        return self[part]
    }

    /// The stretches between separators; always at least one.
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

    /// Whether every character is a digit; true for none.
    var isAllDigits: Bool { range.allSatisfy { self[$0].isDigit } }

    /// The text with `*` for every character but those that `isShown` picks, by place in the buffer and character.
    func masked(showing isShown: (Int, UInt8) -> Bool) -> String {
        var line = ""
        for position in range {
            let character = self[position]
            line.unicodeScalars.append(Unicode.Scalar(isShown(position, character) ? character : ASCII.asterisk))
        }
        return line
    }
}

/// The characters that carry structure on a stripe, as ASCII.
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
    /// `0` to `9`.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// `A` to `Z`; a stripe has no small letters.
    var isCapital: Bool { (0x41...0x5A).contains(self) }

    /// The value of an ASCII digit; only for digits.
    var digitValue: Int { Int(self) - Int(ASCII.zero) }
}

extension String {
    /// The text of ASCII bytes.
    init(ascii bytes: Span<UInt8>) {
        self.init()
        for index in bytes.indices { unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    }
}
