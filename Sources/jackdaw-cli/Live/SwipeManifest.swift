import Glibc

/// What says where each swipe is in a recording: an object a line, in a file for this user alone that is there once it is
/// complete.
final class SwipeManifest {
    private let path: String
    private var text: [UInt8] = []

    init(path: String) { self.path = path }

    // Where it is asked for, card data in clear.
    deinit { text.removeWiping() }

    func add(_ object: JSONObject) {
        let line = object.text.utf8
        text.growWiping(by: line.count + 1)
        text.append(contentsOf: line)
        text.append(UInt8(ascii: "\n"))
    }

    /// Writes the file.
    /// - Throws: ``CommandError``; an old file is as it was then.
    func finish() throws(CommandError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
        var name = Array("\(folder).jackdaw-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do throws(CommandError) {
            try write(to: descriptor)
            guard fsync(descriptor) == 0, unsafe rename(name, path) == 0 else { throw failure() }
        } catch {
            unsafe unlink(name)
            throw error
        }
    }

    private func write(to descriptor: CInt) throws(CommandError) {
        var written = 0
        while written < text.count {
            let count = unsafe text.withUnsafeBytes { bytes in
                let rest = unsafe bytes[written...]
                return unsafe Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            }
            if count > 0 { written += count } else if errno != EINTR { throw failure() }
        }
    }

    private func failure() -> CommandError {
        CommandError(.inputOutput, "\(path): cannot be written (\(unsafe String(cString: strerror(errno))))")
    }
}
