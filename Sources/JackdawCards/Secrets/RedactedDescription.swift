#if hasFeature(Embedded)

/// A value whose every printed form is its `description`, which shows masked data only.
/// Embedded Swift has no reflection.
public protocol RedactedDescription: Sendable, CustomStringConvertible, CustomDebugStringConvertible {}

#else

/// A value whose every printed form is its `description`, which shows masked data only.
///
/// `print`, interpolation, `String(reflecting:)`, `dump` and `Mirror` all use it, so that no log line, assertion or
/// crash report of a program that handles cards can contain more.
public protocol RedactedDescription: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension RedactedDescription {
    /// A mirror without children: reflection shows none of the content.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

#endif

extension RedactedDescription {
    /// The same as `description`.
    public var debugDescription: String { description }
}
