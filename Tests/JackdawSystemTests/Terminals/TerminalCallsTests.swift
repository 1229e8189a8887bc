import Glibc
import JackdawSystem
import Testing

/// The calls for terminals, of the system itself.
@Suite struct TerminalCallsTests {
    private let calls = SystemTerminalCalls()

    @Test func noFlowControlThatWasOnStaysOn() throws {
        let master = try calls.openMaster()
        let line = try calls.open(try calls.unlock(master))
        var settings = termios()
        unsafe #expect(tcgetattr(line, &settings) == 0)
        let (lines, bytes) = (tcflag_t(CRTSCTS), tcflag_t(IXON | IXOFF))
        settings.c_cflag |= lines
        settings.c_iflag |= bytes
        unsafe #expect(tcsetattr(line, TCSANOW, &settings) == 0)
        unsafe #expect(tcgetattr(line, &settings) == 0)
        #expect(settings.c_cflag & lines == lines)
        #expect(settings.c_iflag & bytes == bytes)
        try calls.makeRaw(line)
        unsafe #expect(tcgetattr(line, &settings) == 0)
        #expect(settings.c_cflag & lines == 0)
        #expect(settings.c_iflag & bytes == 0)
        calls.close(line)
        calls.close(master)
    }
}
