/// Card data that does not have the form it must have: where, and what was expected there. Never what was found.
public struct CardDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String { case length, startSentinel, endSentinel, character, field }
        let kind: Kind
        /// Too short or too long for what it is to be.
        public static let length = Code(kind: .length)
        /// The first character is not the start sentinel.
        public static let startSentinel = Code(kind: .startSentinel)
        /// The end sentinel is missing, or something follows it.
        public static let endSentinel = Code(kind: .endSentinel)
        /// A character that the stripe's code does not have.
        public static let character = Code(kind: .character)
        /// A field that does not have its form.
        public static let field = Code(kind: .field)

        /// A name for machines: `length`, `field`, ...
        public var name: String { kind.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// Characters before the fault, from the start of the text given.
    public let offset: Int
    /// What was expected there, in words.
    public let expected: String

    init(_ code: Code, at offset: Int, expected: String) {
        self.code = code
        self.offset = offset
        self.expected = expected
    }

    /// One line for a person: what was expected, and at which character (counted from 1).
    public var description: String { "expected \(expected) at character \(offset + 1)" }
}
