/// How something about a reader is known.
public enum Provenance: String, Sendable, Hashable, CaseIterable {
    /// Its maker has published it.
    case documented
    /// Others have told of it.
    case reported
    /// It follows from what is known, and nobody has confirmed it.
    case inferred
    /// Nobody has told: who has such a reader has to supply it.
    case unknown
}
