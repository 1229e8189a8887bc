import JackdawSystem

/// Starts the threads on which calls of libpcsclite run, since they block. Tests replace it.
struct CallThreads: Sendable {
    /// Starts a thread with a name of at most 15 bytes, which runs the body and ends.
    let start: @Sendable (String, @escaping @Sendable () -> Void) throws(SystemFailure) -> Void

    /// Default: each call of `start` makes a new thread.
    static let system = CallThreads { name, body throws(SystemFailure) in
        try WorkerThread(name: name, body).detach()
    }
}
