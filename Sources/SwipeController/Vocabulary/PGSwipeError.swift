/// The reason why a requested swipe was not delivered.
public struct PGSwipeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. Later versions may add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// No reader is activated, or the reader is busy with another task.
        public static let notReady = Code(rawValue: "notReady")
        /// No card was swiped within the time limit.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The request was cancelled, by a call or with the waiting task.
        public static let canceled = Code(rawValue: "canceled")
        /// The reader was detached, lost or switched off.
        public static let disconnected = Code(rawValue: "disconnected")
        /// A card was swiped, but the reader could not read it.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The program shut the controller down.
        public static let shutDown = Code(rawValue: "shutDown")
    }

    /// The kind of failure, for programs that handle the error.
    public let code: Code
    /// The error and its remedy for a person, without card data.
    public let message: String

    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: the error and its remedy.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// The kind of a ``PGSwipeWarning``. Later versions may add kinds.
public struct PGSwipeWarningCode: RawRepresentable, Sendable, Hashable {
    /// The name of the kind, for example `linkFailed`.
    public let rawValue: String

    /// Creates a kind with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The program changed the reader type repeatedly, which can make readers malfunction.
    public static let typeChangedRepeatedly = PGSwipeWarningCode(rawValue: "typeChangedRepeatedly")
    /// The controller ignored a call that the reader's settings or state do not allow.
    public static let callIgnored = PGSwipeWarningCode(rawValue: "callIgnored")
    /// The program cancelled a request for a swipe before the reader waited for a card. No other event reports this.
    public static let requestCanceled = PGSwipeWarningCode(rawValue: "requestCanceled")
    /// A reader refuses a request of the driver.
    public static let readerRefuses = PGSwipeWarningCode(rawValue: "readerRefuses")
    /// The sound card or the reader's link cannot be opened.
    public static let linkFailed = PGSwipeWarningCode(rawValue: "linkFailed")
    /// The controller could not change the volume.
    public static let volumeUnchanged = PGSwipeWarningCode(rawValue: "volumeUnchanged")
}
