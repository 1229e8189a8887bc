internal import JackdawSystem

/// Who waits for what comes of a reader's communication test.
final class CommunicationTests: Sendable {
    private let waiting = SystemLock<[@Sendable (Bool) -> Void]>([])

    func add(_ tell: @escaping @Sendable (Bool) -> Void) { waiting.withLock { $0.append(tell) } }

    /// Tells all of them.
    func finish(_ success: Bool) {
        let tells = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for tell in tells { tell(success) }
    }
}
