/// An error of a reader or its driver: the cause, and the suggested action.
public struct ReaderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code, such as `noAnswer`.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The reader is executing another command.
        public static let busy = Code(rawValue: "busy")
        /// The reader has not been connected, or was switched off.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The reader is connected already.
        public static let alreadyConnected = Code(rawValue: "alreadyConnected")
        /// No wait or connection is in progress that could be cancelled.
        public static let nothingToCancel = Code(rawValue: "nothingToCancel")
        /// Readers of this family do not support the command, or its protocol is not known.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The value is not in the allowed range.
        public static let outOfRange = Code(rawValue: "outOfRange")
        /// The reader did not answer any of the attempts.
        public static let noAnswer = Code(rawValue: "noAnswer")
        /// The reader refused the request.
        public static let refused = Code(rawValue: "refused")
        /// The reader's answer does not match the request.
        public static let badAnswer = Code(rawValue: "badAnswer")
        /// The profile does not give a value that is needed.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The profile cannot be parsed, or has an invalid value.
        public static let badProfile = Code(rawValue: "badProfile")
        /// The reader restarted by itself, and has lost its state.
        public static let restarted = Code(rawValue: "restarted")
        /// The link to the reader was lost.
        public static let lost = Code(rawValue: "lost")
    }

    /// The kind of failure, for programs that handle it.
    public let code: Code
    /// The cause of the error, without card data.
    public let message: String
    /// The suggested action; nil if no remedy is known.
    public let remedy: String?
    /// The text of the reader or the system, if one of them reported the failure.
    public let underlying: String?

    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: the cause, without card data.
    ///   - remedy: the suggested action.
    ///   - underlying: the text of the reader or the system.
    public init(_ code: Code, _ message: String, remedy: String? = nil, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.underlying = underlying
    }

    /// Message, cause and remedy in one line.
    public var description: String {
        let cause = underlying.map { " (\($0))" } ?? ""
        let help = remedy.map { "; \($0)" } ?? ""
        return "\(message)\(cause)\(help)"
    }
}
