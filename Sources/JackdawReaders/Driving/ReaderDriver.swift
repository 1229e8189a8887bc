public import JackdawTransport

/// The conversation with one reader, as a state machine without a clock or a link: the inputs are the program's
/// commands and the bytes from the link, the outputs are bytes to send and events. ``ReaderSession`` connects it to a
/// clock and a link.
///
/// Times count from an arbitrary origin and never decrease.
public struct ReaderDriver: ~Copyable {
    enum Phase {
        case off, poweringUp, working, ready, armed, lost
    }

    var phase = Phase.off
    var dialect: any ReaderDialect
    let times: ReaderTimes
    private var reader: FrameReader<AnyFrameFormat>
    /// The current requests; nil in all states but `working`.
    var work: ReaderWork?
    /// The number of attempts to power the reader up.
    var powerUpTries = 0
    /// Whether to end the wait for a card as soon as it has begun.
    var isCancelWanted = false
    var powerDeadline: Duration?
    var swipeDeadline: Duration?
    var keepAliveDeadline: Duration?
    /// The driver sends no request before this time: received frames may still answer an earlier request, or that
    /// request requires a pause.
    var quietUntil: Duration?
    /// The time at which a partial frame is discarded.
    private var silenceDeadline: Duration?
    /// The fault of the bytes that are being skipped.
    private var firstFault: FrameFault?
    private var foreign: ForeignBytesWatch
    private var outputs: [ReaderOutput] = []

    /// Creates a conversation that has not begun.
    /// - Parameter dialect: the protocol of the reader's family.
    public init(_ dialect: any ReaderDialect) {
        self.dialect = dialect
        self.dialect.reset()
        times = dialect.times
        reader = FrameReader(AnyFrameFormat(dialect.format(awaiting: nil)))
        foreign = ForeignBytesWatch(isFrameExpected: dialect.identification.contains(where: \.isAnswered))
    }

    /// The name of the reader's family, as in its dialect.
    public var family: String { dialect.family }

    /// The state of the conversation, as a program sees it.
    public var state: ReaderState {
        switch phase {
        case .off: .off
        case .poweringUp: .poweringUp
        case .ready: .ready
        case .armed: .armed
        case .lost: .lost
        case .working: work?.purpose.state ?? .ready
        }
    }

    /// The time at which ``advance(to:)`` has work to do; nil if there is no deadline.
    public var nextDeadline: Duration? {
        [
            powerDeadline, swipeDeadline, keepAliveDeadline, silenceDeadline, foreign.deadline, quietUntil,
            work?.deadline,
        ]
        .compactMap(\.self).min()
    }

    /// Executes a command of the program.
    /// - Parameters:
    ///   - command: the command.
    ///   - now: the current time.
    /// - Returns: the outputs. A command that cannot begin causes an event `failed`, and changes nothing.
    public mutating func perform(_ command: ReaderCommand, at now: Duration) -> [ReaderOutput] {
        do throws(ReaderError) {
            try begin(command, at: now)
        } catch {
            emit(.failed(error))
        }
        return takeOutputs()
    }

    /// Handles bytes that were received over the link.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - now: the current time.
    /// - Returns: the outputs.
    public mutating func receive(_ bytes: Span<UInt8>, at now: Duration) -> [ReaderOutput] {
        guard phase != .lost else { return [] }
        cut(at: now) { reader, take in reader.receive(bytes, take) }
        if foreign.receive(bytes, pending: reader.pendingCount, at: now) { reportForeignBytes() }
        // Noise ends after a silence too: a format without checks accepts no frame directly after noise.
        silenceDeadline = reader.pendingCount > 0 || firstFault != nil ? now + times.silence : nil
        return takeOutputs()
    }

    /// Handles the deadlines up to a time.
    /// - Parameter now: the current time.
    /// - Returns: the outputs.
    public mutating func advance(to now: Duration) -> [ReaderOutput] {
        // Earliest deadline first. Each step removes or postpones the deadline that it meets.
        while let next = nextDeadline, next <= now {
            if silenceDeadline == next {
                silenceDeadline = nil
                cut(at: now) { reader, take in reader.finish(take) }
                if foreign.receive(Span(), pending: reader.pendingCount, at: now) { reportForeignBytes() }
            } else if foreign.deadline == next {
                reportForeignBytes()
            } else {
                meetDeadline(next, at: now)
            }
        }
        return takeOutputs()
    }

