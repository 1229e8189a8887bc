import Glibc
internal import JackdawSystem

/// A descriptor that came over the bus or goes over it: closed when it is let go of, unless somebody took it.
final class BusDescriptor: Sendable {
    private let state: SystemLock<Int32?>

    /// Takes a descriptor over.
    init(owning descriptor: Int32) { state = SystemLock(descriptor) }

    /// Copies a descriptor that stays another's.
    init(copying descriptor: Int32) throws(SystemFailure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last }
        state = SystemLock(copy)
    }

    deinit { if let descriptor = take() { close(descriptor) } }

    /// Gives the descriptor away, whose owner is the caller from now on; nil where that was done before.
    func take() -> Int32? {
        state.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Lends the descriptor; nil where it was taken.
    func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result? {
        state.withLock { descriptor in descriptor.map(body) }
    }
}
