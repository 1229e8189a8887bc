import Glibc

/// A value under a lock of the system (`pthread_mutex_t`). `Mutex` hands a contended lock over through a futex, which
/// ThreadSanitizer cannot see, so that it reports false races.
@safe package final class SystemLock<Value>: @unchecked Sendable, CustomReflectable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Empty: a dump of an object must not read the value without the lock, nor show secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Runs `body` with the value while holding the lock; other threads wait.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