    /// Handles the loss of the link, in any state. No outputs follow.
    /// - Parameter error: the error; nil if the other end closed the link in good order.
    /// - Returns: the outputs.
    public mutating func lose(_ error: LinkError?) -> [ReaderOutput] {
        guard phase != .lost else { return [] }
        stop(.lost)
        quietUntil = nil
        reader.reset()
        silenceDeadline = nil
        foreign.forget()
        emit(.lost(error))
        return takeOutputs()
    }

    mutating func emit(_ event: ReaderEvent) { outputs.append(.event(event)) }

    mutating func put(_ output: ReaderOutput) { outputs.append(output) }

    /// Runs `body` on the frame reader, and handles its events.
    private mutating func cut(
        at now: Duration,
        _ body: (inout FrameReader<AnyFrameFormat>, (FrameEvent, Span<UInt8>) -> Void) -> Void
    ) {
        var reader = reader.moveOut()
        body(&reader) { event, frame in take(event, frame, at: now) }
        self.reader = reader
    }

    private mutating func take(_ event: FrameEvent, _ frame: Span<UInt8>, at now: Duration) {
        switch event {
        case .frame:
            foreign.receiveFrame()
            // Frames that arrive before the request is sent do not answer it.
            let request = work.flatMap { $0.isAwaiting ? $0.requests.first : nil }
            for meaning in dialect.understand(frame, answering: request) { take(meaning, at: now) }
        case .fault(let fault, _): firstFault = fault
        case .skipped(let range):
            guard let fault = firstFault else { return }
            firstFault = nil
            emit(.dropped(.noise(fault, count: range.count)))
        }
    }

    private mutating func reportForeignBytes() { emit(.dropped(.foreign(foreign.report(family: family)))) }

    private mutating func takeOutputs() -> [ReaderOutput] {
        if let request = work?.requests.first, work?.tries ?? 0 > 0 {
            work?.isAwaiting = true
            reader.format = AnyFrameFormat(dialect.format(awaiting: request))
        } else {
            reader.format = AnyFrameFormat(dialect.format(awaiting: nil))
        }
        defer { outputs = [] }
        return outputs
    }
}

extension ReaderDriver {
    mutating func begin(_ command: ReaderCommand, at now: Duration) throws(ReaderError) {
        guard phase != .lost else { throw ReaderError(.lost, "the link to the reader was lost") }
        dropKeepAlive(at: now)
        switch command {
        case .connect: try connect(at: now)
        case .requestSwipe(let duration):
            try checkReady()
            guard times.swipe.contains(duration) else {
                throw ReaderError(
                    .outOfRange, "no reader of this family waits \(duration) for a card",
                    remedy: "choose \(times.swipe.lowerBound) to \(times.swipe.upperBound)")
            }
            start(.arming(duration), try dialect.arming(for: duration), at: now)
        case .cancel: try cancel(at: now)
        case .ask(let question):
            try checkReady()
            start(.asking(question), try dialect.asking(question), at: now)
        case .set(let setting):
            try checkReady()
            start(.setting(setting), try dialect.setting(setting), at: now)
        case .powerDown:
            guard phase != .off else { throw ReaderError(.notConnected, "the reader is not connected") }
            guard state != .poweringDown else {
                throw ReaderError(.busy, ReaderError.Reason(state), "the reader is being switched off")
            }
            var requests = phase == .poweringUp ? [] : dialect.poweringDown
            // Otherwise the reader would continue to report cards.
            if [.arming, .armed, .disarming].contains(state) {
                requests = dialect.disarming(after: .cancelled) + requests
            }
            stop(.working)
            start(.poweringDown, requests, at: now)
        }
    }

    private mutating func connect(at now: Duration) throws(ReaderError) {
        guard phase == .off else {
            throw state == .poweringUp || state == .identifying || state == .poweringDown
                ? ReaderError(
                    .busy, ReaderError.Reason(state),
                    "the reader is \(state == .poweringDown ? "being switched off" : "being connected")")
                : ReaderError(.alreadyConnected, "the reader is connected")
        }
        dialect.reset()
        guard let wait = dialect.hasPowerUp ? times.powerUp : dialect.waking else {
            return start(.identifying, dialect.identification, at: now)
        }
        phase = .poweringUp
        powerUpTries = 1
        powerDeadline = now + wait
        put(.power(.connecting))
    }

    private mutating func cancel(at now: Duration) throws(ReaderError) {
        switch state {
        case .armed: endWait(.cancelled, at: now)
        case .arming: isCancelWanted = true
        case .poweringUp, .identifying:
            settle(at: now)
            switchOff()
            emit(.cancelled)
        case .off, .ready, .asking, .disarming, .poweringDown, .lost:
            throw ReaderError(.nothingToCancel, "there is no wait for a card")
        }
    }

