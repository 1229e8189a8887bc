import Glibc

/// Makes a call until no signal interrupts it.
/// - Returns: what the call does, negative where it failed.
func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Makes a call until no signal interrupts it.
/// - Returns: what the call does.
/// - Throws: ``SystemFailure`` where that is negative.
func retrying<Result: SignedInteger>(_ call: () -> Result) throws(SystemFailure) -> Result {
    let result = retried(call)
    guard result >= 0 else { throw .last }
    return result
}

/// Writes all of some bytes, and waits when a descriptor that does not block has no room.
/// - Parameters:
///   - bytes: the bytes to write.
///   - descriptor: an open file, pipe or terminal.
/// - Throws: ``SystemFailure``; a part may have been written.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemFailure) {
    var written = 0
    while written < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            return retried { unsafe write(descriptor, rest.baseAddress, rest.count) }
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

/// Waits until a descriptor can be read or written, or a signal comes.
/// - Parameters:
///   - descriptor: an open pipe or terminal.
///   - events: `POLLIN` or `POLLOUT`.
package func awaitReadiness(of descriptor: Int32, for events: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    unsafe poll(&entry, 1, -1)
}
