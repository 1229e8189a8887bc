/// Why a swipe that was waited for did not come.
public struct PGSwipeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// Its name.
        public let rawValue: String

        /// Of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No reader is activated, or it does something else.
        public static let notReady = Code(rawValue: "notReady")
        /// No card came in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The request was cancelled, by a call or with the task that waited.
        public static let canceled = Code(rawValue: "canceled")
        /// The reader was detached, lost or switched off.
        public static let disconnected = Code(rawValue: "disconnected")
        /// A card was swiped that could not be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The controller was shut down.
        public static let shutDown = Code(rawValue: "shutDown")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it, without card data.
    public let message: String

    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: what is wrong and what to do about it.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

/// The kind of a ``PGSwipeWarning``. More may be added.
public struct PGSwipeWarningCode: RawRepresentable, Sendable, Hashable {
    /// Its name.
    public let rawValue: String

    /// Of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The type of reader was changed again and again: readers may malfunction by it.
    public static let typeChangedRepeatedly = PGSwipeWarningCode(rawValue: "typeChangedRepeatedly")
    /// A call that the reader's settings or its state leave no room for; it was not done.
    public static let callIgnored = PGSwipeWarningCode(rawValue: "callIgnored")
    /// A request for a swipe was cancelled before the reader waited for a card, which is told in no other way.
    public static let requestCanceled = PGSwipeWarningCode(rawValue: "requestCanceled")
    /// A reader does not take what it is told.
    public static let readerRefuses = PGSwipeWarningCode(rawValue: "readerRefuses")
    /// The sound card or the reader's link cannot be opened.
    public static let linkFailed = PGSwipeWarningCode(rawValue: "linkFailed")
    /// The volume could not be changed.
    public static let volumeUnchanged = PGSwipeWarningCode(rawValue: "volumeUnchanged")
}
