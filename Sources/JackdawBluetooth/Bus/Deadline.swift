/// Does something that heeds cancellation, and gives it up when it takes too long.
/// - Parameters:
///   - limit: how long it may take.
///   - clock: what tells the time.
///   - expired: what is thrown when it was given up.
func withDeadline<Value: Sendable, Failure: Error>(
    _ limit: Duration, on clock: any Clock<Duration>, orThrow expired: Failure,
    _ body: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withTaskGroup(of: Result<Value, Failure>?.self) { group in
        group.addTask {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        group.addTask {
            do { try await clock.sleep(for: limit) } catch { return nil }
            return .failure(expired)
        }
        var first: Result<Value, Failure>?
        while first == nil, let result = await group.next() { first = result }
        group.cancelAll()
        return first ?? .failure(expired)
    }
    return try result.get()
}
