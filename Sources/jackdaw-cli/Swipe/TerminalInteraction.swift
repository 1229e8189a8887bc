import Glibc
import JackdawLinux
import JackdawReaders
import JackdawTransport
import SwipeController

/// Lets the person at the terminal answer what a controller of readers asks.
struct TerminalInteraction: SwipeInteraction {
    let conversation: Conversation
    /// Whether everything is agreed to on the command line.
    let agreesToAll: Bool
    /// Whether anybody can be asked.
    let isTerminal: Bool

    func confirm(_ question: String) async -> Bool {
        if agreesToAll { return true }
        guard isTerminal else {
            conversation.message("\(question) no: there is no terminal to ask at, and --yes was not given")
            return false
        }
        return await conversation.agrees(to: "\(question) [y/N]")
    }

    func show(_ text: String) async { conversation.message(text) }

    /// A question that is over is told of by the conversation.
    func dismiss() async {}

    func mayPlayLoudTones() async -> Bool {
        await confirm("play tones as loud as the sound card can, with no headphones on?")
    }
}

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
