/// The reason why a request over HTTP has no answer.
public struct HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        /// The machine-readable name of the code: `unreachable`, `cut`, ...
        public let name: String

        /// No connection to the host was opened.
        public static let unreachable = Code(name: "unreachable")
        /// The host's certificate is wrong, has expired, or is not of a trusted authority.
        public static let notTrusted = Code(name: "notTrusted")
        /// The connection ended before the whole answer had come.
        public static let cut = Code(name: "cut")
        /// The answer did not come within the time limit.
        public static let timedOut = Code(name: "timedOut")
        /// The answer has more bytes than the limit allows.
        public static let tooLarge = Code(name: "tooLarge")
        /// The bytes of the host are no answer in HTTP.
        public static let malformed = Code(name: "malformed")
        /// The task was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// The request cannot be sent: its path or a header has a character that HTTP does not allow there.
        public static let invalidRequest = Code(name: "invalidRequest")
        /// The client has no token for the host, and the host gave none. The request was not sent.
        public static let notLoggedIn = Code(name: "notLoggedIn")
        /// The system or the HTTP library reported an error, such as no memory.
        public static let system = Code(name: "system")
    }

    /// The kind of failure.
    public let code: Code
    /// Whether it is certain that no octet of the request left: the host cannot have processed it.
    public let isCertainlyNotSent: Bool
    /// A sentence for a person, without data of the request.
    public let message: String

    /// A failure of a request.
    /// - Parameters:
    ///   - code: the kind.
    ///   - isCertainlyNotSent: whether no octet of the request left. Default: true for ``Code/unreachable``,
    ///     ``Code/notTrusted``, ``Code/invalidRequest`` and ``Code/notLoggedIn``, which come before the first octet, and false otherwise.
    ///   - message: a sentence for a person, without data of the request.
    public init(_ code: Code, isCertainlyNotSent: Bool? = nil, message: String) {
        self.code = code
        self.isCertainlyNotSent =
            isCertainlyNotSent ?? [.unreachable, .notTrusted, .invalidRequest, .notLoggedIn].contains(code)
        self.message = message
    }

    public var description: String { message }
}
