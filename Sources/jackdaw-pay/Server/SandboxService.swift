#if Payments
import Dispatch
import Glibc
import JackdawConsole
import JackdawSandbox
import JackdawTransport
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// Runs the server of a sandbox until the user ends it.
struct SandboxService {
    /// The time for connections to end after the user has asked for the end. All that was answered is in the books.
    private static let farewell = DispatchTimeInterval.seconds(2)

    let machine: Sandbox
    /// The file of the books; nil if they are in memory.
    let books: BooksFile?
    let hashing: HashingInAdvance
    let listen: ListenAddress
    let tls: TLSConfiguration?
    let reach: CallbackReach
    let callbackAuthorities: [String]

    /// Serves, and prints the events.
    /// - Parameters:
    ///   - printer: prints the events.
    ///   - start: makes the facts of the start from the port.
    /// - Returns: `interrupted` after a signal.
    /// - Throws: `CommandError` with status `unavailable` if the address is not free, `badData` if the certificate
    ///   cannot be used, and `inputOutput` if output or books cannot be written.
    func run(
        _ printer: SandboxPrinter, start: @escaping @Sendable (Int) -> SandboxPrinter.Start
    ) throws(CommandError) -> ExitStatus {
        let clock = ContinuousClock()
        let wall = WallClock().now
        let host = SandboxHost(
            machine, hashing: hashing, now: wall, booksFailed: { [books] in books?.isBroken ?? false },
            report: { printer.print($0) })
        let sender: CallbackSender
        do {
            sender = try CallbackSender(reach, authorities: callbackAuthorities, clock: clock, now: wall) { [host] in
                host.post($0)
            }
        } catch {
            throw CommandError(.badData, "an authority for callbacks cannot be read")
        }
        var server = SandboxServer(responder: SandboxResponder(host: host, clock: clock, send: { sender.send($0) }))
        server.address = listen.host
        server.port = listen.port
        server.tls = tls
        let ended = DispatchSemaphore(value: 0)
        let failure = Lock<CommandError?>(nil)
        let running = SandboxServer.Running(server: server) { port in printer.print(start(port), at: wall()) }
        let group = ServiceGroup(
            services: [running], logger: Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() })
        let task = Task {
            do {
                try await group.run()
            } catch is CancellationError {
            } catch {
                failure.withLock { $0 = Self.failure(error, listen) }
            }
            ended.signal()
        }
        while ended.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            guard Interruption.isRequested || printer.hasFailed || books?.isBroken ?? false else { continue }
            Interruption.giveTime()
            task.cancel()
            _ = ended.wait(timeout: .now() + Self.farewell)
            host.drain()
            break
        }
        if Interruption.isRequested { return .interrupted }
        if let error = failure.withLock({ $0 }) { throw error }
        if let books, books.isBroken {
            throw CommandError(
                .inputOutput, "\(books.path): an entry may be on the disk or not; start again to read it")
        }
        throw CommandError(
            .inputOutput, printer.hasFailed ? "standard output: cannot be written" : "the server has ended")
    }

    private static func failure(_ error: any Error, _ listen: ListenAddress) -> CommandError {
        let address = listen.authority(listen.port)
        if let error = error as? IOError {
            let text = unsafe String(cString: strerror(error.errnoCode))
            return CommandError(.unavailable, "\(address): cannot listen (\(text))")
        }
        if error is NIOSSLError || error is BoringSSLError {
            return CommandError(.badData, "the certificate and its key cannot be used together")
        }
        return CommandError(.unavailable, "\(address): cannot listen")
    }
}
#endif
