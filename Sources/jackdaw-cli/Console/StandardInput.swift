import Glibc

/// Bytes of standard input, a piece at a time.
struct StandardInput {
    /// At the slowest baud and the highest rate a piece becomes less than ten million samples.
    private static let pieceBytes = 256

    /// The last piece; empty at the end.
    var bytes: [UInt8] = []
    /// Bytes so far.
    private(set) var count = 0

    /// - Throws: ``CommandError`` with status `inputOutput` where there is none: the next file to be opened would take
    ///   its place.
    init() throws(CommandError) {
        guard fcntl(STDIN_FILENO, F_GETFD) >= 0 else { throw Self.failure() }
    }

    /// Reads the next piece.
    /// - Throws: ``CommandError`` with status `inputOutput`.
    mutating func read() throws(CommandError) {
        bytes.removeWiping()
        bytes.append(contentsOf: repeatElement(0, count: Self.pieceBytes))
        var size: Int
        repeat {
            try Interruption.check()
            size = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        } while size < 0 && errno == EINTR
        guard size >= 0 else { throw Self.failure() }
        bytes.removeLast(bytes.count - size)
        count += size
    }

    private static func failure() -> CommandError {
        CommandError(
            .inputOutput, "standard input: cannot be read (\(unsafe String(cString: strerror(errno))))")
    }
}
