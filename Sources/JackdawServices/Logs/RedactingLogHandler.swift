#if Payments
public import Logging
import JackdawPayments

/// A log handler that hides everything that is not marked as open, before another handler writes it.
///
/// - A value of metadata is shown if it has ``LogSensitivity/open``; all others are `hidden`, also inside of lists.
/// - An error is shown by the name of its type alone: its text may have a part of a request.
/// - In messages, names and values that are shown, each run of 12 digits or more is masked, which may be a card number, and
///   control characters are spaces. A text is cut after 256 characters.
///
/// A message is not hidden: it must have no sensitive value in it.
public struct RedactingLogHandler: LogHandler {
    /// The text for a hidden value.
    public static let hidden = "hidden"

    private var base: any LogHandler
    /// Metadata of all lines, which is redacted with that of each line.
    public var metadata: Logger.Metadata
    /// Adds metadata to each line, which is redacted, too. Default: that of the other handler.
    public var metadataProvider: Logger.MetadataProvider?

    /// The least level of lines.
    public var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    /// A handler before another one.
    /// - Parameter base: writes the lines, such as a `StreamLogHandler`. Its metadata and its provider move to this handler.
    public init(_ base: any LogHandler) {
        metadata = base.metadata
        metadataProvider = base.metadataProvider
        self.base = base
        self.base.metadata = [:]
        self.base.metadataProvider = nil
    }

    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var event = event
        // The last one counts, as in the handlers of swift-log.
        var all = metadata
        if let metadataProvider { all.merge(metadataProvider.get()) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        event.message = Logger.Message(stringLiteral: Self.text(event.message.description))
        event.error = event.error.map { HiddenError(type: "\(type(of: $0))") }
        event.metadata = all.isEmpty ? nil : Self.redacted(all)
        base.log(event: event)
    }

    private static func redacted(_ metadata: Logger.Metadata) -> Logger.Metadata {
        var redacted: Logger.Metadata = [:]
        for (name, value) in metadata { redacted[text(name)] = self.redacted(value) }
        return redacted
    }

    private static func redacted(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        switch value {
        case .dictionary(let values): .dictionary(redacted(values))
        case .array(let values): .array(values.map { redacted($0) })
        case .string, .stringConvertible:
            .string(value.attributes[LogSensitivity.self] == .open ? text(value.description) : hidden)
        }
    }

    /// A text without card numbers and control characters.
    private static func text(_ text: String) -> String { ReasonText(text).text }
}

/// An error without its text.
private struct HiddenError: Error, CustomStringConvertible {
    let type: String

    var description: String { type }
}
#endif
