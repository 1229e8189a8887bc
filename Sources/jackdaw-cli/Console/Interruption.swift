import Glibc
import Synchronization

/// Ctrl-C and its relatives: the first one asks the verb to stop in good order, so that no half-written file stays. A
/// verb that does not (it waits for input) is ended a second later, unless it has asked for time to end in.
enum Interruption {
    private static let received = Atomic<Int32>(0)

    private static let hasTime = Atomic<Bool>(false)

    /// Whether the user wants the command to end.
    static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

    /// The exit code by the shell's convention: 130 for an interrupt from the keyboard.
    static var exitCode: Int32 { 128 + received.load(ordering: .relaxed) }

    /// Ends the verb if the user wants that.
    /// - Throws: ``CommandError`` with status `interrupted`.
    static func check() throws(CommandError) {
        if isRequested { throw .interrupted }
    }

    /// Lets the verb end in its own time: it has seen that it is to end, and puts back what it has changed. Another Ctrl-C
    /// still ends it at once.
    static func giveTime() {
        hasTime.store(true, ordering: .relaxed)
        alarm(0)
    }

    /// Makes a closed pipe an error of writing, for a verb that has to put back what it has changed.
    static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Takes the signals over, also where the parent process left them blocked; a hangup that is to be ignored
    /// (nohup) stays ignored.
    static func install() {
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
