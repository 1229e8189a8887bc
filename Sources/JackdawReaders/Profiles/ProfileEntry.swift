/// A value of a profile, and how it is known.
public struct ProfileEntry: Sendable, Hashable {
    /// What it is, in a few words.
    public var title: String
    /// What kind of value it is, or has to be.
    public let kind: ProfileValue.Kind
    /// The value; nil where nobody has told it.
    public let value: ProfileValue?
    /// How it is known.
    public var provenance: Provenance
    /// Who has told it, or why nobody has.
    public var source: String

    /// A value that is known, or made up.
    /// - Parameters:
    ///   - title: what it is.
    ///   - value: the value.
    ///   - provenance: how it is known.
    ///   - source: who has told it.
    public init(_ title: String, _ value: ProfileValue, _ provenance: Provenance, _ source: String) {
        self.title = title
        kind = value.kind
        self.value = value
        self.provenance = provenance
        self.source = source
    }

    /// A value that nobody has told.
    /// - Parameters:
    ///   - title: what it is.
    ///   - kind: what kind of value it has to be.
    ///   - source: why nobody has.
    public init(_ title: String, missing kind: ProfileValue.Kind, _ source: String = "not published") {
        self.title = title
        self.kind = kind
        value = nil
        provenance = .unknown
        self.source = source
    }
}
