import Glibc

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Opens /dev/null in place of each closed descriptor, so that the next opened file does not get its number and
    /// receive the results. The access mode is the wrong one, so that any use is an error.
    package static func fill() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free descriptor is this one.
            guard unsafe open("/dev/null", mode) == descriptor else { _exit(ExitStatus.inputOutput.rawValue) }
        }
    }
}
