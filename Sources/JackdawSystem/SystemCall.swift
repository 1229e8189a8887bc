import Glibc

/// Repeats a call until no signal interrupts it.
/// - Returns: the call's result, negative if it failed.
package func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Repeats a call until no signal interrupts it.
/// - Returns: the call's result.
/// - Throws: ``SystemFailure`` if the result is negative.
func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemFailure) -> Result {
    let result = retried(call)
    guard result >= 0 else { throw .last }
    return result
}

/// Writes all of some bytes, and waits while a non-blocking descriptor has no room.
/// - Parameters:
///   - bytes: the bytes to write.
///   - descriptor: an open file, pipe or terminal.
/// - Throws: ``SystemFailure``; a part of the bytes may have been written.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFailure) {
    try unsafe writeAll(bytes.span.bytes, to: descriptor)
}

/// Writes all of some memory, and waits while a non-blocking descriptor has no room.
/// - Parameters:
///   - bytes: the memory to write.
///   - descriptor: an open file, pipe or terminal.
/// - Throws: ``SystemFailure``; a part of the memory may have been written.
package func writeAll(_ bytes: RawSpan, to descriptor: Int32) throws(SystemFailure) {
    var written = 0
    while written < bytes.byteCount {
        let count = unsafe bytes.extracting(written..<bytes.byteCount).withUnsafeBytes { rest in
            retried { unsafe write(descriptor, rest.baseAddress, rest.count) }
        }
        if count > 0 {
            written += count
        } else if count < 0, errno == EAGAIN {
            awaitReadiness(of: descriptor, for: POLLOUT)
        } else {
            throw count < 0 ? .last : SystemFailure(code: EIO)
        }
    }
}

/// Reads the available bytes into an array, and waits if a non-blocking descriptor has no bytes yet.
/// - Parameters:
///   - descriptor: an open file, pipe or terminal.
///   - bytes: receives the bytes; its size does not change.
///   - start: the index of the first byte to overwrite.
///   - isWanted: called repeatedly while there is nothing to read, and returns false to end the wait; nil waits without
///     limit.
/// - Returns: the number of bytes read; 0 at the end.
/// - Throws: ``SystemFailure``, with code `ETIME` if `isWanted` returned false.
package func readWaiting(
    from descriptor: Int32, into bytes: inout [UInt8], at start: Int = 0, while isWanted: (() -> Bool)? = nil
) throws(SystemFailure) -> Int {
    while true {
        if let isWanted {
            while !hasInput(descriptor, within: 100) {
                guard isWanted() else { throw SystemFailure(code: ETIME) }
            }
        }
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            retried { unsafe read(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start) }
        }
        if count >= 0 { return count }
        guard errno == EAGAIN else { throw .last }
        awaitReadiness(of: descriptor, for: POLLIN)
    }
}

/// Waits until there is something to read, an end or an error included; a signal ends the wait as well.
/// - Parameters:
///   - descriptor: the open file, pipe or terminal.
///   - timeout: the longest wait, in milliseconds.
/// - Returns: whether a read returns at once.
private func hasInput(_ descriptor: Int32, within timeout: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, timeout) > 0
}

extension stat {
    /// Whether this is a regular file with one name that only this user may read and write.
    package var isPrivateFile: Bool {
        st_mode & S_IFMT == S_IFREG && st_nlink == 1 && st_uid == geteuid() && st_mode & 0o777 == 0o600
    }
}

/// Waits until a descriptor can be read or written, or a signal arrives.
/// - Parameters:
///   - descriptor: an open pipe or terminal.
///   - events: `POLLIN` or `POLLOUT`.
package func awaitReadiness(of descriptor: Int32, for events: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    unsafe poll(&entry, 1, -1)
}

/// A system call that failed.
package struct SystemFailure: Error, Hashable {
    /// The system's error number (`errno`), positive.
    package let code: Int32

    /// A failure with the system's error number.
    package init(code: Int32) { self.code = code }

    /// The failure of the last call in this thread (`errno`).
    package static var last: SystemFailure { SystemFailure(code: errno) }

    /// Whether the system is short of a resource that becomes free when other activity ends: descriptors of the process
    /// and of the system, buffers, memory, descriptors to watch.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC].contains(code) }

    /// The system's text for ``code``.
    package var message: String { unsafe String(cString: strerror(code)) }
}

/// File descriptors that a process must leave free for libdispatch, which runs Swift's tasks.
package enum DispatchDescriptors {
    /// One: a file in /proc, which libdispatch opens each second to count running threads, and without which it traps
    /// (swift-corelibs-libdispatch, src/event/workqueue.c).
    package static let count = 1
}
