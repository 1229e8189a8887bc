import Glibc
package import JackdawTransport

/// Files that programs keep from one run to the next, in a directory that only this user may read.
package struct StateDirectory {
    private let path: String

    /// Most bytes that ``load(_:)`` returns; of a longer file it returns up to 4,096 more.
    package static let maxBytes = 65_536

    /// A directory, which is created when it is first needed.
    package init(_ path: String) { self.path = path }

    /// The state directory for the programs of this process's user; nil if there is none.
    package static var usualPath: String? { standardPath() }

    /// The state directory for this user's programs: `STATE_DIRECTORY`, which systemd sets for a service that asks for
    /// it, `XDG_STATE_HOME/jackdaw`, `/var/lib/jackdaw` for root, or `~/.local/state/jackdaw`.
    /// - Parameters:
    ///   - user: the user's number.
    ///   - variable: returns the value of an environment variable.
    /// - Returns: the path, or nil if `HOME` is not set either.
    static func standardPath(user: uid_t = geteuid(), variable: (String) -> String? = environment) -> String? {
        // Both variables must hold absolute paths by their specifications, and a colon separates several directories.
        func directory(_ name: String) -> String? {
            variable(name).flatMap { $0.split(separator: ":").first }.flatMap { $0.hasPrefix("/") ? String($0) : nil }
        }
        if let service = directory("STATE_DIRECTORY") { return service }
        if let state = directory("XDG_STATE_HOME") { return state + "/jackdaw" }
        if user == 0 { return "/var/lib/jackdaw" }
        return variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state/jackdaw" : nil }
    }

    /// A text as part of a file name: its first 64 characters, with `_` for all but ASCII letters and digits.
    package static func word(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(64).map {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_"
            })
    }

    private static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Runs `body` while holding the inter-process lock.
    /// - Throws: `LinkError` if the directory cannot be created or locked, or the error of `body`.
    package func locked<Result>(_ body: () throws(LinkError) -> Result) throws(LinkError) -> Result {
        try makeDirectory()
        let name = path + "/lock"
        let file = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(name, "cannot be opened") }
        // Closing the file gives the lock back.
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(name, "cannot be locked") }
        }
        return try body()
    }

    /// Loads the bytes that were saved under a name; nil if there is no such file.
    /// - Throws: `LinkError` if the file cannot be read, or is not a regular file of this user.
    package func load(_ name: String) throws(LinkError) -> [UInt8]? {
        let file = unsafe open(file(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(self.file(name), "cannot be read")
        }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { throw failure(self.file(name), "cannot be read") }
        guard facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid() else {
            throw LinkError(.notPermitted, link: self.file(name), "this is not a regular file, or another user owns it")
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= Self.maxBytes {
            let count = unsafe block.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(self.file(name), "cannot be read") }
            guard count > 0 else { break }
            bytes += block.prefix(count)
        }
        return bytes
    }

    /// Saves bytes atomically, so that they survive a loss of power. The caller must hold the lock.
    /// - Throws: `LinkError` if the file cannot be written.
    package func save(_ bytes: [UInt8], as name: String) throws(LinkError) {
        // The lock excludes other writers of this file.
        let temporary = file(name) + ".new"
        unsafe unlink(temporary)
        do throws(LinkError) {
            try write(bytes, to: temporary)
            guard unsafe rename(temporary, file(name)) == 0 else { throw failure(file(name), "cannot be saved") }
            try syncDirectory()
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Removes a saved file, if there is one.
    /// - Throws: `LinkError` if the file cannot be removed.
    package func remove(_ name: String) throws(LinkError) {
        guard unsafe unlink(file(name)) == 0 || errno == ENOENT else { throw failure(file(name), "cannot be removed") }
        try syncDirectory()
    }

    /// Renames a saved file that is unreadable, so that a new one can be saved.
    /// - Returns: the new path.
    /// - Throws: `LinkError` if the file cannot be renamed.
    package func setAside(_ name: String) throws(LinkError) -> String {
        let aside = file(name) + ".unreadable"
        guard unsafe rename(file(name), aside) == 0 else { throw failure(file(name), "cannot be renamed") }
        return aside
    }
}

extension StateDirectory {
    private func file(_ name: String) -> String { "\(path)/\(name)" }

    private func failure(_ path: String, _ message: String) -> LinkError {
        let number = errno
        let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        return LinkError(
            .system, link: path, message, remedy: "set XDG_STATE_HOME to a writable directory",
            underlying: words)
    }

    private func makeDirectory() throws(LinkError) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            // A parent directory may belong to another user and refuse `mkdir`; it only has to exist.
            var facts = stat()
            let number = errno
            guard unsafe stat(made, &facts) != 0 else { continue }
            errno = number
            throw failure(made, "cannot be created")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(LinkError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path, "cannot be created") }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure(path, "cannot be written") }
            written += count
        }
        guard fsync(file) == 0 else { throw failure(path, "cannot be written to the disk") }
    }

    /// Renames and removals survive a loss of power only after the directory is on the disk, too.
    private func syncDirectory() throws(LinkError) {
        let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure(path, "cannot be opened") }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failure(path, "cannot be written to the disk") }
    }
}
