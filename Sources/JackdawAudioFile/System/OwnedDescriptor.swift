import Glibc
import JackdawSystem
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
            throw AudioFileError(.io, path: path, "cannot be opened", underlying: SystemFailure.last.message)
        }
        return OwnedDescriptor(copy)
    }

    /// Copies from the current position to the end into another descriptor.
    /// - Throws: ``SystemFailure``; with code `EFBIG` if there are more than `limit` bytes, with `ETIME` if no more is wanted.
    borrowing func copy(
        to target: borrowing OwnedDescriptor, limit: Int, while isWanted: (() -> Bool)? = nil
    ) throws(SystemFailure) {
        var rest = limit
        var bytes = [UInt8](repeating: 0, count: 65_536)
        defer { unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) } }
        while true {
            let count = try readWaiting(from: number, into: &bytes, while: isWanted)
            guard count > 0 else { return }
            rest -= count
            guard rest >= 0 else { throw SystemFailure(code: EFBIG) }
            try unsafe writeAll(bytes.span.bytes.extracting(0..<count), to: target.number)
        }
    }
}
