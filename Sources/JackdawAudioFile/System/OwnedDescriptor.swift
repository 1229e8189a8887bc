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
/// - Parameters:
///   - descriptor: what to read.
///   - buffer: gets the bytes.
///   - isWanted: is asked again and again while there is nothing to read; nil waits for as long as it takes.
/// - Returns: bytes read, 0 at the end, or -1 with `errno` set: `ETIME` if no more is wanted.
func readWaiting(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, while isWanted: (() -> Bool)? = nil
) -> Int {
    while true {
        if let isWanted {
            while !hasInput(descriptor, within: waitingStep) {
                guard isWanted() else {
                    errno = ETIME
                    return -1
                }
            }
        }
        let count = retryingInterrupts { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
        guard count == -1, errno == EAGAIN else { return count }
        awaitReadiness(of: descriptor, for: POLLIN)
    }
}

/// How long nothing else is looked at while an input is waited for.
private let waitingStep = Duration.milliseconds(100)

/// Waits until there is something to read, an end or an error included; a signal ends it, too.
private func hasInput(_ descriptor: CInt, within timeout: Duration) -> Bool {
    input(of: descriptor, within: timeout) != 0
}

/// What `poll` finds of an input; 0 if there is nothing in time.
private func input(of descriptor: CInt, within timeout: Duration) -> CInt {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = CInt(max(.zero, min(timeout, .seconds(3_600))) / .milliseconds(1))
    return unsafe poll(&waiting, 1, milliseconds) > 0 ? CInt(waiting.revents) : 0
}

/// Waits until a pipe has a whole piece of its content.
/// - Parameters:
///   - descriptor: the pipe.
///   - size: bytes of a piece.
///   - timeout: how long to wait.
/// - Returns: how many pieces can be read without waiting, 0 if there is none in time; nil at its end.
func piecesReady(in descriptor: CInt, of size: Int, within timeout: Duration) -> Int? {
    let found = input(of: descriptor, within: timeout)
    guard found != 0 else { return 0 }
    var count: CInt = 0
    guard unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0, count > 0 else { return nil }
    guard Int(count) < size else { return Int(count) / size }
    guard found & POLLHUP == 0 else { return nil }
    // Part of one is there, for which `poll` does not wait.
    usleep(10_000)
    return 0
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
    /// `errno` `EFBIG`, and one of ``readWaiting(_:into:while:)`` with its own.
    /// - Returns: whether all of it was copied; `errno` says why not.
    borrowing func copy(
        to target: borrowing OwnedDescriptor, limit: Int, while isWanted: (() -> Bool)? = nil
    ) -> Bool {
        var copied = 0
        return unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            defer { unsafe wipe(buffer) }
            while true {
                let count = unsafe readWaiting(number, into: buffer, while: isWanted)
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
