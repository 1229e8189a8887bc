/// Something that a program should not do, or that readers suffer from; nothing fails by it.
public struct PGSwipeWarning: Sendable, CustomStringConvertible {
    /// The kind of warning. More may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// Its name.
        public let rawValue: String

        /// Of a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The type of reader was changed again and again: readers may malfunction by it.
        public static let typeChangedRepeatedly = Code(rawValue: "typeChangedRepeatedly")
        /// A call that the reader's settings or its state leave no room for; it was not done.
        public static let callIgnored = Code(rawValue: "callIgnored")
        /// A request for a swipe was cancelled before the reader waited for a card, which is told in no other way.
        public static let requestCanceled = Code(rawValue: "requestCanceled")
        /// A reader does not take what it is told.
        public static let readerRefuses = Code(rawValue: "readerRefuses")
        /// The sound card or the reader's link cannot be opened.
        public static let linkFailed = Code(rawValue: "linkFailed")
        /// The volume could not be changed.
        public static let volumeUnchanged = Code(rawValue: "volumeUnchanged")
    }

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
