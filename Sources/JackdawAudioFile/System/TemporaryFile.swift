import Glibc
import JackdawSystem
import JackdawTransport

/// A new file that only this user may read and write, open. It stays until its owner renames or removes it; the files of
/// processes that were killed are removed when the next one is made in the same directory.
package struct TemporaryFile: ~Copyable {
    let descriptor: OwnedDescriptor
    /// Where it is.
    package let path: String

    /// The beginning of its name, before six random characters.
    private static let beginning = "/.jackdaw-"
    private static let randomCharacters = 6

    /// Makes a file. The corresponding C function is `mkstemp`.
    /// - Parameters:
    ///   - directory: where.
    ///   - path: of the file that is being written, for error messages.
    /// - Throws: ``AudioFileError`` with code `io`.
    package init(in directory: String, for path: String) throws(AudioFileError) {
        Self.removeLeftovers(in: directory)
        while true {
            var name = FileName.characters(of: directory + Self.beginning + "XXXXXX")
            let number = unsafe mkstemp(&name)
            guard number >= 0 else {
                throw AudioFileError(
                    .io, path: path, "cannot make a temporary file in \(directory)",
                    underlying: SystemFailure.last.message)
            }
            let file = OwnedDescriptor(number)
            guard Self.lock(number) else { continue }
            descriptor = file
            self.path = FileName.text(of: name.dropLast().map { UInt8(bitPattern: $0) })
            return
        }
    }

    /// The open file, which stays the owner's.
    package var number: CInt { descriptor.number }

    /// Gives the file another name, in the same file system, once its content is on the disk.
    /// - Returns: whether that was possible; `errno` says why not.
    package func rename(to final: String) -> Bool { descriptor.rename(path, to: final) }

    /// Locks a new file as long as it is open, so that no other process takes it for one that was left behind.
    /// - Returns: false where one has done so already.
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
            // `d_name` is a tuple of 256 characters, closed by a zero.
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            guard name.starts(with: wanted), name.count == wanted.count + randomCharacters else { continue }
            remove(name.map { CChar(bitPattern: $0) } + [0], in: unsafe dirfd(folder))
        }
    }

    /// Removes a file of this user's that no process has locked.
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
    /// Gives an open file another name, in the same file system, once its content is on the disk; then the name is, too.
    /// - Returns: whether that was possible; `errno` says why not.
    borrowing func rename(_ path: String, to final: String) -> Bool {
        guard retried({ fsync(number) }) == 0,
            unsafe Glibc.rename(FileName.characters(of: path), FileName.characters(of: final)) == 0
        else { return false }
        let directory = FileName.characters(of: FileName.directory(of: final))
        let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A file system that cannot do this has done what it can.
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return true
    }
}
