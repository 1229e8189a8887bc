import Glibc
import JackdawBytes
import JackdawSystem
import JackdawTransport

/// Reads standard input in pieces.
package struct StandardInput {
    /// At the slowest baud and the highest sample rate a piece becomes less than ten million samples.
    private static let pieceBytes = 256

    /// The last piece; empty at the end.
    package var bytes: [UInt8] = []
    /// Number of bytes so far.
    package private(set) var count = 0

    /// Reads from the beginning.
    package init() {}

    /// Reads the next piece.
    /// - Throws: ``CommandError`` with status `inputOutput` or `interrupted`.
    package mutating func read() throws(CommandError) {
        bytes.wipe()
        bytes.append(contentsOf: repeatElement(0, count: Self.pieceBytes))
        let size = try bytes.read(from: STDIN_FILENO, named: "standard input")
        bytes.removeLast(bytes.count - size)
        count += size
    }
}

extension [UInt8] {
    /// Reads available bytes into the array; a non-blocking descriptor without data is waited for.
    /// - Parameters:
    ///   - descriptor: an open file, pipe or terminal.
    ///   - name: its name in errors.
    ///   - start: the index of the first byte to replace.
    /// - Returns: the number of bytes read; 0 at the end.
    /// - Throws: ``CommandError`` with status `inputOutput` or `interrupted`.
    package mutating func read(from descriptor: CInt, named name: String, at start: Int = 0) throws(CommandError) -> Int
    {
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

/// The command line, with many file names packed into one argument.
///
/// The time of the argument parser grows with the square of the number of operands: for some thousand files it takes
/// longer than their decoding. No argument can contain a zero byte, so zero bytes separate the packed names.
package enum Operands {
    /// Shorter runs are not packed, so that error messages name single arguments.
    private static let longRun = 64

    /// The command line of this process without the name of the program; file names in it may be any bytes
    /// (`FileName`).
    package static var ofProcess: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe FileName.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    /// The command line with each long run of operands packed into one argument.
    /// - Parameter arguments: without the name of the program.
    /// - Returns: fewer arguments with the same meaning to a verb that unpacks its operands.
    package static func pack(_ arguments: [String]) -> [String] {
        // The operands of `frame` and `emv` are bytes; they never have thousands of them and do not unpack them.
        guard arguments.first != "frame", arguments.first != "emv" else { return arguments }
        return arguments.split(before: { $0.hasPrefix("-") }).flatMap { run in
            guard run.count > longRun else { return Array(run) }
            // The first two may be a verb or an option, and its value.
            return run.prefix(2) + [run.dropFirst(2).joined(separator: "\0")]
        }
    }

    /// The operands of a packed command line, one by one.
    package static func unpack(_ operands: [String]) -> [String] {
        operands.flatMap { $0.split(separator: "\0", omittingEmptySubsequences: false).map(String.init) }
    }
}

extension Array {
    /// The array cut before each element that satisfies a condition.
    fileprivate func split(before isStart: (Element) -> Bool) -> [ArraySlice<Element>] {
        var pieces: [ArraySlice<Element>] = []
        var start = startIndex
        for index in indices where index > start && isStart(self[index]) {
            pieces.append(self[start..<index])
            start = index
        }
        return pieces + [self[start...]]
    }
}
