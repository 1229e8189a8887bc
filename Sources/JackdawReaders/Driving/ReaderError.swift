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
    /// A finer kind of failure than the code; nil if there is none.
    package let reason: Reason?
    /// The member of a profile's file that is at fault, such as `values.times.answer`; nil for other failures.
    package let place: String?

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
        reason = nil
        place = nil
    }

    package init(
        _ code: Code, _ reason: Reason, at place: String? = nil, _ message: String, remedy: String? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        underlying = nil
        self.reason = reason
        self.place = place
    }

    /// Message, cause and remedy in one line.
    public var description: String {
        let cause = underlying.map { " (\($0))" } ?? ""
        let help = remedy.map { "; \($0)" } ?? ""
        return "\(message)\(cause)\(help)"
    }
}

extension ReaderError {
    /// A finer kind of failure than ``Code``. More may be added.
    package struct Reason: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The state in which the driver refused a command.
        init(_ state: ReaderState) { self.init(rawValue: state.rawValue) }

        /// The file is not JSON, or exceeds a limit.
        init(_ code: JSONValue.Fault.Code) { self.init(rawValue: code.rawValue) }

        /// A member is missing.
        package static let missing = Reason(rawValue: "missing")
        /// A value has another type.
        package static let kind = Reason(rawValue: "kind")
        /// An object has another member than the allowed ones, or a profile a value that the family does not have.
        package static let member = Reason(rawValue: "member")
        /// A value is not one of the allowed values.
        package static let choice = Reason(rawValue: "choice")
        /// The profile is for another family.
        package static let family = Reason(rawValue: "family")
        /// A value is not in its range.
        package static let range = Reason(rawValue: "range")
        /// The limits of a range are in the wrong order.
        package static let order = Reason(rawValue: "order")
        /// Two entries have the same number.
        package static let duplicate = Reason(rawValue: "duplicate")
    }
}
