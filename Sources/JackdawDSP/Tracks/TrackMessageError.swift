/// Why text cannot be written on a track, or bits are not a message. Names positions, never card data.
public struct TrackMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind { case characterOutsideCode, sentinelMissing, sentinelInside, tooLong, parity, lrc }
        let kind: Kind
        /// A character that the code of this track does not have.
        public static let characterOutsideCode = Code(kind: .characterOutsideCode)
        /// No start sentinel first, or no end sentinel last.
        public static let sentinelMissing = Code(kind: .sentinelMissing)
        /// An end sentinel before the end: a reader would stop there.
        public static let sentinelInside = Code(kind: .sentinelInside)
        /// More characters than the track holds.
        public static let tooLong = Code(kind: .tooLong)
        /// A character with even parity.
        public static let parity = Code(kind: .parity)
        /// The LRC does not match the characters.
        public static let lrc = Code(kind: .lrc)
    }

    /// The kind of error.
    public let code: Code
    /// Position of the character at fault, from 0, in the text or in the characters that the bits make.
    public let position: Int
    /// What is wrong and what would be right, in one line.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, at position: Int, _ message: String) {
        self.code = code
        self.position = position
        self.message = message
    }
}
