import Glibc
import JackdawLinux
import JackdawReaders
import JackdawTransport

/// The audio jacks of the system that the command runs on; tests have some of their own.
struct SwipeSystem: Sendable {
    /// The jack of a link.
    var environment: @Sendable (LinkName, [ReaderProfile], SwipeMemory) throws(LinkError) -> LinuxSwipeEnvironment = {
        link, profiles, memory throws(LinkError) in
        try LinuxDevices().swipeEnvironment(link, profiles: profiles, memory: memory)
    }
    /// Whether a person can be asked.
    var isTerminal = isatty(STDIN_FILENO) == 1
    /// Measures times.
    var clock: any Clock<Duration> = SuspendingClock()
    /// The time of day.
    var wallClock = WallClock()
    /// Whether the user wants the command to end.
    var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }
}
