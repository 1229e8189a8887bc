import JackdawPayments

/// A payment host for tests, as a machine without I/O.
public struct Sandbox: Sendable {
    public init() {}
}
