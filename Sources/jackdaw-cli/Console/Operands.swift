import Glibc
import JackdawTransport

/// The command line, and many file names as one argument.
///
/// The argument parser takes time by the square of the number of operands: with some thousand files longer than it takes
/// to decode them. No argument holds a zero byte, so that one can part the names of a whole run of them.
enum Operands {
    /// Shorter runs are left alone, so that what is said about a mistyped command line names single arguments.
    private static let longRun = 64

    /// The command line of this process without the name of the program; file names in it may be any bytes (``FileName``).
    static var ofProcess: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe FileName.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    /// The command line with its long runs of operands made one argument each.
    /// - Parameter arguments: without the name of the program.
    /// - Returns: fewer arguments of the same meaning to a verb that unpacks its operands.
    static func pack(_ arguments: [String]) -> [String] {
        // Its operands are bytes, and no thousands of them.
        guard arguments.first != "frame" else { return arguments }
        return arguments.split(before: { $0.hasPrefix("-") }).flatMap { run in
            guard run.count > longRun else { return Array(run) }
            // The first two may be a verb or an option, and its value.
            return run.prefix(2) + [run.dropFirst(2).joined(separator: "\0")]
        }
    }

    /// The single operands.
    static func unpack(_ operands: [String]) -> [String] {
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
