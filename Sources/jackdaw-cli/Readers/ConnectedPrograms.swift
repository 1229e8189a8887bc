import Glibc
import JackdawSystem
import JackdawTransport

/// The programs that are connected to a simulated reader. Their number is limited, so that a program that connects
/// without end cannot displace all others. At the limit, a program that has sent nothing is closed first, then the one
/// that has been idle longest.
actor ConnectedPrograms {
    /// The limit: each program has two buffers of 64 KiB and a descriptor, of which a process has 1,024 by default.
    static let most = 128

    /// A program that has sent nothing is closed only if this many programs connected after it: the newest ones may be
    /// about to send.
    private static func patience(_ most: Int) -> Int { most / 8 }

    private let most: Int
    private let warn: @Sendable (String) -> Void
    private var programs: [ConnectedProgram] = []
    /// The number of steps of all programs, which orders them.
    private let steps = Lock(0)
    /// The caller that waits until a program has disconnected.
    private var waiting: CheckedContinuation<Void, Never>?
    private var hasWarnedOfPrograms = false
    private var hasWarnedOfShortage = false

    /// - Parameters:
    ///   - most: the limit of connected programs.
    ///   - warn: receives each reason that keeps others from connecting, once.
    init(most: Int = most, warn: @escaping @Sendable (String) -> Void) {
        self.most = most
        self.warn = warn
    }

    /// Adds a program, after a wait for a free place at the limit.
    /// - Parameter link: the link to the program.
    /// - Returns: the link to serve.
    func add(_ link: any Transport) async -> ConnectedProgram {
        if programs.count >= most {
            if !hasWarnedOfPrograms {
                warn(
                    "\(most) programs are connected, the maximum; the next one replaces one that has sent nothing, or "
                        + "else the one that has been idle longest")
            }
            hasWarnedOfPrograms = true
            await endOne(ifSilent: false)
            if programs.count >= most { await withCheckedContinuation { waiting = $0 } }
        }
        let program = ConnectedProgram(link, steps)
        programs.append(program)
        return program
    }

    /// Closes a program, if one may be closed, because the system is short of a resource. A program that has sent
    /// something is closed only if that helps: a process that is short of descriptors gets one back.
    func makeRoom(_ failure: SystemFailure) async {
        if !hasWarnedOfShortage {
            warn("the system is short of a resource for connections (\(failure.message)); other programs wait")
        }
        hasWarnedOfShortage = true
        await endOne(ifSilent: failure.code != EMFILE)
    }

    /// Removes a program that has disconnected.
    func remove(_ program: ConnectedProgram) {
        programs.removeAll { $0 === program }
        waiting?.resume()
        waiting = nil
    }

    /// Closes the link to the earliest connected of the programs that have sent nothing; if there is none, to the
    /// program that has been idle longest.
    private func endOne(ifSilent: Bool) async {
        let states = programs.map { (program: $0, state: $0.state) }.filter { !$0.state.isEnding }
        let silent = states.dropLast(Self.patience(most)).first { !$0.state.hasSent }
        let idle = ifSilent ? nil : states.min { $0.state.lastStep < $1.state.lastStep }
        guard let next = silent ?? idle else { return }
        next.program.beginEnding()
        await next.program.close()
    }
}

/// A link to a program that records when bytes were last sent or received.
final class ConnectedProgram: Transport {
    struct State {
        /// Whether the program has sent anything.
        var hasSent = false
        var isEnding = false
        /// The number of the link's last step, among the steps of all programs.
        var lastStep = 0
    }

    private let base: any Transport
    private let steps: Lock<Int>
    private let lock = Lock(State())

    /// - Parameters:
    ///   - base: the link.
    ///   - steps: the number of steps of all programs.
    init(_ base: any Transport, _ steps: Lock<Int>) {
        self.base = base
        self.steps = steps
        note()
    }

    var link: LinkName { base.link }

    var executor: (any TaskExecutor)? { base.executor }

    var state: State { lock.withLock { $0 } }

    /// Marks the link as being closed to make room for another program.
    func beginEnding() { lock.withLock { $0.isEnding = true } }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        let isMore = try await base.receive(take)
        if isMore { note(hasSent: true) }
        return isMore
    }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        try await base.send(bytes)
        note()
    }

    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async { await base.close() }

    /// Records that bytes were sent or received.
    private func note(hasSent: Bool = false) {
        let step = steps.withLock { steps in
            steps += 1
            return steps
        }
        lock.withLock { state in
            state.lastStep = max(state.lastStep, step)
            state.hasSent = state.hasSent || hasSent
        }
    }
}
