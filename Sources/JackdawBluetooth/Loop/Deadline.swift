internal import JackdawTransport

/// Does something that takes no longer than a time, and gives it up when that is over.
/// - Parameters:
///   - limit: the longest that it may take; nil for no limit.
///   - clock: measures it.
///   - late: what is thrown where the time is over.
///   - operation: heeds being cancelled.
/// - Returns: what `operation` does.
/// - Throws: what `operation` does, and `late`.
func withDeadline<Value: Sendable>(
    _ limit: Duration?, of clock: any Clock<Duration>, late: LinkError,
    _ operation: @escaping @Sendable () async throws(LinkError) -> Value
) async throws(LinkError) -> Value {
    guard let limit else { return try await operation() }
    let result = await withTaskGroup(of: Result<Value, LinkError>?.self) { group in
        group.addTask {
            do throws(LinkError) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        group.addTask {
            do {
                try await clock.sleep(for: limit)
                return .failure(late)
            } catch {
                // Cancelled with the rest, and the operation says so.
                return nil
            }
        }
        defer { group.cancelAll() }
        while let result = await group.next() {
            if let result { return result }
        }
        return .failure(late)
    }
    return try result.get()
}
