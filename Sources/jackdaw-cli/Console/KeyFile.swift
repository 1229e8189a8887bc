#if Command
    import Glibc
    import JackdawCards

    /// The file that a key is in, as hexadecimal digits: what is on the command line every user of the machine sees.
    enum KeyFile {
        /// Characters that a key takes at most, with blanks between its digits.
        private static let most = 1_024

        /// Reads a key.
        /// - Parameter path: of the file; `-` for standard input.
        /// - Returns: its bytes; nothing else of them is left in memory.
        /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`.
        static func read(_ path: String) throws(CommandError) -> SecretBytes {
            let name = path == "-" ? "standard input" : path
            let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw CommandError(.noInput, "\(name): \(reason)") }
            defer { if descriptor != STDIN_FILENO { close(descriptor) } }
            var text = [UInt8](repeating: 0, count: most + 1)
            var bytes: [UInt8] = []
            defer {
                text.removeWiping()
                bytes.removeWiping()
            }
            var count = 0
            while count < text.count {
                try Interruption.check()
                let size = unsafe text.withUnsafeMutableBytes { text in
                    unsafe Glibc.read(descriptor, text.baseAddress.map { unsafe $0 + count }, text.count - count)
                }
                guard size != 0 else { break }
                guard size > 0 || errno == EINTR else {
                    throw CommandError(.inputOutput, "\(name): cannot be read (\(reason))")
                }
                count += max(size, 0)
            }
            guard count <= most else { throw CommandError(.badData, "\(name): more than a key has") }
            text.removeWiping(from: count)
            do throws(CommandError) {
                try HexadecimalText.read(text, into: &bytes)
            } catch {
                throw CommandError(error.status, "\(name): \(error.message)")
            }
            return SecretBytes(copying: bytes.span)
        }

        private static var reason: String { unsafe String(cString: strerror(errno)) }
    }
#endif
