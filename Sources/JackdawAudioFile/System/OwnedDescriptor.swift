import Glibc
import JackdawTransport

/// A file descriptor that is closed with its owner.
struct OwnedDescriptor: ~Copyable, Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }

    /// Gives the descriptor away, open.
    consuming func release() -> CInt {
        let number = number
        discard self
        return number
    }
}

/// The system's words for an error number.
func systemMessage(_ number: CInt) -> String {
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}

/// Repeats a system call that a signal interrupted. The corresponding check in C is `errno == EINTR`.
func retryingInterrupts(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        guard result == -1, errno == EINTR else { return result }
    }
}

/// Reads up to a buffer's size from the current position, waiting where a non-blocking descriptor has nothing yet.
/// - Returns: bytes read, 0 at the end, or -1 with `errno` set.
func readWaiting(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = retryingInterrupts { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
        guard count == -1, errno == EAGAIN else { return count }
        awaitReadiness(of: descriptor, for: POLLIN)
    }
}

private func awaitReadiness(of descriptor: CInt, for events: CInt) {
    var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    unsafe poll(&waiting, 1, -1)
}

extension OwnedDescriptor {
    /// Makes a file without a name, gone with its last descriptor: in `TMPDIR`, or /tmp.
    /// - Parameter path: of the sound, for error messages.
    /// - Returns: the file, open for reading and writing.
    /// - Throws: ``AudioFileError`` with code `io`.
    static func anonymousFile(for path: String) throws(AudioFileError) -> OwnedDescriptor {
        let directory =
            unsafe getenv("TMPDIR").map { directory in
                unsafe FileName.text(of: UnsafeRawBufferPointer(start: directory, count: strlen(directory)))
            } ?? "/tmp"
        let file = try TemporaryFile(in: directory, for: path)
        unsafe unlink(FileName.characters(of: file.path))
        return file.descriptor
    }

    /// A second descriptor of an open file, closed on its own. The corresponding C command is `F_DUPFD_CLOEXEC`.
    /// - Throws: ``AudioFileError`` with code `io`.
    static func duplicate(of number: CInt, path: String) throws(AudioFileError) -> OwnedDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw AudioFileError(.io, path: path, "cannot be opened", underlying: systemMessage(errno))
        }
        return OwnedDescriptor(copy)
    }

    /// Writes a whole buffer at the current position.
    /// - Returns: whether all of it went out; `errno` says why not.
    borrowing func writeAll(_ buffer: UnsafeRawBufferPointer) -> Bool {
        var rest = unsafe buffer
        while unsafe !rest.isEmpty {
            let count = retryingInterrupts { unsafe Glibc.write(number, rest.baseAddress, rest.count) }
            if count == -1 && errno == EAGAIN {
                awaitReadiness(of: number, for: POLLOUT)
                continue
            }
            guard count > 0 else { return false }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// Copies from the current position to the end into another descriptor; more than `limit` bytes are a failure with
    /// `errno` `EFBIG`.
    /// - Returns: whether all of it was copied; `errno` says why not.
    borrowing func copy(to target: borrowing OwnedDescriptor, limit: Int) -> Bool {
        var copied = 0
        return unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            defer { unsafe wipe(buffer) }
            while true {
                let count = unsafe readWaiting(number, into: buffer)
                guard count > 0 else { return count == 0 }
                copied += count
                guard copied <= limit else {
                    errno = EFBIG
                    return false
                }
                guard unsafe target.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return false }
            }
        }
    }
}
