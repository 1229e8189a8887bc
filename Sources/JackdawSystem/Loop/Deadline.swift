/// Does something that takes no longer than a time, and gives it up when that is over.
/// - Parameters:
///   - limit: the longest that it may take; nil for no limit.
///   - clock: measures it.
///   - late: what is thrown where the time is over.
///   - operation: heeds being cancelled.
/// - Returns: what `operation` does.
/// - Throws: what `operation` does, and `late`.
package func withDeadline<Value: Sendable, Failure: Error>(
    _ limit: Duration?, of clock: any Clock<Duration>, late: Failure,
    _ operation: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    guard let limit else { return try await operation() }
    let result = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
        group.addTask {
            do throws(Failure) { return .success(try await operation()) } catch { return .failure(error) }
        }
        group.addTask {
            // Where it is cancelled with the rest, the operation says so.
            do { try await clock.sleep(for: limit) } catch { return nil }
            return .failure(late)
        }
        defer { group.cancelAll() }
        while let result = await group.next() {
            if let result { return result }
        }
        return .failure(late)
    }
    return try result.get()
}
