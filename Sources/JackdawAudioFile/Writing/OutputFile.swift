import Glibc

/// A file in the making: in a temporary file until it is complete, then in its place, and nowhere if that never comes.
struct OutputFile: ~Copyable, Sendable {
    private let path: String
    private let content: OwnedDescriptor
    private var destination: Destination

    private enum Destination: ~Copyable, Sendable {
        /// Rename the temporary file, giving it these permissions.
        case place(temporary: String, final: String, mode: mode_t)
        /// Copy to what is not a file: standard output, a device, a FIFO.
        case stream(OwnedDescriptor)
        /// Nothing is left to do.
        case done
    }

    /// Sound of a swipe is card data: a new file is for this user alone.
    private static let newFileMode: mode_t = 0o600

    /// Makes sure that the path can be written and opens a temporary file for it.
    /// - Parameter path: a path, or `-` for standard output.
    /// - Throws: ``AudioFileError`` with code `io`.
    init(path: String) throws(AudioFileError) {
        var status = stat()
        if path == "-" {
            try self.init(path: path, stream: .duplicate(of: STDOUT_FILENO, path: path))
        } else if unsafe stat(path, &status) != 0 {
            try self.init(path: path, final: path, mode: OutputFile.newFileMode)
        } else if status.st_mode & S_IFMT == S_IFREG {
            try self.init(path: path, final: OutputFile.resolved(path), mode: status.st_mode & 0o777)
        } else {
            let number = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard number >= 0 else { throw OutputFile.failure(path) }
            try self.init(path: path, stream: OwnedDescriptor(number))
        }
    }

    private init(path: String, stream: consuming OwnedDescriptor) throws(AudioFileError) {
        content = try .anonymousFile(for: path)
        destination = .stream(stream)
        self.path = path
    }

    private init(path: String, final: String, mode: mode_t) throws(AudioFileError) {
        let file = try TemporaryFile(in: OutputFile.directory(of: final), for: path)
        destination = .place(temporary: file.path, final: final, mode: mode)
        content = file.descriptor
        self.path = path
    }

    deinit {
        if case .place(let temporary, _, _) = destination { unsafe unlink(temporary) }
    }

    /// A descriptor to write the content with, closed on its own.
    borrowing func descriptor() throws(AudioFileError) -> OwnedDescriptor {
        try .duplicate(of: content.number, path: path)
    }

    /// Puts the content where it belongs.
    /// - Throws: ``AudioFileError`` with code `io`; the path is then as it was before.
    consuming func commit() throws(AudioFileError) {
        switch destination {
        case .place(let temporary, let final, let mode):
            fchmod(content.number, mode)
            guard unsafe rename(temporary, final) == 0 else { throw OutputFile.failure(path) }
        case .stream(let target):
            lseek(content.number, 0, SEEK_SET)
            guard content.copy(to: target, limit: .max) else { throw OutputFile.failure(path) }
        case .done:
            break
        }
        destination = .done
    }

    private static func failure(_ path: String) -> AudioFileError {
        AudioFileError(.io, path: path, "cannot be written", underlying: systemMessage(errno))
    }

    /// The file that a symbolic link leads to, so that the link stays one.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[...slash])
    }
}
