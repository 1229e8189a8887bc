/// Runs a server for the time of a body, and ends it by cancellation.
/// - Parameters:
///   - run: serves until its task is cancelled, and reports the port when the server listens.
///   - body: receives the port. Connections must be closed at its end if the server waits for them.
/// - Throws: an error of the body or of the server. That of its cancellation is none.
public func serving(
    _ run: @escaping @Sendable (_ isListening: @escaping @Sendable (Int) -> Void) async throws -> Void,
    _ body: (Int) async throws -> Void
) async throws {
    let (ports, continuation) = AsyncStream<Int>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { continuation.finish() }
            try await run { continuation.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        // Without a port the server has ended with an error.
        guard let port = await iterator.next() else { return try await group.waitForAll() }
        try await body(port)
        group.cancelAll()
        while let result = await group.nextResult() {
            if case .failure(let error) = result, !(error is CancellationError) { throw error }
        }
    }
}
