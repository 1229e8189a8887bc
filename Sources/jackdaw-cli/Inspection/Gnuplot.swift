import Glibc

/// Runs gnuplot, which draws what a script says.
enum Gnuplot {
    /// Draws a picture.
    /// - Parameters:
    ///   - script: commands that write the picture to standard output.
    ///   - path: where the picture goes, for this user alone: it shows the sound of a card. An existing file is
    ///     replaced once the new one is complete.
    /// - Throws: ``CommandError`` with status `unavailable` where there is no gnuplot, or `inputOutput`.
    static func draw(_ script: String, to path: String) throws(CommandError) {
        let input = try file(containing: script)
        defer { close(input) }
        let complaints = try file(containing: "")
        defer { close(complaints) }
        try NewFile.make(at: path) { picture throws(CommandError) in
            try run(input: input, output: picture, errors: complaints)
        }
    }

    private static func run(input: CInt, output: CInt, errors: CInt) throws(CommandError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var process = pid_t()
        let name = unsafe strdup("gnuplot")
        defer { unsafe free(name) }
        let failure = unsafe posix_spawnp(&process, "gnuplot", &actions, nil, [name, nil], environ)
        guard failure == 0 else {
            throw CommandError(
                .unavailable,
                failure == ENOENT
                    ? "--plot needs gnuplot, which is not installed: apt install gnuplot-nox"
                    : "gnuplot cannot be started: \(unsafe String(cString: strerror(failure)))")
        }
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { break }
            if Interruption.isRequested { kill(process, SIGTERM) }
        }
        try Interruption.check()
        guard status == 0 else {
            throw CommandError(.unavailable, "gnuplot failed: \(firstLine(of: errors))")
        }
    }

    /// A nameless file, for this user alone, to be read from its start.
    private static func file(containing text: String) throws(CommandError) -> CInt {
        var name = Array("/tmp/jackdaw-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw NewFile.failure("/tmp") }
        unsafe unlink(name)
        do throws(CommandError) {
            try NewFile.write(Array(text.utf8), to: descriptor, at: "/tmp")
        } catch {
            close(descriptor)
            throw error
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    private static func firstLine(of descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 2_048)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let lines = bytes[..<max(0, count)].split(separator: UInt8(ascii: "\n"))
        return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? "no reason given"
    }
}
