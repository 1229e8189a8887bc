import Glibc
import JackdawSystem
import JackdawTransport

/// The program of `jackdaw pay`: those who only read cards need none of its libraries, so that it is a program of its
/// own.
enum PayProgram {
    /// Its name, beside this program or in a directory of `PATH`.
    static let name = "jackdaw-pay"

    /// Runs the program instead of this one.
    /// - Parameters:
    ///   - arguments: the arguments after `pay`.
    ///   - candidates: the paths at which it may be. Default: beside this program, then in `PATH`.
    /// - Returns: the error, with status `unavailable`; only if the program cannot be run.
    static func run(_ arguments: [String], candidates: [String] = candidates()) -> CommandError {
        var refused: CommandError?
        for path in candidates {
            var words = unsafe ([name] + arguments).map { unsafe strdup(FileName.characters(of: $0)) } + [nil]
            unsafe execv(FileName.characters(of: path), &words)
            let cause = SystemFailure.last
            unsafe words.forEach { unsafe free($0) }
            guard cause.code != ENOENT, cause.code != ENOTDIR else { continue }
            let error = CommandError(.unavailable, "\(path): cannot be run (\(cause.message))")
            // As execvp(3), which goes on after a directory that this user may not enter.
            guard cause.code == EACCES else { return error }
            refused = refused ?? error
        }
        return refused
            ?? CommandError(
                .unavailable, "\(name) is neither beside this program nor in PATH; the package trait Payments builds it"
            )
    }

    /// The paths at which the program may be.
    static func candidates(
        ownPath: String? = ownPath, searchPath: String? = unsafe getenv("PATH").map { unsafe String(cString: $0) }
    ) -> [String] {
        let own = ownPath.map { [FileName.directory(of: $0)] } ?? []
        // Other entries are relative to the current directory, in which anyone may have put a program.
        let others = (searchPath ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/" }
        return (own + others).map { $0 + name }
    }

    /// The path of this program; nil if the system does not show it.
    private static var ownPath: String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", start.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard count > 0, count < bytes.count else { return nil }
        return FileName.text(of: bytes.prefix(count))
    }
}
