/// How much security is asked for before bytes go over a link.
public enum LinkSecurity: Sendable, Hashable, CaseIterable {
    /// None; some old readers cannot do more.
    case low
    /// Encryption, with a device that was paired in any way.
    case medium
    /// Encryption, with a device that was paired by comparing or typing a code.
    case high
}
