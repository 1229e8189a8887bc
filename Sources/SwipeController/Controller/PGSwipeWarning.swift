/// A warning about an unwise call of the program, or about a problem of a reader; no operation fails because of it.
public struct PGSwipeWarning: Sendable, CustomStringConvertible {
    /// The kind of warning.
    public typealias Code = PGSwipeWarningCode

    /// The kind of warning.
    public let code: Code
    /// The warning and its remedy for a person, without card data.
    public let message: String
    /// The reader that the warning concerns; nil if it concerns no reader, or all of them.
    public let device: PGSwipeDevice?

    /// - Parameters:
    ///   - code: the kind of warning, for programs that handle it.
    ///   - message: the warning and its remedy.
    ///   - device: the reader that the warning concerns.
    public init(_ code: Code, _ message: String, device: PGSwipeDevice? = nil) {
        self.code = code
        self.message = message
        self.device = device
    }

    /// The text of ``message``.
    public var description: String { message }
}
