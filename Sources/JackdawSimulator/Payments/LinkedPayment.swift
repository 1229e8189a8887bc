import JackdawBytes
package import JackdawTransport

/// Carries a payment out at a reader at the other end of a link, on a clock.
package actor LinkedPayment {
    private let transport: any Transport
    private let clock: ElapsedClock
    private var run: PaymentRun
    /// Outputs that were not shown yet.
    private var outputs: [PaymentRun.Output] = []
    private var isLost = false
    /// Sent when bytes have come, or the link has ended.
    private let change = AsyncSignal()
    private var isSending = false
    /// Sent after each message.
    private let sent = AsyncSignal()

    /// The time in which the reader must accept a message, or the card be reset. After it, the link counts as lost.
    private static let sendLimit = Duration.seconds(30)

    /// - Parameters:
    ///   - run: a payment with a reader at a link, which has not started.
    ///   - transport: the open link; the payment closes it.
    ///   - clock: measures the payment's times.
    package init(
        _ run: sending PaymentRun, over transport: any Transport, clock: any Clock<Duration> = SuspendingClock()
    ) {
        self.run = run
        self.transport = transport
        self.clock = ElapsedClock(clock)
    }

    /// Pays, until the payment has ended and the issuer has answered, or the task is cancelled, and closes the link. Call
    /// it only once.
    /// - Parameter show: receives the outputs in their order; the payment waits for its return.
    /// - Returns: the result and the recording of the payment.
    package func pay(
        _ show: @Sendable ([PaymentRun.Output]) async -> Void
    ) async -> (result: PaymentResult, recording: PaymentRecording) {
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await self.receive() }
            await act(show)
            tasks.cancelAll()
        }
        await transport.close()
        return (run.result, run.recording)
    }

    private func act(_ show: @Sendable ([PaymentRun.Output]) async -> Void) async {
        outputs += run.start()
        while !Task.isCancelled {
            let tasks = run.takeTasks()
            let shown = outputs
            outputs = []
            guard tasks.isEmpty, shown.isEmpty else {
                for task in tasks { await carryOut(task) }
                await show(shown)
                continue
            }
            // A terminal that asks the issuer itself still delivers its messages after the end.
            let limit = run.isSettled || isLost ? nil : PaymentRun.limit
            guard let deadline = run.nextDeadline ?? limit else { return }
            if deadline <= clock.now() {
                guard run.nextDeadline != nil else { return }
                outputs += run.advance()
            } else {
                await change.wait(after: change.count, until: deadline, on: clock)
            }
        }
    }

    private func carryOut(_ task: LinkTask) async {
        var timer = DeadlineTimer(clock)
        timer.arm(for: clock.now() + Self.sendLimit) { [transport] _ in await transport.close() }
        isSending = true
        defer {
            timer.cancel()
            isSending = false
            sent.send()
        }
        do throws(LinkError) {
            switch task {
            case .send(let message): try await transport.send(message)
            case .power(let power): try await (transport as? any PoweredTransport)?.setPower(power)
            case .resetCard: try await resetCard()
            }
        } catch {
            if error.code != .cancelled { lose() }
        }
    }

    /// Resets the card; a transcript that is played back has none.
    private func resetCard() async throws(LinkError) {
        guard let card = transport as? any CardResetting else { return }
        do throws(LinkError) {
            _ = try await card.resetCard()
        } catch {
            if error.code != .unsupported { throw error }
        }
    }

    private func receive() async {
        do throws(LinkError) {
            while true {
                var bytes: [UInt8] = []
                defer { bytes.wipe() }
                let isOpen = try await transport.receive { span in
                    for index in span.indices { bytes.append(span[index]) }
                }
                guard isOpen else { break }
                outputs += run.receive(bytes, at: clock.now())
                change.send()
                // Else the answers to a reader that accepts none would fill the memory.
                while isSending, !Task.isCancelled { await sent.wait(after: sent.count) }
            }
            lose()
        } catch {
            // The payment is over, or its caller cancelled it: the link is not lost.
            if error.code != .cancelled { lose() }
        }
    }

    /// The link has ended.
    private func lose() {
        isLost = true
        outputs += run.loseLink(at: clock.now())
        change.send()
    }
}
