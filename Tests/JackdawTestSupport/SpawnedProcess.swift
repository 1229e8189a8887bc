public import Foundation
internal import JackdawTransport

/// A program in a process of its own.
///
/// Foundation's `Process` learns of the end by a descriptor. Other processes that start at the same moment may inherit
/// the descriptor, and the end is not known until they end too.
public final class SpawnedProcess: Sendable {
    /// Where an input comes from, or an output goes to. The far end of a pipe is closed in this process.
    public enum Stream {
        case nothing
        case inherited
        case file(FileHandle)
        case pipe(Pipe)
    }

    /// How a process ended.
    public enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    private typealias CloseDescriptors =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34, which its headers show only to C with extensions.
    private static let closeDescriptors: CloseDescriptors = {
        guard let function = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            preconditionFailure("glibc is older than 2.34")
        }
        return unsafe unsafeBitCast(function, to: CloseDescriptors.self)
    }()

    /// The number of the process.
    public let identifier: pid_t
    /// They stay open as long as the process is held.
    private let pipes: [Pipe]
    private let ending = Shared<Ending?>(nil)
    private let ended = DispatchGroup()

    /// Starts a program. It holds no signals off, and it inherits no descriptor except its three streams.
    /// - Parameters:
    ///   - program: the path, or a name in the search path.
    ///   - arguments: the arguments after the name.
    ///   - environment: all its environment variables; nil for those of this process.
    ///   - input: standard input.
    ///   - output: standard output.
    ///   - messages: standard error.
    /// - Throws: `POSIXError` if the program cannot be started.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: Stream = .nothing,
        output: Stream = .nothing, messages: Stream = .nothing
    ) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        var pipes: [Pipe] = []
        var far: [FileHandle] = []
        for (number, stream) in zip(Int32(0)..., [input, output, messages]) {
            let handle: FileHandle
            switch stream {
            case .inherited: continue
            case .nothing:
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
                continue
            case .file(let file): handle = file
            case .pipe(let pipe):
                handle = number == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting
                far.append(handle)
                pipes.append(pipe)
            }
            unsafe posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, number)
        }
        _ = unsafe Self.closeDescriptors(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Threads of Swift's pool hold signals off, and a new process would inherit this.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let variables = environment ?? ProcessInfo.processInfo.environment
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let failure = unsafe posix_spawnp(&identifier, program, &actions, &attributes, &words, &settings)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        self.identifier = identifier
        self.pipes = pipes
        // Twice the same pipe: standard error goes to the pipe of standard output.
        for handle in Set(far) { try handle.close() }
        ended.enter()
        Thread.detachNewThread { [identifier, ending, ended] in
            // It stays in the system until its end is known here, so that no signal goes to another one of its number.
            var information = unsafe siginfo_t()
            while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            ending.with { ending in
                var status: Int32 = 0
                unsafe waitpid(identifier, &status, 0)
                ending = status & 0x7F == 0 ? .exit((status >> 8) & 0xFF) : .signal(status & 0x7F)
            }
            ended.leave()
        }
    }

    /// Whether it has not ended.
    public var isRunning: Bool { ending.with { $0 == nil } }

    /// Sends it a signal, unless it has ended.
    public func send(_ signal: Int32) { ending.with { if $0 == nil { kill(identifier, signal) } } }

    /// Blocks the thread until it has ended.
    @discardableResult
    public func end() -> Ending {
        ended.wait()
        guard let ending = ending.with({ $0 }) else { preconditionFailure("it has ended") }
        return ending
    }

    /// Waits until it has ended.
    /// - Throws: `CancellationError`.
    @discardableResult
    public func end() async throws -> Ending { try await ending.first { $0 } }
}
