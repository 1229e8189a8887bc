import JackdawSystem

/// Does something that waits for tasks on a thread of its own, as the command does, and not on one that the tasks need.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try WorkerThread(name: "command") { continuation.resume(with: Result { try body() }) }.detach()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
