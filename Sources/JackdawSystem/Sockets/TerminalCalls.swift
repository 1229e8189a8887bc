internal import CLinux
import Glibc
import JackdawTransport

/// The system's calls for terminals and serial lines, one method per call, so that tests can simulate the system.
package protocol TerminalCalls: StreamCalls {
    /// Opens a terminal for both directions, not as the program's controlling terminal. The corresponding C function is
    /// `open`.
    func open(_ path: String) throws(SystemFailure) -> Int32

    /// Locks the terminal against other programs that ask for the lock. The corresponding C function is `flock`.
    /// - Throws: ``SystemFailure``: `EAGAIN` if another program holds the lock.
    func lock(_ descriptor: Int32) throws(SystemFailure)

    /// Sets raw mode, in which bytes pass unchanged, at the current speed. The corresponding C functions are
    /// `cfmakeraw` and `tcsetattr`.
    /// - Throws: ``SystemFailure``: `ENOTTY` if the descriptor is not a terminal.
    func makeRaw(_ descriptor: Int32) throws(SystemFailure)

    /// Discards the input that arrived before the terminal was opened. The corresponding C function is `tcflush`.
    func discardInput(_ descriptor: Int32) throws(SystemFailure)

    /// Creates a pair of pseudo-terminals and opens its master. The corresponding C function is `posix_openpt`.
    func openMaster() throws(SystemFailure) -> Int32

    /// Unlocks the slave of a pair, so that programs can open it. The corresponding C functions are `unlockpt` and
    /// `ptsname`.
    /// - Returns: the path of the slave.
    func unlock(_ master: Int32) throws(SystemFailure) -> String
}

/// The calls for the master of a pair of pseudo-terminals, which hold the slave open: as long as it is open, the system
/// does not report a hang-up, even if other programs open and close it.
package struct PtyMasterCalls: StreamCalls {
    private let calls: any StreamCalls
    private let held: Int32

    /// - Parameters:
    ///   - calls: the system calls.
    ///   - held: the open slave, which is closed with the master.
    package init(_ calls: any StreamCalls, holding held: Int32) {
        self.calls = calls
        self.held = held
    }

    package func receive(
        _ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>
    ) throws(SystemFailure) -> Int {
        try calls.receive(descriptor, into: &bytes, room)
    }

    package func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool { try calls.hasEnded(descriptor) }

    package func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        try calls.send(descriptor, bytes)
    }

    package func endSending(_ descriptor: Int32) throws(SystemFailure) { try calls.endSending(descriptor) }

    package func close(_ descriptor: Int32) {
        calls.close(held)
        calls.close(descriptor)
    }
}

/// The calls of the system itself.
package struct SystemTerminalCalls: TerminalCalls {
    package init() {}

    package func open(_ path: String) throws(SystemFailure) -> Int32 {
        try retrying { unsafe Glibc.open(FileName.characters(of: path), Self.flags) }
    }

    package func lock(_ descriptor: Int32) throws(SystemFailure) {
        _ = try retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    package func makeRaw(_ descriptor: Int32) throws(SystemFailure) {
        var settings = termios()
        _ = try retrying { unsafe tcgetattr(descriptor, &settings) }
        unsafe cfmakeraw(&settings)
        // No modem control lines, which a reader does not have, and no flow control, in hardware or by XON and XOFF.
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        settings.c_cflag &= ~tcflag_t(CRTSCTS)
        settings.c_iflag &= ~tcflag_t(IXON | IXOFF)
        _ = try retrying { unsafe tcsetattr(descriptor, TCSANOW, &settings) }
    }

    package func discardInput(_ descriptor: Int32) throws(SystemFailure) {
        _ = try retrying { tcflush(descriptor, TCIFLUSH) }
    }

    package func openMaster() throws(SystemFailure) -> Int32 { try open("/dev/ptmx") }

    package func unlock(_ master: Int32) throws(SystemFailure) -> String {
        _ = try retrying { jackdaw_terminal_unlock(master) }
        return "/dev/pts/\(try retrying { jackdaw_terminal_number(master) })"
    }

    package func receive(
        _ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>
    ) throws(SystemFailure) -> Int {
        let result = unsafe bytes.withUnsafeMutableBytes { all in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: all[room])
            return retried { unsafe read(descriptor, room.baseAddress, room.count) }
        }
        guard result >= 0 else { throw .last }
        // A serial line ends only by a hang-up: the adapter was unplugged, or the program on the master closed it.
        guard result > 0 else { throw SystemFailure(code: EIO) }
        return result
    }

    package func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool { false }

    package func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retried { unsafe write(descriptor, buffer.baseAddress, buffer.count) }
        }
        guard result >= 0 else { throw .last }
        return result
    }

    package func endSending(_ descriptor: Int32) throws(SystemFailure) {}

    package func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    private static let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
}
