internal import CLinux
import Glibc
import JackdawTransport

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

/// The calls for the master of a pair of terminals, with a hold on the other end: as long as somebody has that open, the
/// system does not say that the pair has ended, whoever else comes and goes.
package struct HeldTerminalCalls: StreamCalls {
    private let calls: any StreamCalls
    private let held: Int32

    /// - Parameters:
    ///   - calls: the system's.
    ///   - held: the other end, which is closed with the master.
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

/// The calls as the system does them.
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
        // No modem's lines, which a reader has not, and no bytes that mean to wait.
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
        // A line has no end but that it is hung up: unplugged, or left by the program that made it.
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
