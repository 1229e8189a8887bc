import Dispatch
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawTransport

/// A sandbox that many connections ask at once. It works on a queue of its own, one request after the other, so that
/// writing to the disk blocks no thread of the server. Passwords of logins are verified before on other queues.
final class SandboxHost: Sendable {
    private let sandbox: Lock<Sandbox>
    private let queue = DispatchQueue(label: "sandbox")
    private let hashing: HashingInAdvance?
    private let booksFailed: @Sendable () -> Bool
    private let report: @Sendable (SandboxEvent) -> Void
    /// The time since 1970-01-01 00:00 UTC.
    let now: @Sendable () -> Duration
    /// The rules of the sandbox.
    let rules: SandboxRules

    /// - Parameters:
    ///   - sandbox: the machine.
    ///   - hashing: the hash function of the machine, if it can be asked in advance. Default: nil.
    ///   - now: the time since 1970-01-01 00:00 UTC.
    ///   - booksFailed: whether it is not known what the books have. No request is answered then. Default: never.
    ///   - report: receives the events one after the other. It may block: then requests wait.
    init(
        _ sandbox: Sandbox, hashing: HashingInAdvance? = nil, now: @escaping @Sendable () -> Duration,
        booksFailed: @escaping @Sendable () -> Bool = { false },
        report: @escaping @Sendable (SandboxEvent) -> Void = { _ in }
    ) {
        rules = sandbox.rules
        self.sandbox = Lock(sandbox)
        self.hashing = hashing
        self.now = now
        self.booksFailed = booksFailed
        self.report = report
    }

    /// Processes a request, and reports it with its messages to people.
    /// - Parameters:
    ///   - request: the request.
    ///   - client: the address of the client, without the port.
    /// - Returns: the reply, and the effects.
    func receive(_ request: HTTPRequest, from client: String) async -> SandboxOutput {
        if let hashing, let check = await passwordCheck(of: request, from: client) {
            await hashing.prepare(check.password, check.hash)
        }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in
                let time = now()
                var output = sandbox.withLock { $0.receive(request, from: client, at: time) }
                if booksFailed() { output = SandboxOutput(.silent) }
                report(.request(SandboxEvent.Request(request, output, at: time, base: rules.basePath)))
                for case .message(let message) in output.effects { report(.message(message, at: time)) }
                continuation.resume(returning: output)
            }
        }
    }

    private func passwordCheck(
        of request: HTTPRequest, from client: String
    ) async -> (password: SecretOctets, hash: String)? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                let time = now()
                continuation.resume(
                    returning: sandbox.withLock { $0.passwordCheck(of: request, from: client, at: time) })
            }
        }
    }

    /// Reports an event after those that came before.
    func post(_ event: SandboxEvent) { queue.async { [self] in report(event) } }

    /// Blocks until all requests are processed and all events are reported.
    func drain() { queue.sync {} }
}

/// An event of a sandbox, for a person or a program. It has no value that a client wrote.
enum SandboxEvent: Sendable {
    /// A request and its reply.
    struct Request: Sendable {
        /// The method and the path as in docs/sandbox.md: `POST payments.json`; nil if there is no such route.
        let route: String?
        /// The status of the answer; nil if none comes.
        let status: Int?
        /// The bytes of the body after which the answer is cut; nil if it is not.
        let cut: Int?
        /// The time from the request to the answer that the sandbox planned; zero if none comes.
        let delay: Duration
        /// The time since 1970-01-01 00:00 UTC.
        let time: Duration

        init(_ request: HTTPRequest, _ output: SandboxOutput, at time: Duration, base: String) {
            route = SandboxRoute.name(request.method, request.path, base: base)
            self.time = time
            switch output.reply {
            case .answer(let answer, let due): (status, cut, delay) = (answer.status, nil, due - time)
            case .cut(let answer, let count, let due): (status, cut, delay) = (answer.status, count, due - time)
            case .silent: (status, cut, delay) = (nil, nil, .zero)
            }
        }
    }

    /// The end of a callback.
    enum CallbackEnding: Sendable, Hashable {
        /// The receiver answered with this status.
        case answered(Int)
        /// The address is not allowed, or no address of HTTP.
        case refused
        /// Too many callbacks wait already.
        case dropped
        /// No connection, or no answer in time.
        case failed
    }

    case request(Request)
    case message(SandboxMessage, at: Duration)
    case callback(CallbackEnding, at: Duration)
}
