import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTransport

/// A payment at an SPm20 over its links: it carries the outputs of an ``SPm20Payment`` out.
final class SPm20Conversation: AcceptTerminalSession {
    /// The program's part: links, connections, durable notes, time.
    struct Surroundings: Sendable {
        let clock: ElapsedClock
        /// Opens the link to the terminal.
        let open: @Sendable () async throws(LinkError) -> any Transport
        /// Opens a connection to the host of the terminal.
        let connect: @Sendable (_ host: String, _ port: Int) async throws(LinkError) -> any Transport
        /// Writes durably that a refund was begun.
        let noteRefund: @Sendable (Int) async throws(JournalError) -> Void
        /// Receives the events of the payment.
        let events: @Sendable (AcceptTerminalEvent) -> Void
        /// Receives the reason if the terminal has money against the journal.
        let attention: @Sendable (String) async -> Void
    }

    private struct State {
        var isAsked: Bool
        var isOver = false
    }

    typealias Answers = AsyncStream<Result<HostReply, HostFailure>>.Continuation

    private enum Input: Sendable {
        case begin
        case effect(PaymentEffect)
        case purchase(Answers)
        case reverse(Answers)
        case close
        /// Whether the payment is over, after all inputs before.
        case question(CheckedContinuation<Bool, Never>)
        case bytes([UInt8], link: Int)
        case lost(LinkError, link: Int)
        case opened(any Transport)
        case notOpened
        case connected(any Transport, Connection)
        case received([UInt8], Connection)
        case disconnected(Connection)
        case deadline(Duration)
    }

    /// A connection of the terminal to its host. The terminal may use a number again.
    private struct Connection: Sendable, Hashable {
        let number: Int
        let serial: Int
    }

    /// The attempt that is paid.
    let attempt: AttemptIdentifier
    private let input: AsyncStream<Input>.Continuation
    private let state: Lock<State>
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - link: the open link; nil for a payment that goes on, whose link is opened later. The conversation closes it.
    ///   - surroundings: the program's part.
    ///   - makePayment: makes the payment; its times are those of the clock.
    init(
        _ attempt: AttemptIdentifier, over link: (any Transport)?, _ surroundings: Surroundings,
        _ makePayment: @escaping @Sendable () -> SPm20Payment
    ) {
        self.attempt = attempt
        let (stream, input) = AsyncStream<Input>.makeStream()
        self.input = input
        let state = Lock(State(isAsked: link == nil))
        self.state = state
        task = Task {
            var work = Work(surroundings, input)
            if let link { work.use(link) }
            var payment = makePayment()
            var timer = DeadlineTimer(surroundings.clock)
            input.yield(.begin)
            for await item in stream {
                if case .deadline(let deadline) = item { _ = timer.reach(deadline) }
                let now = surroundings.clock.now()
                let due = payment.advance(to: now)
                let outputs = due + work.take(item, &payment, at: now)
                await work.carryOut(outputs, &payment)
                if case .question(let answer) = item { answer.resume(returning: payment.isServing) }
                let isOver = payment.isOver
                state.withLock { $0.isOver = isOver }
                guard !isOver else { break }
                timer.arm(for: payment.nextDeadline) { input.yield(.deadline($0)) }
            }
            timer.cancel()
            input.finish()
            // Links that were opened for nothing.
            for await item in stream {
                switch item {
                case .opened(let link), .connected(let link, _): await link.close()
                case .purchase(let answers), .reverse(let answers): answers.finish()
                case .question(let answer): answer.resume(returning: true)
                default: break
                }
            }
            await work.end()
            state.withLock { $0.isOver = true }
        }
    }

    /// Whether the payment is over, so that the terminal can take another one. The session may have been closed just before.
    func isServing() async -> Bool {
        await withCheckedContinuation { answer in
            if case .terminated = input.yield(.question(answer)) { answer.resume(returning: true) }
        }
    }

