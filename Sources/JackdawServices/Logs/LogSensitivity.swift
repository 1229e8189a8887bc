#if Payments
public import Logging

/// Whether the value of a log line's metadata may be read by everyone who reads the log: an attribute of swift-log.
///
/// A value without the attribute counts as ``sensitive``, so that a value of another library never shows. Card data,
/// passwords and tokens are no metadata at all.
public enum LogSensitivity: Int64, Sendable, Logger.MetadataValueAttributes.Attribute {
    /// The value may be shown, such as the state of an attempt.
    case open = 1
    /// The value is hidden.
    case sensitive = 2
}

extension Logger.MetadataValue {
    /// A value that may be shown. Never a name, an address, a secret or card data.
    public static func open(_ value: some CustomStringConvertible & Sendable) -> Logger.MetadataValue {
        .attributed(value, attributes: [LogSensitivity.open])
    }
}
#endif
