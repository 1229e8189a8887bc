import Glibc

/// Standard input, output and error.
enum StandardDescriptors {
    /// Opens each one that is closed on /dev/null, the wrong way round, so that its use is an error: the next file to be
    /// opened would take its place, and results would be written into it.
    static func fill() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest one that is free is this one.
            guard unsafe open("/dev/null", mode) == descriptor else { _exit(ExitStatus.inputOutput.rawValue) }
        }
    }
}
