import Glibc
package import JackdawTransport

/// What programs remember from one run to the next, as files of a directory that only this user may read.
package struct StateDirectory {
    private let path: String

    /// Bytes of a file that are loaded at most, and up to 4,096 behind them of one that is longer.
    package static let mostBytes = 65_536

    /// A directory; it is made when it is needed.
    package init(_ path: String) { self.path = path }

    /// Where programs of the user keep their state who runs this one; nil where there is no such place.
    package static var usualPath: String? { standardPath() }

    /// Where this user's programs keep their state: `STATE_DIRECTORY`, which systemd sets for a service that asks for it,
    /// `XDG_STATE_HOME/jackdaw`, `/var/lib/jackdaw` for root, or `~/.local/state/jackdaw`.
    /// - Parameters:
    ///   - user: the number of the user.
    ///   - variable: the environment.
    /// - Returns: the path, or nil where there is no home either.
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

    /// What of a text can be in the name of a file: 64 characters of it at most.
    package static func word(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(64).map {
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_"
            })
    }

    private static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Does something while no other process does the like.
    /// - Throws: `LinkError` where the directory cannot be made or locked, or what the body throws.
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

    /// What was saved under a name; nil for nothing.
    /// - Throws: `LinkError` where it cannot be read, or is no file of this user's own.
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
            throw LinkError(.notPermitted, link: self.file(name), "this is no file of this user's own")
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while bytes.count <= Self.mostBytes {
            let count = unsafe block.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(self.file(name), "cannot be read") }
            guard count > 0 else { break }
            bytes += block.prefix(count)
        }
        return bytes
    }

    /// Saves, all of it or nothing, and so that it outlasts a loss of power. The lock has to be held.
    /// - Throws: `LinkError` where it cannot be written.
    package func save(_ bytes: [UInt8], as name: String) throws(LinkError) {
        // Nobody else writes this one.
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

    /// Removes what was saved.
    /// - Throws: `LinkError` where it cannot be removed.
    package func remove(_ name: String) throws(LinkError) {
        guard unsafe unlink(file(name)) == 0 || errno == ENOENT else { throw failure(file(name), "cannot be removed") }
        try syncDirectory()
    }

    /// Puts what was saved out of the way.
    /// - Returns: where to.
    /// - Throws: `LinkError` where it cannot be renamed.
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
            .system, link: path, message, remedy: "set XDG_STATE_HOME to a directory that can be written",
            underlying: words)
    }

    private func makeDirectory() throws(LinkError) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            guard unsafe mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            // A directory above may well be another's; what counts is whether it is there.
            var facts = stat()
            let number = errno
            guard unsafe stat(made, &facts) != 0 else { continue }
            errno = number
            throw failure(made, "cannot be made")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(LinkError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path, "cannot be made") }
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

    /// A new name, and one that is gone, are safe only once the directory is on the disk, too.
    private func syncDirectory() throws(LinkError) {
        let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure(path, "cannot be opened") }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failure(path, "cannot be written to the disk") }
    }
}