    /// Whether the terminal was asked for the payment, in this conversation or an earlier one that it goes on with.
    var isAsked: Bool { state.withLock { $0.isAsked } }
    /// Whether nothing remains to be done.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends the conversation, and returns when its links are closed.
    func stop() async {
        input.finish()
        await task.value
    }

    func carryOut(_ effect: PaymentEffect, forCard: HTTPBody) { input.yield(.effect(effect)) }

    func close() { input.yield(.close) }

    // MARK: the host's part

    /// Asks the terminal for the payment.
    func purchase(within limit: Duration, on clock: ElapsedClock) async throws(HostFailure) -> HostReply {
        state.withLock { $0.isAsked = true }
        return try await answer(within: limit, on: clock) { .purchase($0) }
    }

    /// Takes the payment back.
    func reverse(within limit: Duration, on clock: ElapsedClock) async throws(HostFailure) -> HostReply {
        try await answer(within: limit, on: clock) { .reverse($0) }
    }

    private func answer(
        within limit: Duration, on clock: ElapsedClock, _ request: (Answers) -> Input
    ) async throws(HostFailure) -> HostReply {
        let (answers, continuation) = AsyncStream<Result<HostReply, HostFailure>>.makeStream()
        let failure = HostFailure(.noAnswer, isCertainlyNotSent: false, message: "The terminal does not answer.")
        switch input.yield(request(continuation)) {
        case .terminated: continuation.finish()
        default: break
        }
        let deadline = clock.now() + limit
        let timer = Task {
            _ = try? await clock.sleep(deadline)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await answer in answers { return try answer.get() }
        throw failure
    }

    // MARK: links and connections

    /// The links of a conversation, and what goes over them.
    private struct Work {
        private let surroundings: Surroundings
        private let input: AsyncStream<Input>.Continuation
        private var link: (any Transport)?
        /// The number of the link: an event of an earlier one does not count.
        private var linkNumber = 0
        private var receiving: Task<Void, Never>?
        /// The connections by the terminal's numbers; without a link those that are being opened.
        private var connections: [Int: (name: Connection, link: (any Transport)?, receiving: Task<Void, Never>?)] = [:]
        private var lastConnection = 0
        private var purchases: [Answers] = []
        private var reversals: [Answers] = []

        init(_ surroundings: Surroundings, _ input: AsyncStream<Input>.Continuation) {
            self.surroundings = surroundings
            self.input = input
        }

        // MARK: the inputs, one by one

        mutating func take(_ item: Input, _ payment: inout SPm20Payment, at now: Duration) -> [SPm20Payment.Output] {
            switch item {
            case .begin, .deadline, .question: return []
            case .effect(let effect): return payment.carryOut(effect, at: now)
            case .purchase(let answers):
                purchases.append(answers)
                return payment.purchase(at: now)
            case .reverse(let answers):
                reversals.append(answers)
                return payment.reverse(at: now)
            case .close: return payment.close(at: now)
            case .bytes(let bytes, let number):
                return number == linkNumber ? payment.receive(bytes.span, at: now) : []
            case .lost(let error, let number):
                guard number == linkNumber else { return [] }
                return [.event(.linkLost(error))] + payment.linkLost(at: now)
            case .opened(let new):
                use(new)
                return payment.linkOpened(at: now)
            case .notOpened: return payment.linkNotOpened(at: now)
            case .connected(let new, let connection):
                guard connections[connection.number]?.name == connection else {
                    Task { await new.close() }
                    return []
                }
                use(new, as: connection)
                return payment.opened(connection.number, at: now)
            case .received(let bytes, let connection):
                guard connections[connection.number]?.name == connection else { return [] }
                return payment.receive(bytes, from: connection.number, at: now)
            case .disconnected(let connection):
                guard connections[connection.number]?.name == connection else { return [] }
                return [.tunnel(.disconnect(connection.number))]
                    + payment.closed(connection.number, reason: "closed", at: now)
            }
        }

        mutating func use(_ new: any Transport) {
            linkNumber += 1
            link = new
            let (input, number) = (input, linkNumber)
            receiving = Task {
                do throws(LinkError) {
                    while let bytes = try await new.receiveBytes() { input.yield(.bytes(bytes, link: number)) }
                    input.yield(.lost(.closed(new), link: number))
                } catch { input.yield(.lost(error, link: number)) }
            }
        }

        private mutating func use(_ new: any Transport, as connection: Connection) {
            let input = input
            let receiving = Task {
                while let bytes = try? await new.receiveBytes() { input.yield(.received(bytes, connection)) }
                input.yield(.disconnected(connection))
            }
            connections[connection.number] = (connection, new, receiving)
        }

        // MARK: the outputs, one by one

        mutating func carryOut(_ outputs: [SPm20Payment.Output], _ payment: inout SPm20Payment) async {
            var outputs = outputs[...]
            while let output = outputs.popFirst() {
                switch output {
                case .send(let bytes): await send(bytes)
                case .tunnel(let task): await carryOut(task)
                case .openLink: await openLink()
                case .noteRefund(let number):
                    do throws(JournalError) {
                        try await surroundings.noteRefund(number)
                        outputs += payment.refundNoted(at: surroundings.clock.now())
                    } catch {
                        // It is announced again over the next link.
                        await closeLink()
                        outputs += payment.linkLost(at: surroundings.clock.now())
                    }
                case .event(let event): surroundings.events(event)
                case .decided(let reply):
                    for answers in purchases { Self.answer(reply, answers) }
                    purchases = []
                case .reversed(let reply):
                    for answers in reversals { Self.answer(.success(reply), answers) }
                    reversals = []
                case .attention(let reason): await surroundings.attention(reason)
                }
            }
        }

        private static func answer(_ reply: Result<HostReply, HostFailure>, _ answers: Answers) {
            answers.yield(reply)
            answers.finish()
        }

        private func send(_ bytes: [UInt8]) async {
            guard let link else { return }
            do throws(LinkError) { try await link.send(bytes) } catch {
                input.yield(.lost(error, link: linkNumber))
            }
        }

        private mutating func openLink() async {
            await closeLink()
            let (input, open) = (input, surroundings.open)
            Task {
                do throws(LinkError) {
                    let link = try await open()
                    if case .terminated = input.yield(.opened(link)) { await link.close() }
                } catch { input.yield(.notOpened) }
            }
        }

        private mutating func carryOut(_ task: JSONPOSTunnel.Output) async {
            switch task {
            case .connect(let number, let host, let port):
                lastConnection += 1
                let (input, connect) = (input, surroundings.connect)
                let connection = Connection(number: number, serial: lastConnection)
                connections[number] = (connection, nil, nil)
                Task {
                    do throws(LinkError) {
                        let link = try await connect(host, port)
                        if case .terminated = input.yield(.connected(link, connection)) { await link.close() }
                    } catch { input.yield(.disconnected(connection)) }
                }
            case .send(let number, let bytes):
                guard let connection = connections[number], let link = connection.link else { return }
                do throws(LinkError) { try await link.send(bytes) } catch {
                    input.yield(.disconnected(connection.name))
                }
            case .disconnect(let number):
                guard let connection = connections.removeValue(forKey: number) else { return }
                connection.receiving?.cancel()
                await connection.link?.close()
            }
        }

        private mutating func closeLink() async {
            receiving?.cancel()
            (receiving, linkNumber) = (nil, linkNumber + 1)
            await link?.close()
            link = nil
        }

        /// Closes all links, and ends the waits for answers.
        mutating func end() async {
            for number in connections.keys.sorted() { await carryOut(.disconnect(number)) }
            await closeLink()
            for answers in purchases + reversals { answers.finish() }
        }
    }
}
