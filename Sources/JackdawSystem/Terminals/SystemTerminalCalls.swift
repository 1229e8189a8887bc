internal import CLinux
import Glibc
import JackdawTransport

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
