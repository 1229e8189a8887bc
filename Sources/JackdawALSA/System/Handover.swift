import Synchronization

/// A value that one thread leaves for another, which then has the only copy: what it changes in it is not copied first.
final class Handover<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    /// The value. Once.
    func take() -> Value {
        guard let taken = value.withLock({ $0.take() }) else { preconditionFailure("handed over once") }
        return taken
    }
}
