import Glibc
import JackdawSystem
import JackdawTransport

/// The programs that are connected to a simulated reader: no more than so many at once, so that one that connects without
/// end does not take the place of all others. If there are too many, one that has sent nothing is the first to go, and then
/// the one that has been idle longest.
actor ConnectedPrograms {
    /// Each has two buffers of 64 KiB and a descriptor, of which a process has 1,024 unless its user has changed that.
    static let most = 128

    /// A program that has sent nothing goes once so many others have come after it: the newest ones may be about to send.
    private static func patience(_ most: Int) -> Int { most / 8 }

    private let most: Int
    private let warn: @Sendable (String) -> Void
    private var programs: [ConnectedProgram] = []
    /// Counts the steps of all programs, by which they are compared.
    private let steps = SystemLock(0)
    /// The one that waits for another to go.
    private var waiting: CheckedContinuation<Void, Never>?
    private var hasWarnedOfPrograms = false
    private var hasWarnedOfShortage = false

    /// - Parameters:
    ///   - most: how many may be connected.
    ///   - warn: gets each reason that keeps others from connecting, once.
    init(most: Int = most, warn: @escaping @Sendable (String) -> Void) {
        self.most = most
        self.warn = warn
    }

    /// Adds a program, and waits for its place if there is none.
    /// - Parameter link: to the program.
    /// - Returns: the link to serve.
    func add(_ link: any Transport) async -> ConnectedProgram {
        if programs.count >= most {
            if !hasWarnedOfPrograms {
                warn(
                    "\(most) programs are connected, and no more can be; one that has sent nothing, or else the one that "
                        + "has been idle longest, gives way to the next")
            }
            hasWarnedOfPrograms = true
            await endOne(ifSilent: false)
            if programs.count >= most { await withCheckedContinuation { waiting = $0 } }
        }
        let program = ConnectedProgram(link, steps)
        programs.append(program)
        return program
    }

    /// Ends a program, if there is one that can go, because the system is short of something. One that has sent something goes
    /// only if that helps: a process that is short of descriptors gets one back.
    func makeRoom(_ failure: SystemFailure) async {
        if !hasWarnedOfShortage {
            warn("the system is short of something that a connection needs (\(failure.message)); others wait for it")
        }
        hasWarnedOfShortage = true
        await endOne(ifSilent: failure.code != EMFILE)
    }

    /// Takes that a program has gone.
    func remove(_ program: ConnectedProgram) {
        programs.removeAll { $0 === program }
        waiting?.resume()
        waiting = nil
    }

    /// Closes the link to the program that was connected first of those that have sent nothing; if there is none, to the one
    /// that has been idle longest.
    private func endOne(ifSilent: Bool) async {
        let states = programs.map { (program: $0, state: $0.state) }.filter { !$0.state.isEnding }
        let silent = states.dropLast(Self.patience(most)).first { !$0.state.hasSent }
        let idle = ifSilent ? nil : states.min { $0.state.lastStep < $1.state.lastStep }
        guard let next = silent ?? idle else { return }
        next.program.beginEnding()
        await next.program.close()
    }
}

/// A link to a program, which knows when something went over it last.
final class ConnectedProgram: Transport {
    struct State {
        /// Whether anything has come over the link.
        var hasSent = false
        var isEnding = false
        /// The number of the last thing that went over it, among those of all programs.
        var lastStep = 0
    }

    private let base: any Transport
    private let steps: SystemLock<Int>
    private let lock = SystemLock(State())

    /// - Parameters:
    ///   - base: the link.
    ///   - steps: counts what all programs do.
    init(_ base: any Transport, _ steps: SystemLock<Int>) {
        self.base = base
        self.steps = steps
        note()
    }

    var link: LinkName { base.link }

    var executor: (any TaskExecutor)? { base.executor }

    var state: State { lock.withLock { $0 } }

    /// Takes that it is closed to make room for another one.
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

    /// Takes that something has gone over it.
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
