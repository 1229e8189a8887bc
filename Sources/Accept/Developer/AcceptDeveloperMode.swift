// The developer mode of the SDK (`DEV_MODE_ENABLED`): the guide 1.6.182, chapter 2.

/// The developer mode: it shows each request with its answer, and keeps a log of each payment, successful or not.
///
/// A log has the steps of the payment, the tasks and events of the terminal, and the requests in that time. Of a request it
/// has the path and the names of the values, of an answer the status; values are masked but amounts, currencies, states and
/// identifiers of payments. Card data, names, addresses, tokens and passwords are in none.
public struct AcceptDeveloperMode: Sendable {
    /// Receives each request, answer and error as it comes. It must return at once.
    public var show: @Sendable (AcceptDeveloperLine) -> Void
    /// Receives the log of each payment at its end, for a file. It must return at once.
    public var keep: @Sendable (AcceptTransactionLog) -> Void

    /// A developer mode. By default nothing is shown or kept.
    public init(
        show: @escaping @Sendable (AcceptDeveloperLine) -> Void = { _ in },
        keep: @escaping @Sendable (AcceptTransactionLog) -> Void = { _ in }
    ) {
        self.show = show
        self.keep = keep
    }
}

/// A line of the developer mode, with its values masked.
public struct AcceptDeveloperLine: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a line. The SDK marks them by colours.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A request to the host; blue in the SDK.
        case request
        /// An answer with a status of 2xx; green in the SDK.
        case response
        /// Another answer, or a request without an answer; red in the SDK.
        case error
    }

    /// The kind of the line.
    public let kind: Kind
    /// The text, at most ``AcceptTransactionLog/maxLineBytes`` bytes of ASCII.
    public let text: String

    public var description: String { "\(kind.rawValue): \(text)" }
}

/// The log of a payment, with its values masked.
public struct AcceptTransactionLog: Sendable, Hashable {
    /// The most lines of a log; further ones are left out, except the last.
    public static let maxLines = 1000
    /// The most bytes of a line.
    public static let maxLineBytes = 400

    /// A name for a file: the terminal and the payment, `PosMate-1-A1.log`. It has letters, digits, `-` and `_` of ASCII
    /// before its end.
    public let fileName: String
    /// The lines, each with the time since the payment began: `+1.250 s step insertOrSwipeCard`.
    public let lines: [String]
    /// The number of lines that were left out.
    public let leftOut: Int

    /// The lines, each with its end.
    public var text: String { lines.map { $0 + "\n" }.joined() }
}
