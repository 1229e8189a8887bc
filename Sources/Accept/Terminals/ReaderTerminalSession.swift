import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTransport

/// A payment at a reader over a link: it carries the outputs of a ``ReaderTerminal`` out. Messages are sent beside the
/// machine, so that its time limits hold also at a reader that takes no bytes.
final class ReaderTerminalSession: AcceptTerminalSession {
    private enum Input: Sendable {
        case effect(PaymentEffect, HTTPBody)
        case choice(Int)
        case bytes([UInt8])
        case lost(LinkError)
        case deadline(Duration)
    }

    /// An output for the link, in its order.
    private enum Message: Sendable {
        case bytes([UInt8])
        case power(ReaderPower)
        /// All messages of an effect are sent.
        case endOfEffect
    }

    /// The time for the last messages at the end of the payment: the link is closed after it, which ends a message that the
    /// reader does not take. It is our choice.
    static let sendingLimit = Duration.seconds(2)

    private let input: AsyncStream<Input>.Continuation
    private let tasks: [Task<Void, Never>]
    /// Sent after the messages of each effect, for tests.
    let carriedOut = AsyncSignal()

    /// - Parameters:
    ///   - link: the open link, which the session closes.
    ///   - clock: measures the reader's times.
    ///   - transaction: the payment.
    ///   - seal: seals the card's objects for the host.
    ///   - events: receives the events of the reader, in their order.
    ///   - closed: called once the link is closed.
    ///   - makeDriver: makes the payment at the reader; its times are those of the clock.
    init<Payment: ReaderPayment & SendableMetatype & ~Copyable>(
        over link: any Transport, clock: ElapsedClock, _ transaction: KernelTransaction,
        seal: @escaping @Sendable (DataObjectStore) -> HTTPBody,
        events: @escaping @Sendable (AcceptTerminalEvent) -> Void, closed: @escaping @Sendable () -> Void,
        _ makeDriver: @escaping @Sendable () -> Payment
    ) {
        let (stream, input) = AsyncStream<Input>.makeStream()
        self.input = input
        let receiving = Task {
            do throws(LinkError) {
                while let bytes = try await link.receiveBytes() { input.yield(.bytes(bytes)) }
                input.yield(.lost(.closed(link)))
            } catch { input.yield(.lost(error)) }
        }
        let (messages, toReader) = AsyncStream<Message>.makeStream()
        let sent = AsyncSignal()
        let sending = Task { [carriedOut] in
            var isLost = false
            for await message in messages {
                do throws(LinkError) {
                    switch message {
                    case .bytes(let bytes): if !isLost { try await link.send(bytes) }
                    case .power(let power):
                        if !isLost { try await (link as? any PoweredTransport)?.setPower(power) }
                    case .endOfEffect: carriedOut.send()
                    }
                } catch {
                    isLost = true
                    input.yield(.lost(error))
                }
            }
            sent.send()
        }
        let running = Task {
            var terminal = ReaderTerminal(makeDriver(), transaction, seal)
            var timer = DeadlineTimer(clock)
            var isLost = false
            for await item in stream {
                if case .deadline(let deadline) = item { _ = timer.reach(deadline) }
                let now = clock.now()
                var outputs = terminal.advance(to: now)
                switch item {
                case .effect(let effect, let forCard): outputs += terminal.carryOut(effect, forCard, at: now)
                case .choice(let index): outputs += terminal.choose(index, at: now)
                case .bytes(let bytes): outputs += terminal.receive(bytes.span, at: now)
                case .lost(let error) where !isLost:
                    isLost = true
                    outputs += terminal.lose(error, at: now)
                case .lost, .deadline: break
                }
                for output in outputs {
                    switch output {
                    case .send(let bytes): if !isLost { toReader.yield(.bytes(bytes)) }
                    case .power(let power): if !isLost { toReader.yield(.power(power)) }
                    case .event(let event): events(event)
                    }
                }
                if case .effect = item { toReader.yield(.endOfEffect) }
                timer.arm(for: terminal.nextDeadline) { input.yield(.deadline($0)) }
            }
            timer.cancel()
            toReader.finish()
            await sent.wait(after: 0, until: clock.now() + Self.sendingLimit, on: clock)
            receiving.cancel()
            sending.cancel()
            await link.close()
            closed()
        }
        tasks = [receiving, sending, running]
    }

    func carryOut(_ effect: PaymentEffect, forCard: HTTPBody) { input.yield(.effect(effect, forCard)) }

    func choose(application index: Int) { input.yield(.choice(index)) }

    func close() { input.finish() }
}

extension Transport {
    /// Receives the next bytes; nil after the device has closed the link in good order.
    func receiveBytes() async throws(LinkError) -> [UInt8]? {
        var bytes: [UInt8] = []
        let isOpen = try await receive { span in
            for index in span.indices { bytes.append(span[index]) }
        }
        return isOpen ? bytes : nil
    }
}

extension LinkError {
    /// The reason of a link that the device has closed in good order.
    static func closed(_ link: any Transport) -> LinkError {
        LinkError(.disconnected, link: link.link.description, "the device has closed the link")
    }
}
