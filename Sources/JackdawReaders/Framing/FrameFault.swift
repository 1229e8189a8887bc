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

extension FrameFault {
    /// No frame begins with a byte.
    static func noStart(_ byte: UInt8) -> FrameFault {
        FrameFault(.start, at: 0, "no frame begins with \(byte.hexadecimal)")
    }

    /// A sum is another than the bytes have.
    static func check(_ name: String, at offset: Int, _ found: UInt8, expected: UInt8) -> FrameFault {
        FrameFault(.check, at: offset, "the \(name) is \(found.hexadecimal), of the bytes \(expected.hexadecimal)")
    }
}

/// Why the numbered parts of a message cannot be joined. The message is lost.
package enum JoiningFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A part without a number.
    case empty
    /// A part of a number that none has.
    case impossible(Int)
    /// The part of this number did not come; a later one did.
    case missing(Int)
    /// The part of this number came twice.
    case repeated(Int)
    /// The part of this number came behind later ones.
    case outOfOrder(Int)
    /// So many parts had come when another message began. That one is kept.
    case interrupted(after: Int)
    /// The message ends with another count than that of the parts that came.
    case count(told: Int, received: Int)
    /// The parts together have more bytes than a message has.
    case tooLong(most: Int)

    /// What is wrong, without data of the message.
    package var description: String {
        switch self {
        case .empty: "a part without a number"
        case .impossible(let number): "a part numbered \(number), which none is"
        case .missing(let number): "part \(number) did not come"
        case .repeated(let number): "part \(number) came twice"
        case .outOfOrder(let number): "part \(number) came behind later ones"
        case .interrupted(let count): "another message began behind part \(count - 1)"
        case .count(let told, let received): "\(received) parts came, where \(told) were sent"
        case .tooLong(let most): "more than \(most) bytes"
        }
    }
}
