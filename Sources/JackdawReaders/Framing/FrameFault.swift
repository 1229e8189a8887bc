/// Why bytes are no frame of a protocol.
public struct FrameFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// Its name.
        public let rawValue: String

        /// Of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No frame begins with this byte.
        public static let start = Code(rawValue: "start")
        /// A length that no frame has, or that the rest contradicts.
        public static let length = Code(rawValue: "length")
        /// A value that a field cannot have.
        public static let field = Code(rawValue: "field")
        /// A sum, LRC or CRC is not that of the bytes.
        public static let check = Code(rawValue: "check")
        /// The frame does not end as it has to.
        public static let end = Code(rawValue: "end")
        /// The bytes end before the frame.
        public static let truncated = Code(rawValue: "truncated")
        /// Bytes follow the frame.
        public static let excess = Code(rawValue: "excess")
    }

    /// What is wrong.
    public let code: Code
    /// Where, bytes from the frame's first.
    public let offset: Int
    /// What is wrong in words, with numbers of the frame's own bytes but never card data.
    public let message: String

    /// - Parameters:
    ///   - code: what is wrong.
    ///   - offset: where, bytes from the frame's first.
    ///   - message: the same in words, without card data.
    public init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// Where and what.
    public var description: String { "byte \(offset): \(message)" }
}
