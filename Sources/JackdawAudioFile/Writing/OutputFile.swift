import Glibc
import JackdawSystem
import JackdawTransport

/// A file in the making: in a temporary file until it is put in its place, and nowhere if that never comes.
package struct OutputFile: ~Copyable, Sendable {
    /// The fate of a file that is there already, once the new one is in its place.
    package enum Predecessor: Sendable {
        /// It keeps its permissions, and symbolic links stay links. A device or a FIFO gets the content.
        case keepsItsPlace
        /// It is replaced by a file for this user alone; of a symbolic link, the link.
        case isReplaced
        /// The same, if it is sound that only this user may read or is empty; any other file, and a link, is refused.
        case isPrivateSound
    }

    /// A file that is not in its place yet.
    private struct Pending {
        let temporary: String
        let final: String
        let mode: mode_t
        /// Whether only private sound may be in its place.
        let replacesSound: Bool
    }

    private let path: String
    private let content: OwnedDescriptor
    private var pending: Pending?
    /// Gets a copy, and is not a file: standard output, a device, a FIFO.
    private let stream: OwnedDescriptor?

    /// Sound of a swipe is card data: a new file is for this user alone.
    private static let newFileMode: mode_t = 0o600

    /// Makes sure that the path can be written and opens a temporary file for it.
    /// - Parameters:
    ///   - path: a path; where it keeps its place, `-` is standard output.
    ///   - predecessor: the fate of a file that is there already.
    /// - Throws: ``AudioFileError`` with code `io`.
    package init(path: String, predecessor: Predecessor = .keepsItsPlace) throws(AudioFileError) {
        var status = stat()
        if predecessor != .keepsItsPlace {
            if predecessor == .isPrivateSound { try OutputFile.checkPrivateSound(path) }
            try self.init(
                path: path, final: path, mode: OutputFile.newFileMode, replacesSound: predecessor == .isPrivateSound)
        } else if path == "-" {
            try self.init(path: path, stream: .duplicate(of: STDOUT_FILENO, path: path))
        } else if unsafe stat(FileName.characters(of: path), &status) != 0 {
            try self.init(path: path, final: path, mode: OutputFile.newFileMode)
        } else if status.st_mode & S_IFMT == S_IFREG {
            try self.init(path: path, final: OutputFile.resolved(path), mode: status.st_mode & 0o777)
        } else {
            let number = unsafe open(FileName.characters(of: path), O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard number >= 0 else { throw OutputFile.failure(path) }
            try self.init(path: path, stream: OwnedDescriptor(number))
        }
    }

    private init(path: String, stream: consuming OwnedDescriptor) throws(AudioFileError) {
        content = try .anonymousFile(for: path)
        self.stream = consume stream
        self.path = path
    }

    private init(
        path: String, final: String, mode: mode_t, replacesSound: Bool = false
    ) throws(AudioFileError) {
        let file = try TemporaryFile(in: FileName.directory(of: final), for: path)
        pending = Pending(temporary: file.path, final: final, mode: mode, replacesSound: replacesSound)
        content = file.descriptor
        stream = nil
        self.path = path
    }

    deinit {
        if let pending { unsafe unlink(FileName.characters(of: pending.temporary)) }
    }

    /// A descriptor to write the content with, closed on its own.
    borrowing func descriptor() throws(AudioFileError) -> OwnedDescriptor {
        try .duplicate(of: content.number, path: path)
    }

    /// Writes bytes after those before.
    /// - Throws: ``AudioFileError`` with code `io`.
    package borrowing func write(_ bytes: [UInt8]) throws(AudioFileError) {
        do throws(SystemFailure) {
            try writeAll(bytes, to: content.number)
        } catch {
            throw OutputFile.failure(path, error)
        }
    }

    /// Puts a file in its place, complete or not; what is written later is there, too. What is not a file gets its content
    /// when it is complete.
    /// - Throws: ``AudioFileError`` with code `io`; the path is then as it was before.
    package mutating func place() throws(AudioFileError) {
        guard let pending else { return }
        // It may have come since the start.
        if pending.replacesSound { try OutputFile.checkPrivateSound(pending.final) }
        fchmod(content.number, pending.mode)
        guard content.rename(pending.temporary, to: pending.final) else { throw OutputFile.failure(path) }
        self.pending = nil
    }

    /// Puts the complete content where it belongs, on the disk.
    /// - Throws: ``AudioFileError`` with code `io`; unless it was put there before, the path is then as it was.
    package consuming func commit() throws(AudioFileError) {
        guard pending == nil else { return try place() }
        switch stream {
        case .none: try sync()
        case .some(let target):
            lseek(content.number, 0, SEEK_SET)
            do throws(SystemFailure) {
                try content.copy(to: target, limit: .max)
            } catch {
                throw OutputFile.failure(path, error)
            }
        }
    }

    /// Writes all bytes so far to the disk.
    /// - Throws: ``AudioFileError`` with code `io`.
    package borrowing func sync() throws(AudioFileError) {
        guard retried({ fsync(content.number) }) == 0 else { throw OutputFile.failure(path) }
    }

    /// Refuses a file that may be something else than a recording, or that others may read or have open.
    private static func checkPrivateSound(_ path: String) throws(AudioFileError) {
        // Neither waits nor follows.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let number = unsafe open(FileName.characters(of: path), flags)
        guard number >= 0 else {
            switch errno {
            case ENOENT: return
            // A symbolic link, and what is no file.
            case ELOOP, ENXIO, ENODEV: throw refusal(path)
            default: throw failure(path)
            }
        }
        let file = OwnedDescriptor(number)
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw failure(path) }
        guard status.isPrivateFile else { throw refusal(path) }
        var beginning = [UInt8](repeating: 0, count: 4)
        let count = unsafe beginning.withUnsafeMutableBytes { unsafe pread(file.number, $0.baseAddress, $0.count, 0) }
        guard count == 0 || ["RIFF", "fLaC"].contains(String(decoding: beginning, as: UTF8.self)) else {
            throw refusal(path)
        }
        guard flock(file.number, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw AudioFileError(.io, path: path, "is being written by another process; take another file")
        }
    }

    private static func refusal(_ path: String) -> AudioFileError {
        AudioFileError(
            .io, path: path,
            "is there, and no recording that only this user may read; take another file, or remove it")
    }

    private static func failure(_ path: String, _ cause: SystemFailure = .last) -> AudioFileError {
        AudioFileError(.io, path: path, "cannot be written", underlying: cause.message)
    }

    /// The file that a symbolic link leads to, so that the link stays one.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(FileName.characters(of: path), nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe FileName.text(of: UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }
}
