import Glibc
import JackdawSystem

/// Bytes of standard input, a piece at a time.
struct StandardInput {
    /// At the slowest baud and the highest rate a piece becomes less than ten million samples.
    private static let pieceBytes = 256

    /// The last piece; empty at the end.
    var bytes: [UInt8] = []
    /// Bytes so far.
    private(set) var count = 0

    /// Reads the next piece.
    /// - Throws: ``CommandError`` with status `inputOutput` or `interrupted`.
    mutating func read() throws(CommandError) {
        bytes.removeWiping()
        bytes.append(contentsOf: repeatElement(0, count: Self.pieceBytes))
        let size = try bytes.read(from: STDIN_FILENO, named: "standard input")
        bytes.removeLast(bytes.count - size)
        count += size
    }
}

extension [UInt8] {
    /// Reads into the array, as much as is there, and waits when a descriptor that does not block has nothing yet.
    /// - Parameters:
    ///   - descriptor: an open file, pipe or terminal.
    ///   - name: its name in errors.
    ///   - start: the first byte that is read into.
    /// - Returns: how many bytes were read; 0 at the end.
    /// - Throws: ``CommandError`` with status `inputOutput` or `interrupted`.
    mutating func read(from descriptor: CInt, named name: String, at start: Int = 0) throws(CommandError) -> Int {
        while true {
            try Interruption.check()
            let size = unsafe withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
            }
            guard size < 0 else { return size }
            switch errno {
            case EINTR: break
            case EAGAIN: awaitReadiness(of: descriptor, for: POLLIN)
            default: throw CommandError(.inputOutput, "\(name): cannot be read (\(SystemFailure.last.message))")
            }
        }
    }
}
