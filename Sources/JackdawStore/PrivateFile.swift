#if Payments
import Glibc
import JackdawSystem

/// The error of a file that only one user may read.
struct FileFault: Error {
    enum Kind {
        /// There is no such file.
        case missing
        /// Another user could read or change the file, or it is a link or no regular file.
        case notPrivate
        case tooLarge
        /// The disk has no room.
        case full
        case system
    }

    let kind: Kind
    let path: String
    /// The reason or the system's text.
    let cause: String

    init(_ kind: Kind, _ path: String, _ cause: String) {
        self.kind = kind
        self.path = path
        self.cause = cause
    }

    /// The failure of the last call of the system.
    static func last(_ path: String) -> FileFault {
        let failure = SystemFailure.last
        let kind: Kind =
            switch failure.code {
            case ENOENT: .missing
            case ELOOP: .notPrivate
            case ENOSPC, EDQUOT: .full
            default: .system
            }
        return FileFault(kind, path, failure.message)
    }
}

/// Files that only this user may read and write. They are never opened through links.
enum PrivateFile {
    /// The permissions of files.
    static let mode: mode_t = 0o600

    /// The files that another program of the system made for this one (systemd's credentials) belong to root, and their
    /// group may read them.
    enum Origin {
        case own
        case system
    }

    /// Opens a file.
    /// - Parameters:
    ///   - path: its path, of which the last part is no link.
    ///   - flags: those of `open`: `O_RDONLY`, `O_RDWR`, `O_CREAT`, `O_EXCL`.
    ///   - origin: decides on the permissions that the file may have.
    /// - Returns: the descriptor.
    /// - Throws: ``FileFault``.
    static func open(_ path: String, _ flags: Int32, _ origin: Origin = .own) throws(FileFault) -> Int32 {
        // Without waiting for the other end, if it is a pipe.
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = retried { unsafe Glibc.open(path, flags, mode) }
        guard file >= 0 else { throw .last(path) }
        do throws(FileFault) {
            var facts = stat()
            guard unsafe fstat(file, &facts) == 0 else { throw .last(path) }
            try check(facts, path, origin)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// Checks a file without opening it; another program may have made it.
    /// - Returns: whether there is one.
    static func check(_ path: String) throws(FileFault) -> Bool {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            guard errno == ENOENT else { throw .last(path) }
            return false
        }
        try check(facts, path, .own)
        return true
    }

    private static func check(_ facts: stat, _ path: String, _ origin: Origin) throws(FileFault) {
        guard facts.st_mode & S_IFMT == S_IFREG else { throw FileFault(.notPrivate, path, "it is no regular file") }
        guard facts.st_nlink == 1 else { throw FileFault(.notPrivate, path, "it has more names than one") }
        let isOwner = facts.st_uid == geteuid() || (origin == .system && facts.st_uid == 0)
        guard isOwner else { throw FileFault(.notPrivate, path, "another user owns it") }
        guard facts.st_mode & (origin == .own ? 0o077 : 0o037) == 0 else {
            throw FileFault(.notPrivate, path, "other users may use it: chmod 600")
        }
    }

    /// Checks that no other user can replace the files of a folder.
    static func checkFolder(of path: String) throws(FileFault) {
        let folder = folder(of: path)
        var facts = stat()
        guard unsafe stat(folder, &facts) == 0 else { throw .last(folder) }
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw FileFault(.notPrivate, folder, "another user owns it")
        }
        // In a folder with the sticky bit, users replace only their own files.
        guard facts.st_mode & 0o022 == 0 || facts.st_mode & S_ISVTX != 0 else {
            throw FileFault(.notPrivate, folder, "other users may write in it: chmod 700")
        }
    }

    /// Writes the names of a folder's files to the disk.
    static func syncFolder(of path: String) throws(FileFault) {
        let folder = folder(of: path)
        let file = retried { unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard file >= 0 else { throw .last(folder) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .last(folder) }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes a new file, and its name, to the disk.
    /// - Parameters:
    ///   - bytes: the whole content.
    ///   - path: the path, at which there is no file.
    /// - Throws: ``FileFault``; there is then no file.
    static func create(_ bytes: Span<UInt8>, at path: String) throws(FileFault) {
        let file = try open(path, O_WRONLY | O_CREAT | O_EXCL)
        do throws(FileFault) {
            defer { close(file) }
            var written = 0
            while written < bytes.count {
                let rest = bytes.extracting(written..<bytes.count)
                let count = unsafe rest.withUnsafeBufferPointer { rest in
                    retried { unsafe write(file, rest.baseAddress, rest.count) }
                }
                guard count > 0 else { throw .last(path) }
                written += count
            }
            guard fsync(file) == 0 else { throw .last(path) }
            try syncFolder(of: path)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }
}
#endif
