package import Glibc
import JackdawBytes
import JackdawSystem
import JackdawTransport

/// Reads a whole file of limited size.
package enum SmallFile {
    /// Reads a file.
    /// - Parameters:
    ///   - path: of the file; `-` for standard input.
    ///   - most: the limit of its size in bytes.
    ///   - tooMany: the error's text for a larger file.
    ///   - bytes: receives the content. The caller wipes it; there are no other copies in memory.
    ///   - check: receives the status of the open file, and throws if it must not be read.
    /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`, or the error of the check.
    package static func read(
        _ path: String, most: Int, tooMany: String, into bytes: inout [UInt8],
        check: (stat) throws(CommandError) -> Void = { _ in }
    ) throws(CommandError) {
        let name = name(of: path)
        let descriptor = unsafe path == "-" ? STDIN_FILENO : open(FileName.characters(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandError(.noInput, "\(name): \(SystemFailure.last.message)") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw CommandError(.inputOutput, "\(name): cannot be read (\(SystemFailure.last.message))")
        }
        try check(status)
        bytes = [UInt8](repeating: 0, count: most + 1)
        var count = 0
        while count < bytes.count {
            let size = try bytes.read(from: descriptor, named: name, at: count)
            guard size > 0 else { break }
            count += size
        }
        guard count <= most else { throw CommandError(.badData, "\(name): \(tooMany)") }
        bytes.wipe(from: count)
    }

    /// Checks the owner and the permissions of a regular file with secrets; for a pipe or a terminal they do not matter.
    /// - Parameters:
    ///   - status: of the open file.
    ///   - name: of the file in messages.
    ///   - kind: the word for such a file in messages. Default: `key file`.
    ///   - console: shows a warning if other users can read the file.
    /// - Throws: ``CommandError`` with status `noInput` if other users can write it.
    package static func checkKey(
        _ status: stat, _ name: String, kind: String = "key file", _ console: Console
    ) throws(CommandError) {
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        let isOwn = [geteuid(), 0].contains(status.st_uid)
        guard isOwn, status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw CommandError(
                .noInput, "\(name): make this \(kind) yours, and run chmod 600 on it: other users can write it")
        }
        if status.st_mode & (S_IRGRP | S_IROTH) != 0 {
            console.message("\(name): run chmod 600 on this \(kind): other users can read it")
        }
    }

    /// The name of a file in messages.
    package static func name(of path: String) -> String { path == "-" ? "standard input" : path }
}
