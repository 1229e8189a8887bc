internal import JackdawTransport

/// State that tasks change and wait for: who waits looks again after each change.
public final class Shared<State: Sendable>: Sendable {
    private struct Contents {
        var state: State
        var changes = 0
        var nextNumber = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let contents: Lock<Contents>

    /// State as it is at first.
    public init(_ state: State) { contents = Lock(Contents(state: state)) }

    public var waitingCount: Int { contents.withLock { $0.waiting.count } }

    /// Looks at the state, or changes it, and wakes who waits.
    @discardableResult
    public func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, woken) = contents.withLock { contents in
            let value = body(&contents.state)
            contents.changes += 1
            defer { contents.waiting = [:] }
            return (value, Array(contents.waiting.values))
        }
        for waiting in woken { waiting.resume() }
        return value
    }

    /// Waits until there is something, which the closure may take out of the state.
    /// - Throws: `CancellationError`, with nothing taken.
    public func first<Value: Sendable>(_ body: (inout State) -> Value?) async throws -> Value {
        while true {
            try Task.checkCancellation()
            let (value, seen, number) = contents.withLock { contents in
                contents.nextNumber += 1
                return (body(&contents.state), contents.changes, contents.nextNumber)
            }
            if let value {
                with { _ in }
                return value
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = contents.withLock { contents in
                        // Cancelled before: nothing would wake it.
                        guard contents.changes == seen, !Task.isCancelled else { return true }
                        contents.waiting[number] = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                contents.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
            }
        }
    }

    /// Waits until something is true.
    public func until(_ condition: (State) -> Bool) async throws {
        try await first { state in condition(state) ? () : nil }
    }
}
