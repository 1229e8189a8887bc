import Glibc
import JackdawBytes
import JackdawSystem
import JackdawTransport

/// A file descriptor that its owner closes when it is destroyed.
struct OwnedDescriptor: ~Copyable, Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }

    /// Gives up ownership and returns the descriptor, still open.
    consuming func release() -> CInt {
        let number = number
        discard self
        return number
    }
}

/// The events that `poll` returns for an input; 0 if it returns none in time.
private func input(of descriptor: CInt, within timeout: Duration) -> CInt {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = CInt(max(.zero, min(timeout, .seconds(3_600))) / .milliseconds(1))
    return unsafe poll(&waiting, 1, milliseconds) > 0 ? CInt(waiting.revents) : 0
}

/// The pause between two looks at a pipe that has part of a piece, in microseconds: `poll`
/// returns at once for such a part.
private let partPause: UInt32 = 10_000

/// Waits until a pipe has a whole piece of its content.
/// - Parameters:
///   - descriptor: the pipe.
///   - size: the size of a piece in bytes.
///   - timeout: the time to wait.
/// - Returns: the number of pieces that can be read without waiting, 0 if none arrived in time; nil at its end.
func piecesReady(in descriptor: CInt, of size: Int, within timeout: Duration) -> Int? {
    let found = input(of: descriptor, within: timeout)
    guard found != 0 else { return 0 }
    var count: CInt = 0
    guard unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0, count > 0 else { return nil }
    guard Int(count) < size else { return Int(count) / size }
    guard found & POLLHUP == 0 else { return nil }
    // A part of a piece has arrived, and `poll` does not wait for the rest.
    usleep(partPause)
    return 0
}

extension OwnedDescriptor {
    /// Creates a file without a name in `TMPDIR`, or /tmp; it disappears when its last descriptor is closed.
    /// - Parameter path: the path of the sound, for error messages.
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

    /// Duplicates the descriptor of an open file; the copy is closed separately. The corresponding C command is
    /// `F_DUPFD_CLOEXEC`.
    /// - Throws: ``AudioFileError`` with code `io`.
    static func duplicate(of number: CInt, path: String) throws(AudioFileError) -> OwnedDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw AudioFileError(.io, path: path, "cannot be opened", underlying: SystemFailure.last.message)
        }
        return OwnedDescriptor(copy)
    }

    /// Copies from the current position to the end into another descriptor.
    /// - Throws: `SystemFailure`, with code `EFBIG` if there are more than `limit` bytes, or `ETIME` if `isWanted`
    ///   returned false.
    borrowing func copy(
        to target: borrowing OwnedDescriptor, limit: Int, while isWanted: (() -> Bool)? = nil
    ) throws(SystemFailure) {
        var rest = limit
        var bytes = [UInt8](repeating: 0, count: 65_536)
        defer { bytes.wipe() }
        while true {
            let count = try readWaiting(from: number, into: &bytes, while: isWanted)
            guard count > 0 else { return }
            rest -= count
            guard rest >= 0 else { throw SystemFailure(code: EFBIG) }
            try unsafe writeAll(bytes.span.bytes.extracting(0..<count), to: target.number)
        }
    }
}

/// A new file, open, that only this user may read and write. It stays until its owner renames or removes it; files of
/// killed processes are removed when the next file is created in the same directory.
package struct TemporaryFile: ~Copyable {
    let descriptor: OwnedDescriptor
    /// The path of the file.
    package let path: String

    /// The start of the file's name, before six random characters.
    private static let beginning = "/.jackdaw-"
    private static let randomCharacters = 6

    /// Creates a file. The corresponding C function is `mkstemp`.
    /// - Parameters:
    ///   - directory: the directory for the file.
    ///   - path: the path of the file that the caller writes, for error messages.
    /// - Throws: ``AudioFileError`` with code `io`.
    package init(in directory: String, for path: String) throws(AudioFileError) {
        Self.removeLeftovers(in: directory)
        while true {
            var name = FileName.characters(of: directory + Self.beginning + "XXXXXX")
            let number = unsafe mkstemp(&name)
            guard number >= 0 else {
                throw AudioFileError(
                    .io, path: path, "cannot create a temporary file in \(directory)",
                    underlying: SystemFailure.last.message)
            }
            let file = OwnedDescriptor(number)
            guard Self.lock(number) else { continue }
            descriptor = file
            self.path = FileName.text(of: name.dropLast().map { UInt8(bitPattern: $0) })
            return
        }
    }

    /// The open file, which the `TemporaryFile` still owns.
    package var number: CInt { descriptor.number }

    /// Renames the file within its file system, after its content is on the disk.
    /// - Returns: whether that succeeded; otherwise `errno` has the reason.
    package func rename(to final: String) -> Bool { descriptor.rename(path, to: final) }

    /// Locks a new file as long as it is open, so that no other process removes it as a leftover.
    /// - Returns: false if a process has already removed it.
    private static func lock(_ number: CInt) -> Bool {
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        // Some file systems have no locks; there, no other process can lock it either.
        _ = retried { flock(number, LOCK_EX) }
        var status = stat()
        return unsafe fstat(number, &status) != 0 || status.st_nlink > 0
    }

    private static func removeLeftovers(in directory: String) {
        guard let folder = unsafe opendir(FileName.characters(of: directory)) else { return }
        defer { unsafe closedir(folder) }
        let wanted = Array(beginning.utf8.dropFirst())
        while let entry = unsafe readdir(folder) {
            // `d_name` is a tuple of 256 characters, terminated by a zero.
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            guard name.starts(with: wanted), name.count == wanted.count + randomCharacters else { continue }
            remove(name.map { CChar(bitPattern: $0) } + [0], in: unsafe dirfd(folder))
        }
    }

    /// Removes a file of this user that no process has locked.
    private static func remove(_ name: [CChar], in folder: CInt) {
        let number = unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return }
        defer { close(number) }
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            flock(number, LOCK_EX | LOCK_NB) == 0
        else { return }
        unsafe unlinkat(folder, name, 0)
    }
}

extension OwnedDescriptor {
    /// Renames an open file within its file system, after its content is on the disk; then writes the directory to the
    /// disk, too.
    /// - Returns: whether the file was renamed; otherwise `errno` has the reason.
    borrowing func rename(_ path: String, to final: String) -> Bool {
        guard retried({ fsync(number) }) == 0,
            unsafe Glibc.rename(FileName.characters(of: path), FileName.characters(of: final)) == 0
        else { return false }
        let directory = FileName.characters(of: FileName.directory(of: final))
        let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Best effort: some file systems cannot open or sync a directory.
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return true
    }
}

/// Memory for samples, allocated when it is first needed and wiped before it is freed: recordings of swipes are card
/// data.
struct WipedMemory<Sample: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    private let count: Int
    private var storage: SecretBuffer<Sample>?

    /// - Parameter count: number of samples, 1 or more.
    init(count: Int) { self.count = count }

    /// The memory, allocated and zeroed at the first call.
    mutating func buffer() -> UnsafeMutableBufferPointer<Sample> {
        let held = storage.take() ?? SecretBuffer(zeroed: count)
        let elements = unsafe held.elements
        storage = consume held
        return unsafe elements
    }
}
