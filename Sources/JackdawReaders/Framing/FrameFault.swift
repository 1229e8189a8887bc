import JackdawBytes

/// The error of bytes that are not a valid frame of a protocol.
public struct FrameFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code, such as `check`.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// No frame begins with this byte.
        public static let start = Code(rawValue: "start")
        /// The length is not allowed, or contradicts the other bytes.
        public static let length = Code(rawValue: "length")
        /// A field has a value that is not allowed.
        public static let field = Code(rawValue: "field")
        /// A sum, LRC or CRC does not match the bytes.
        public static let check = Code(rawValue: "check")
        /// The end marker of the frame is wrong.
        public static let end = Code(rawValue: "end")
        /// The bytes end before the end of the frame.
        public static let truncated = Code(rawValue: "truncated")
        /// More bytes follow the end of the frame.
        public static let excess = Code(rawValue: "excess")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The byte at fault, counted from the frame's first byte.
    public let offset: Int
    /// The error in words, with numbers of the frame's own bytes but never card data.
    public let message: String

    /// - Parameters:
    ///   - code: the kind of error.
    ///   - offset: the byte at fault, counted from the frame's first byte.
    ///   - message: the error in words, without card data.
    public init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    public var description: String { "byte \(offset): \(message)" }
}

extension FrameFault {
    /// Returns the error of a byte with which no frame begins.
    static func noStart(_ byte: UInt8) -> FrameFault {
        FrameFault(.start, at: 0, "no frame begins with \(byte.hexadecimal)")
    }

    /// Returns the error of a check sum that does not match the bytes.
    static func check(_ name: String, at offset: Int, _ found: UInt8, expected: UInt8) -> FrameFault {
        FrameFault(.check, at: offset, "the \(name) is \(found.hexadecimal); the bytes give \(expected.hexadecimal)")
    }
}

/// The error of a message whose numbered parts cannot be joined. The message is lost.
package enum JoiningFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A part has no number.
    case empty
    /// The number of the part is not allowed.
    case impossible(Int)
    /// The part of this number was not received, but a later one was.
    case missing(Int)
    /// The part of this number was received twice.
    case repeated(Int)
    /// The part of this number was received after later ones.
    case outOfOrder(Int)
    /// Another message began after this number of parts. The new message is kept.
    case interrupted(after: Int)
    /// The number of parts received is not the number that the message states.
    case count(announced: Int, received: Int)
    /// The parts together are longer than a message may be.
    case tooLong(most: Int)

    package var description: String {
        switch self {
        case .empty: "a part without a number"
        case .impossible(let number): "a part with the invalid number \(number)"
        case .missing(let number): "part \(number) is missing"
        case .repeated(let number): "part \(number) was received twice"
        case .outOfOrder(let number): "part \(number) was received after later parts"
        case .interrupted(let count): "another message began after part \(count - 1)"
        case .count(let announced, let received): "\(received) parts were received; \(announced) were sent"
        case .tooLong(let most): "more than \(most) bytes"
        }
    }
}
