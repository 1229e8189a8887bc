/// The reason why octets are not the data object that they should be: a code, the offset and a message. It holds no
/// octet of the data.
public struct DataObjectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The octets end inside a tag.
        public static let truncatedTag = Code(rawValue: "truncated_tag")
        /// A tag has more than four octets.
        public static let tagTooLong = Code(rawValue: "tag_too_long")
        /// The octets end before or inside a length.
        public static let truncatedLength = Code(rawValue: "truncated_length")
        /// A length has more than four further octets.
        public static let lengthTooLong = Code(rawValue: "length_too_long")
        /// A length is indefinite (80), which EMV does not allow.
        public static let indefiniteLength = Code(rawValue: "indefinite_length")
        /// A value exceeds the octets, or the object that contains it.
        public static let truncatedValue = Code(rawValue: "truncated_value")
        /// More than 32 templates contain each other.
        public static let tooDeep = Code(rawValue: "too_deep")
        /// The data has a number of octets that its format does not allow.
        public static let length = Code(rawValue: "length")
        /// A value is outside the range of its format.
        public static let value = Code(rawValue: "value")
        /// A mandatory data object is missing.
        public static let missing = Code(rawValue: "missing")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The offset of the octet at which the error was found, from the start of the data.
    public let offset: Int
    /// The error, and the octets that would be right.
    public let message: String

    /// An error at an offset.
    public init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// Message and offset in one line.
    public var description: String { "\(message), at offset \(offset)" }
}
