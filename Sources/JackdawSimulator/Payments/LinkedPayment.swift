import JackdawBytes
package import JackdawCards
package import JackdawTransport

/// Swiped cards, such as those in the sound of a head.
package protocol CardSource: Sendable {
    /// Waits for the next card; one without tracks could not be read.
    /// - Returns: nil if no card follows.
    /// - Throws: `LinkError` if the source was lost, or the task was cancelled.
    func nextCard() async throws(LinkError) -> CardEvent?

    /// Ends the source. Tasks that wait for a card receive none.
    func close() async
}

/// Carries a payment out at a reader at the other end of a link, on a clock.
package actor LinkedPayment {
    /// Where the reader is.
    private enum Place {
        case link(any Transport)
        case cards(any CardSource)
    }

    private var place: Place
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
    /// Sent after each step, for the task that waits until the payment needs a card.
    private let advanced = AsyncSignal()

    /// The time in which the reader must accept a message, or the card be reset. After it, the link counts as lost.
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
        place = .link(transport)
        self.reopen = reopen
        self.clock = ElapsedClock(clock)
    }

    /// - Parameters:
    ///   - run: a payment whose cards a head reads, which has not started.
    ///   - cards: the cards; the payment takes one whenever it waits for one, and closes the source.
    ///   - clock: measures the payment's times.
    package init(
        _ run: sending PaymentRun, reading cards: any CardSource, clock: any Clock<Duration> = SuspendingClock()
    ) {
        self.run = run
        place = .cards(cards)
        reopen = nil
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
        switch place {
        case .link(let transport): await transport.close()
        case .cards(let cards): await cards.close()
        }
        return (run.result, run.recording)
    }

    private func act(_ show: @Sendable ([PaymentRun.Output]) async -> Void) async {
        outputs += run.start()
        while !Task.isCancelled {
            advanced.send()
            let tasks = run.takeTasks()
            let shown = outputs
            outputs = []
            guard tasks.isEmpty, shown.isEmpty else {
                let number = linkNumber
                for task in tasks where number == linkNumber { await carryOut(task) }
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

    private func carryOut(_ task: LinkTask) async {
        guard case .link(let transport) = place else { return }
        var timer = DeadlineTimer(clock)
        timer.arm(for: clock.now() + Self.sendLimit) { _ in await transport.close() }
        isSending = true
        let number = linkNumber
        defer {
            timer.cancel()
            isSending = false
            sent.send()
        }
        do throws(LinkError) {
            switch task {
            case .send(let message): try await transport.send(message)
            case .power(let power): try await (transport as? any PoweredTransport)?.setPower(power)
            case .resetCard: try await reset(transport)
            }
        } catch {
            if error.code != .cancelled, number == linkNumber { lose() }
        }
    }

    /// Resets the card; a transcript that is played back has none.
    private func reset(_ transport: any Transport) async throws(LinkError) {
        guard let card = transport as? any CardResetting else { return }
        do throws(LinkError) {
            _ = try await card.resetCard()
        } catch {
            if error.code != .unsupported { throw error }
        }
    }

    /// Receives until the link ends, and opens it again as long as the reader is needed.
    private func keepLink() async {
        repeat { await receive() } while await reopenLink()
    }

    /// Opens a lost link again.
    /// - Returns: false if it is not needed, or cannot be opened.
    private func reopenLink() async -> Bool {
        guard isLost, let reopen, case .link(let lost) = place else { return false }
        let pause = AsyncSignal()
        while !Task.isCancelled, run.awaitsReader, clock.now() < PaymentRun.limit {
            await pause.wait(after: 0, until: clock.now() + PaymentRun.reopenDelay, on: clock)
            guard !Task.isCancelled else { break }
            do throws(LinkError) {
                let link = try await reopen()
                await lost.close()
                place = .link(link)
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
        switch place {
        case .link(let transport): await receive(from: transport)
        case .cards(let cards): await receive(from: cards)
        }
    }

    private func receive(from cards: any CardSource) async {
        do throws(LinkError) {
            while true {
                // A card that comes at another time is none of this payment.
                while !run.isAwaitingSwipe {
                    guard !Task.isCancelled else { return }
                    await advanced.wait(after: advanced.count)
                }
                guard let card = try await cards.nextCard() else { break }
                outputs += run.receive(card, at: clock.now())
                change.send()
            }
            lose()
        } catch {
            if error.code != .cancelled { lose() }
        }
    }

    private func receive(from transport: any Transport) async {
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
