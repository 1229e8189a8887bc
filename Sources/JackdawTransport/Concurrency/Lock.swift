internal import Synchronization

/// A value under a lock.
///
/// `Mutex` hands a contended lock over through a futex, which ThreadSanitizer cannot see, so that it reports false
/// races. A suppression by name would also hide real races of which one side holds the lock. Instead each holder reads
/// and writes an atomic, from which the sanitizer learns the order; `.ci/thread-sanitizer` checks both.
package final class Lock<Value: ~Copyable>: Sendable, CustomReflectable {
    private let mutex: Mutex<Value>
    private let order = Atomic<UInt8>(0)

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Empty: a dump of an object must not read the value without the lock, nor show secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Runs `body` with the value while holding the lock; other threads wait.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
