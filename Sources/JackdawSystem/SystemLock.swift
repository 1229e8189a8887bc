import Glibc

/// A value behind a lock of the system (`pthread_mutex_t`). `Mutex` hands a lock that is waited for over in the kernel, where
/// the thread sanitizer does not see it and reports races that are none.
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

    /// Empty: who prints an object must neither read the value without the lock, nor show what nobody is to see.
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Uses the value; others wait meanwhile.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
