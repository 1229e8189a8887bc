import Glibc

/// A file for this user alone that is there once it is complete.
enum NewFile {
    /// Makes a file, which takes the place of an old one.
    /// - Parameters:
    ///   - path: where it goes.
    ///   - fill: writes what is in it.
    /// - Throws: ``CommandError``, that of `fill` too; an old file is as it was then.
    static func make(at path: String, fill: (CInt) throws(CommandError) -> Void) throws(CommandError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
        var name = Array("\(folder).jackdaw-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do throws(CommandError) {
            try fill(descriptor)
            guard fsync(descriptor) == 0, unsafe rename(name, path) == 0 else { throw failure(path) }
        } catch {
            unsafe unlink(name)
            throw error
        }
    }

    /// Writes bytes to a file.
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - descriptor: the open file.
    ///   - path: what it is called where that fails.
    /// - Throws: ``CommandError``.
    static func write(_ bytes: [UInt8], to descriptor: CInt, at path: String) throws(CommandError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe bytes[written...]
                return unsafe Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            }
            if count > 0 { written += count } else if errno != EINTR { throw failure(path) }
        }
    }

    /// What the system says against writing a file.
    static func failure(_ path: String) -> CommandError {
        CommandError(.inputOutput, "\(path): cannot be written (\(unsafe String(cString: strerror(errno))))")
    }
}
