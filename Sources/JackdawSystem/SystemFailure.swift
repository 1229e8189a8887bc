import Glibc

/// A call to the system that failed.
package struct SystemFailure: Error, Hashable {
    /// The system's number of what went wrong, positive.
    package let code: Int32

    /// A failure with a number of the system.
    package init(code: Int32) { self.code = code }

    /// The failure that the last call in this thread left behind.
    package static var last: SystemFailure { SystemFailure(code: errno) }

    /// The system's words for it.
    package var message: String { unsafe String(cString: strerror(code)) }
}
