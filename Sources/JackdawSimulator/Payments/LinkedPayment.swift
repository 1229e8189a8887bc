import JackdawBytes
package import JackdawTransport

/// Carries a payment out at a reader at the other end of a link, on a clock.
package actor LinkedPayment {
    private var transport: any Transport
    private let reopen: (@Sendable () async throws(LinkError) -> any Transport)?
    private let clock: ElapsedClock
    private var run: PaymentRun
    /// Outputs that were not shown yet.
    private var outputs: [PaymentRun.Output] = []
    private var isLost = false
    /// The number of the link, which the messages for it have.
    private var linkNumber = 0
    /// Sent when bytes have come, or the link has ended.
    private let change = AsyncSignal()
    private var isSending = false
    /// Sent after each message.
    private let sent = AsyncSignal()

    /// The time in which the reader must accept a message. After it, the link counts as lost.
    private static let sendLimit = Duration.seconds(30)

    /// - Parameters:
    ///   - run: a payment with a reader at a link, which has not started.
    ///   - transport: the open link; the payment closes it.
    ///   - clock: measures the payment's times.
    ///   - reopen: opens the link again if it is lost and the reader must be asked how the payment ended; nil if that is
    ///     not possible. Default: nil.
    package init(
        _ run: sending PaymentRun, over transport: any Transport, clock: any Clock<Duration> = SuspendingClock(),
        reopen: (@Sendable () async throws(LinkError) -> any Transport)? = nil
    ) {
        self.run = run
        self.transport = transport
        self.reopen = reopen
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
            tasks.addTask { await self.keepLink() }
            await act(show)
            tasks.cancelAll()
        }
        await transport.close()
        return (run.result, run.recording)
    }

    private func act(_ show: @Sendable ([PaymentRun.Output]) async -> Void) async {
        outputs += run.start()
        while !Task.isCancelled {
            let messages = run.takeUnsent()
            let shown = outputs
            outputs = []
            guard messages.isEmpty, shown.isEmpty else {
                let number = linkNumber
                for message in messages where number == linkNumber { await send(message) }
                await show(shown)
                continue
            }
            // A terminal that asks the issuer itself still delivers its messages after the end.
            let limit = run.awaitsReader && (!isLost || reopen != nil) ? PaymentRun.limit : nil
            guard let deadline = run.nextDeadline ?? limit else { return }
            if deadline <= clock.now() {
                guard run.nextDeadline != nil else { return }
                outputs += run.advance()
            } else {
                await change.wait(after: change.count, until: deadline, on: clock)
            }
        }
    }

    private func send(_ message: [UInt8]) async {
        var timer = DeadlineTimer(clock)
        timer.arm(for: clock.now() + Self.sendLimit) { [transport] _ in await transport.close() }
        isSending = true
        let number = linkNumber
        defer {
            timer.cancel()
            isSending = false
            sent.send()
        }
        do throws(LinkError) {
            try await transport.send(message)
        } catch {
            if error.code != .cancelled, number == linkNumber { lose() }
        }
    }

    /// Receives until the link ends, and opens it again as long as the reader is needed.
    private func keepLink() async {
        repeat { await receive() } while await reopenLink()
    }

    /// Opens a lost link again.
    /// - Returns: false if it is not needed, or cannot be opened.
    private func reopenLink() async -> Bool {
        guard isLost, let reopen else { return false }
        let pause = AsyncSignal()
        while !Task.isCancelled, run.awaitsReader, clock.now() < PaymentRun.limit {
            await pause.wait(after: 0, until: clock.now() + PaymentRun.reopenDelay, on: clock)
            guard !Task.isCancelled else { break }
            do throws(LinkError) {
                let link = try await reopen()
                await transport.close()
                transport = link
            } catch {
                continue
            }
            linkNumber += 1
            isLost = false
            outputs += run.reopenLink(at: clock.now())
            change.send()
            return true
        }
        return false
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
        guard !isLost else { return }
        isLost = true
        outputs += run.loseLink(at: clock.now())
        change.send()
    }
}
