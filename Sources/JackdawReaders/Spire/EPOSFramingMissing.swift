/// Spire's native protocol was asked for without what nobody has published of it.
public struct EPOSFramingMissing: Error, Sendable, Hashable, CustomStringConvertible {
    /// What has to be supplied.
    public let needed = "start bytes, length field, check and end bytes of its frames"

    /// The error, which says the same each time.
    public init() {}

    /// What is missing, and where it goes.
    public var description: String {
        "how Spire's native protocol (EPOS) is framed is not published: supply an EPOSFraming with the \(needed)"
    }
}
