import Glibc

/// A call to the system that failed.
package struct SystemFailure: Error, Hashable {
    /// The system's number of what went wrong, positive.
    package let code: Int32

    /// A failure with a number of the system.
    package init(code: Int32) { self.code = code }

    /// The failure that the last call in this thread left behind.
    package static var last: SystemFailure { SystemFailure(code: errno) }

    /// Whether the system is short of something, which comes back when other things end: descriptors of the process and of the
    /// system, buffers, memory, descriptors to watch.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC].contains(code) }

    /// The system's words for it.
    package var message: String { unsafe String(cString: strerror(code)) }
}
