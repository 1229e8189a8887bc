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

    /// The name of a file in messages.
    package static func name(of path: String) -> String { path == "-" ? "standard input" : path }
}
