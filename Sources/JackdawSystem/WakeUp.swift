internal import CLinux
import Glibc

/// Wakes a thread that waits (`eventfd`).
package final class WakeUp: Sendable {
    /// What to wait for: readable once it was rung.
    package let descriptor: Int32

    /// - Throws: ``SystemFailure`` where the process has no descriptor to spare.
    package init() throws(SystemFailure) {
        descriptor = jackdaw_eventfd()
        guard descriptor >= 0 else { throw .last }
    }

    deinit { Glibc.close(descriptor) }

    /// Wakes whoever waits, or will; never waits itself.
    package func ring() {
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets that it was rung.
    package func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Waits until it is rung, and clears it.
    /// - Parameter milliseconds: how long at most; negative for ever.
    /// - Returns: whether it was rung.
    package func wait(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, milliseconds) > 0 else { return false }
        clear()
        return true
    }
}
