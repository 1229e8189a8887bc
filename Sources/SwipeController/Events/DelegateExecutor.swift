/// Where a delegate is called: an app's own thread or queue. Swift programs on Linux have no main queue that is always served, so
/// that each app says which it is.
public struct DelegateExecutor: Sendable {
    /// Runs a body once, sooner or later, after those that it was given before.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: runs a body once, sooner or later, after those that it was given before.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// The main actor, for programs with an asynchronous `main`.
    public static let main = DelegateExecutor { body in Task { @MainActor in body() } }

    /// At once, on whichever thread has told what happened.
    public static let immediate = DelegateExecutor { $0() }
}
