import Glibc
import Synchronization

/// Handles Ctrl-C and similar signals. The first one asks the verb to stop cleanly, so that no half-written file is
/// left. A verb that does not stop, because it waits for input, is ended a second later, unless it has asked for time.
package enum Interruption {
    private static let received = Atomic<Int32>(0)

    private static let hasTime = Atomic<Bool>(false)

    /// Whether the user wants the command to end.
    package static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

    /// The exit code by the shell's convention: 130 for an interrupt from the keyboard.
    package static var exitCode: Int32 { 128 + received.load(ordering: .relaxed) }

    /// Ends the verb if the user has interrupted it.
    /// - Throws: ``CommandError`` with status `interrupted`.
    package static func check() throws(CommandError) {
        if isRequested { throw .interrupted }
    }

    /// Lets the verb end in its own time, after it has noticed the interruption, so that it can restore what it has
    /// changed. Another Ctrl-C still ends it at once.
    package static func giveTime() {
        hasTime.store(true, ordering: .relaxed)
        alarm(0)
    }

    /// Turns a closed pipe into a write error, for a verb that must restore settings at its end.
    package static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Installs the signal handlers, and unblocks the signals if the parent process has blocked them. A hangup that is
    /// ignored (nohup) stays ignored.
    package static func install() {
        received.store(0, ordering: .relaxed)  // initialises the globals outside of the handler
        hasTime.store(false, ordering: .relaxed)
        handle(SIGALRM) { _ in _exit(Interruption.exitCode) }
        for number in [SIGINT, SIGTERM] { handle(number, with: requestEnd) }
        var hangup = sigaction()
        unsafe sigaction(SIGHUP, nil, &hangup)
        let isIgnored = unsafe unsafeBitCast(hangup.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
        if !isIgnored { handle(SIGHUP, with: requestEnd) }
    }

    private static let requestEnd: @convention(c) (CInt) -> Void = { number in
        let first = received.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged
        guard first else { _exit(128 + number) }
        if !hasTime.load(ordering: .relaxed) { alarm(1) }
    }

    private static func handle(_ number: CInt, with handler: @escaping @convention(c) (CInt) -> Void) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        unsafe sigaction(number, &action, nil)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}