    private func checkReady() throws(ReaderError) {
        switch state {
        case .ready: return
        case .off, .poweringUp, .identifying, .lost:
            throw ReaderError(.notConnected, "the reader is not connected", remedy: "wait for it to be ready")
        case .asking, .arming, .armed, .disarming, .poweringDown:
            throw ReaderError(
                .busy, ReaderError.Reason(state), "the reader is \(busyWords)",
                remedy: "wait for it to be ready, or cancel")
        }
    }

    private var busyWords: String {
        switch state {
        case .arming, .armed: "waiting for a card"
        case .disarming: "ending a wait for a card"
        case .poweringDown: "being switched off"
        default: "busy with a request"
        }
    }
}

/// The handling of frames from the reader, in each state.
extension ReaderDriver {
    mutating func take(_ meaning: ReaderMeaning, at now: Duration) {
        switch meaning {
        case .poweredUp: takePowerUp(at: now)
        case .done(let facts):
            guard isAwaiting else { return drop("an answer without a request", .unsolicitedAnswer) }
            finishRequest(facts, at: now)
        case .refused(let words): takeRefusal(words, at: now)
        case .more:
            guard isAwaiting else { return drop("a part of an answer without a request", .unsolicitedPart) }
            work?.deadline = now + times.answer
        case .swipe(let swipe): takeSwipe(swipe, at: now)
        case .badSwipe(let words, _):
            guard isWaitingForCard || (isConnected && dialect.isAlwaysArmed) else {
                return drop("a bad swipe", .unsolicitedSwipe)
            }
            emit(.badSwipe(words))
        case .gaveUp:
            guard phase == .armed else {
                return drop("the end of a wait for a card without a wait", .unsolicitedTimeout)
            }
            swipeDeadline = nil
            emit(.timedOut)
            becomeReady(at: now)
        case .card(let notice):
            isConnected ? emit(.card(notice)) : drop("a card that is \(notice)", .unsolicitedCard)
        case .reported(let fact): isConnected ? emit(.reported(fact)) : drop("\(fact)", .unsolicitedFact)
        case .poweringDown:
            guard phase != .off else {
                return drop("a report that the reader switches itself off", .unsolicitedPowerDown)
            }
            switchOff()
            emit(.poweredDown)
        case .reply(let bytes): put(.send(bytes))
        case .unknown(let words, let reason): drop(words, reason)
        }
    }

    private var isAwaiting: Bool { work?.isAwaiting ?? false }

    private var isConnected: Bool {
        switch state {
        case .off, .poweringUp, .identifying, .poweringDown, .lost: false
        case .ready, .asking, .arming, .armed, .disarming: true
        }
    }

    private var isWaitingForCard: Bool { state == .armed || state == .arming }

    private mutating func drop(_ words: String, _ reason: DiscardReason) {
        emit(.dropped(.frame(words, reason: reason)))
    }

    mutating func takePowerUp(at now: Duration) {
        switch state {
        case .poweringUp:
            powerDeadline = nil
            put(.power(.connected))
            start(.identifying, dialect.identification, at: now)
        case .ready, .asking, .arming, .armed, .disarming:
            stop(.working)
            // The reader has lost the request.
            quietUntil = nil
            emit(
                .failed(ReaderError(.restarted, "the reader has restarted", remedy: "check its battery and its plug")))
            start(.identifying, dialect.identification, at: now)
        case .off, .identifying, .poweringDown, .lost: drop("a report of power-up", .unsolicitedPowerUp)
        }
    }

    private mutating func takeRefusal(_ words: String, at now: Duration) {
        let error = ReaderError(
            .refused, "the reader refuses (\(work?.requests.first?.name ?? "wait for a card"))", underlying: words)
        if isAwaiting { return failWork(error, at: now) }
        guard phase == .armed else { return drop("a refusal without a request", .unsolicitedRefusal) }
        swipeDeadline = nil
        emit(.failed(error))
        becomeReady(at: now)
    }

    private mutating func takeSwipe(_ swipe: ReaderSwipe, at now: Duration) {
        // A reader may send a swipe before it has confirmed that it waits.
        if isWaitingForCard, !isCancelWanted {
            emit(.swipe(swipe))
            endWait(.swiped, at: now)
        } else if isConnected, dialect.isAlwaysArmed {
            emit(.swipe(swipe))
        } else {
            emit(.dropped(.swipe))
        }
    }
}
