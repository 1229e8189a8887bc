/// A value whose every printed form is its `description`, which shows masked data only.
///
/// `print`, interpolation, `String(reflecting:)`, `dump` and `Mirror` all end there, so that no log line, assertion or
/// crash report of a program that handles cards can carry more.
public protocol RedactedDescription: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension RedactedDescription {
    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children: reflection sees nothing of the content.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
