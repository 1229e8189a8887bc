/// Something that a program should not do, or that readers suffer from; nothing fails by it.
public struct PGSwipeWarning: Sendable, CustomStringConvertible {
    /// The kind of warning.
    public typealias Code = PGSwipeWarningCode

    /// The kind of warning.
    public let code: Code
    /// What it is, and what to do about it, without card data.
    public let message: String
    /// The reader that it is about; nil where it is about none, or all.
    public let device: PGSwipeDevice?

    /// - Parameters:
    ///   - code: the kind of warning.
    ///   - message: what it is, and what to do about it.
    ///   - device: the reader that it is about.
    public init(_ code: Code, _ message: String, device: PGSwipeDevice? = nil) {
        self.code = code
        self.message = message
        self.device = device
    }

    /// The message.
    public var description: String { message }
}
