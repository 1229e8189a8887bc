internal import CLinux
import Glibc
internal import JackdawSystem

/// A point of the monotonic clock that an ``EventLoop`` can wait for, since sd-bus has such points of its own.
final class BusTimer: Sendable {
    /// What to watch: readable from that point on.
    let descriptor: Int32

    init() throws(SystemFailure) {
        descriptor = jackdaw_timerfd()
        guard descriptor >= 0 else { throw .last }
    }

    deinit { close(descriptor) }

    /// Waits for another point, in microseconds, or for none; and forgets that one has passed.
    func set(_ microseconds: UInt64?) {
        _ = jackdaw_timerfd_set(descriptor, microseconds.map { Int64(clamping: $0) } ?? -1)
    }
}
