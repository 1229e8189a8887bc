import Glibc
import Testing

/// A program that a test starts, waits for or kills. Foundation's waits on the main thread.
struct ChildProgram {
    let process: pid_t

    /// Starts a program, by its path.
    init(_ path: String, _ arguments: [String]) throws {
        let words: [String] = [path] + arguments
        var list: [UnsafeMutablePointer<CChar>?] = unsafe words.map { word in unsafe strdup(word) }
        unsafe list.append(nil)
        defer { unsafe list.forEach { unsafe free($0) } }
        var started: pid_t = 0
        try #require(unsafe posix_spawn(&started, path, nil, nil, &list, environ) == 0)
        process = started
    }

    /// Waits for its end, and for its number to be free.
    /// - Returns: its status as `waitpid` returns it.
    @discardableResult
    func wait() -> CInt {
        var status: CInt = -1
        return unsafe waitpid(process, &status, 0) == process ? status : -1
    }

    /// Kills it; its number is not free until the parent waits for it.
    func kill() {
        _ = Glibc.kill(process, SIGKILL)
        var facts = unsafe siginfo_t()
        _ = unsafe waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT)
    }
}
