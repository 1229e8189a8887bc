/// Why a reader did not do what was wanted: what is wrong, and what to do about it.
public struct ReaderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// Its name.
        public let rawValue: String

        /// Of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The reader does something else, or is to.
        public static let busy = Code(rawValue: "busy")
        /// Nobody has connected to the reader, or it was switched off.
        public static let notConnected = Code(rawValue: "notConnected")
        /// The reader is connected already.
        public static let alreadyConnected = Code(rawValue: "alreadyConnected")
        /// There is nothing to cancel.
        public static let nothingToCancel = Code(rawValue: "nothingToCancel")
        /// Readers of this family cannot do that, or nobody has told how.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A value that is not allowed.
        public static let outOfRange = Code(rawValue: "outOfRange")
        /// The reader did not answer, as often as it was asked.
        public static let noAnswer = Code(rawValue: "noAnswer")
        /// The reader answered that it will not or cannot.
        public static let refused = Code(rawValue: "refused")
        /// The reader's answer is none to what it was asked.
        public static let badAnswer = Code(rawValue: "badAnswer")
        /// The profile leaves a value open that is needed.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The profile cannot be read, or has a value that cannot be.
        public static let badProfile = Code(rawValue: "badProfile")
        /// The reader has begun anew by itself, and forgotten what it was told.
        public static let restarted = Code(rawValue: "restarted")
        /// The link to the reader has gone.
        public static let lost = Code(rawValue: "lost")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, without card data.
    public let message: String
    /// What to do about it; nil where nobody knows.
    public let remedy: String?
    /// What the reader or the system said, where one of them reported the failure.
    public let underlying: String?

    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: what is wrong, without card data.
    ///   - remedy: what to do about it.
    ///   - underlying: what the reader or the system said.
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
