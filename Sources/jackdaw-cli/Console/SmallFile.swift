#if Command
    import Glibc

    /// A file that is read as a whole, because it cannot be long.
    enum SmallFile {
        /// Reads a file.
        /// - Parameters:
        ///   - path: of the file; `-` for standard input.
        ///   - most: bytes that it has at most.
        ///   - tooMany: what to say of one that has more.
        ///   - bytes: get what it has, in memory that is the caller's to wipe; nothing else of it is left.
        /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`.
        static func read(
            _ path: String, most: Int, tooMany: String, into bytes: inout [UInt8]
        ) throws(CommandError) {
            let name = name(of: path)
            let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw CommandError(.noInput, "\(name): \(reason)") }
            defer { if descriptor != STDIN_FILENO { close(descriptor) } }
            bytes = [UInt8](repeating: 0, count: most + 1)
            var count = 0
            while count < bytes.count {
                try Interruption.check()
                let size = unsafe bytes.withUnsafeMutableBytes { bytes in
                    unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + count }, bytes.count - count)
                }
                guard size != 0 else { break }
                guard size > 0 || errno == EINTR else {
                    throw CommandError(.inputOutput, "\(name): cannot be read (\(reason))")
                }
                count += max(size, 0)
            }
            guard count <= most else { throw CommandError(.badData, "\(name): \(tooMany)") }
            bytes.removeWiping(from: count)
        }

        /// What a file is called in messages.
        static func name(of path: String) -> String { path == "-" ? "standard input" : path }

        private static var reason: String { unsafe String(cString: strerror(errno)) }
    }
#endif
