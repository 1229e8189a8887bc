import Glibc

/// A new file that only this user may read and write, open. It stays until somebody renames or removes it.
struct TemporaryFile: ~Copyable {
    let descriptor: OwnedDescriptor
    let path: String

    /// Makes a file. The corresponding C function is `mkstemp`.
    /// - Parameters:
    ///   - directory: where.
    ///   - path: of the sound, for error messages.
    /// - Throws: ``AudioFileError`` with code `io`.
    init(in directory: String, for path: String) throws(AudioFileError) {
        var name = Array("\(directory)/.jackdaw-XXXXXX".utf8CString)
        let number = unsafe mkstemp(&name)
        guard number >= 0 else {
            throw AudioFileError(
                .io, path: path, "cannot make a temporary file in \(directory)", underlying: systemMessage(errno))
        }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        descriptor = OwnedDescriptor(number)
        self.path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
