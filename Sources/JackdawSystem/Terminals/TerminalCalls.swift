/// The system's calls for terminals and serial lines, one for one, so that tests can play the system.
package protocol TerminalCalls: StreamCalls {
    /// Opens a terminal for both directions, which does not become the program's own. The corresponding C function is `open`.
    func open(_ path: String) throws(SystemFailure) -> Int32

    /// Takes it for this program alone, as far as others ask. The corresponding C function is `flock`.
    /// - Throws: ``SystemFailure``: `EAGAIN` where another one has it.
    func lock(_ descriptor: Int32) throws(SystemFailure)

    /// Lets it carry bytes as they are, at the speed that it has. The corresponding C functions are `cfmakeraw` and
    /// `tcsetattr`.
    /// - Throws: ``SystemFailure``: `ENOTTY` where it is no terminal.
    func makeRaw(_ descriptor: Int32) throws(SystemFailure)

    /// Forgets what came before it was opened. The corresponding C function is `tcflush`.
    func discardInput(_ descriptor: Int32) throws(SystemFailure)

    /// Makes a pair of terminals and opens its master. The corresponding C function is `posix_openpt`.
    func openMaster() throws(SystemFailure) -> Int32

    /// Lets the other end of a pair be opened. The corresponding C functions are `unlockpt` and `ptsname`.
    /// - Returns: the path of the other end.
    func unlock(_ master: Int32) throws(SystemFailure) -> String
}
