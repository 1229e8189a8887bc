import JackdawTransport

/// The queue of requests: sending, answers, attempts and failures.
extension ReaderDriver {
    /// Begins to send requests.
    mutating func start(_ purpose: ReaderWork.Purpose, _ requests: [ReaderRequest], at now: Duration) {
        phase = .working
        keepAliveDeadline = nil
        work = ReaderWork(purpose: purpose, requests: requests[...])
        sendNext(at: now)
    }

    /// Sends the next requests, up to the first one that the reader answers.
    mutating func sendNext(at now: Duration) {
        // When the reader is being switched off, a late answer does no harm.
        if quietUntil != nil, work?.purpose.state != .poweringDown { return }
        while let request = work?.requests.first {
            put(.send(dialect.encode(request)))
            work?.tries += 1
            guard !request.isAnswered else {
                work?.deadline = now + times.answer
                return
            }
            nextRequest()
            guard request.pause == .zero else {
                quietUntil = now + request.pause
                return
            }
        }
        finishWork(at: now)
    }

    /// Ends the reader's wait for a card.
    mutating func endWait(_ reason: DisarmReason, at now: Duration) {
        swipeDeadline = nil
        isCancelWanted = false
        settle(at: now)
        start(.disarming(reason), dialect.disarming(after: reason), at: now)
    }

    mutating func becomeReady(at now: Duration) {
        work = nil
        phase = .ready
        isCancelWanted = false
        keepAliveDeadline = dialect.keepAlive == nil ? nil : now + times.keepAlive
        emit(.ready)
    }

    /// Discards the current requests and waits.
    mutating func stop(_ next: Phase) {
        work = nil
        isCancelWanted = false
        powerDeadline = nil
        swipeDeadline = nil
        keepAliveDeadline = nil
        dialect.reset()
        phase = next
    }

    /// Delays the next request while late answers to a cancelled request may arrive.
    mutating func settle(at now: Duration) {
        if work?.tries ?? 0 > 0 { quietUntil = now + times.settling }
    }

    /// Cancels a keep-alive request: the command that follows will show whether the reader is connected.
    mutating func dropKeepAlive(at now: Duration) {
        guard case .keepingAlive = work?.purpose else { return }
        settle(at: now)
        work = nil
        phase = .ready
        // The command that follows may be refused.
        keepAliveDeadline = now + times.keepAlive
    }

    mutating func switchOff() {
        stop(.off)
        put(.power(.off))
    }

    /// Handles the answer to a request.
    mutating func finishRequest(_ facts: [ReaderFact], at now: Duration) {
        work?.facts += facts
        // The reader may answer each attempt.
        if work?.tries ?? 0 > 1 { quietUntil = now + times.settling }
        nextRequest()
        if work?.requests.isEmpty ?? true { finishWork(at: now) } else { sendNext(at: now) }
    }

    mutating func failWork(_ error: ReaderError, at now: Duration) {
        guard let purpose = work?.purpose else { return }
        let isAnswered = error.code == .refused
        if !isAnswered || work?.tries ?? 0 > 1 { settle(at: now) }
        switch purpose {
        case .identifying where isAnswered:
            // An older reader may not know this question.
            nextRequest()
            sendNext(at: now)
        case .identifying:
            switchOff()
            emit(.failed(error))
        case .keepingAlive:
            // A refusal shows that the reader is still connected.
            guard !isAnswered else { return becomeReadyQuietly(at: now) }
            switchOff()
            emit(.failed(error))
        case .arming where isCancelWanted:
            isAnswered ? finishDisarming(.cancelled, at: now) : endWait(.cancelled, at: now)
        case .arming:
            emit(.failed(error))
            // The reader may wait for a card although its confirmation was lost.
            isAnswered ? becomeReady(at: now) : endWait(.failed, at: now)
        case .disarming(let reason):
            if reason != .failed { emit(.failed(error)) }
            finishDisarming(reason, at: now)
        case .asking, .setting:
            emit(.failed(error))
            becomeReady(at: now)
        case .poweringDown:
            nextRequest()
            sendNext(at: now)
        }
    }

    /// Handles a deadline, possibly late.
    mutating func meetDeadline(_ deadline: Duration, at now: Duration) {
        if quietUntil == deadline {
            quietUntil = nil
            if work?.deadline == nil, work != nil { sendNext(at: now) }
        } else if work?.deadline == deadline {
            meetAnswerDeadline(now)
        } else if swipeDeadline == deadline {
            endWait(.timedOut, at: now)
        } else if powerDeadline == deadline {
            dialect.hasPowerUp ? powerUpAgain(at: now) : takePowerUp(at: now)
        } else if keepAliveDeadline == deadline {
            keepAliveDeadline = nil
            if let request = dialect.keepAlive { start(.keepingAlive, [request], at: now) }
        }
    }

    private mutating func nextRequest() {
        work?.requests.removeFirst()
        work?.tries = 0
        work?.deadline = nil
        work?.isAwaiting = false
    }

    private mutating func meetAnswerDeadline(_ now: Duration) {
        guard let request = work?.requests.first else { return }
        let tries = work?.tries ?? 0
        guard tries < times.answerTries, !isCancelWanted else {
            let often = tries == 1 ? "" : ", asked \(tries) times"
            return failWork(ReaderError(.noAnswer, "the reader does not answer (\(request.name)\(often))"), at: now)
        }
        sendNext(at: now)
    }

    private mutating func powerUpAgain(at now: Duration) {
        guard powerUpTries < times.powerUpTries else {
            let tries = powerUpTries
            switchOff()
            return emit(
                .failed(
                    ReaderError(
                        .noAnswer, "no reader reports power-up, \(tries) attempts",
                        remedy: "turn the volume up, push the plug in fully, and select the right reader")))
        }
        powerUpTries += 1
        powerDeadline = now + times.powerUp
        put(.power(.off))
        put(.power(.connecting))
    }

    private mutating func finishWork(at now: Duration) {
        guard let work else { return }
        switch work.purpose {
        case .identifying:
            emit(.connected(ReaderIdentity(family: dialect.family, facts: work.facts)))
            becomeReady(at: now)
        case .arming(let duration):
            guard !isCancelWanted else { return endWait(.cancelled, at: now) }
            self.work = nil
            phase = .armed
            swipeDeadline = now + duration
            emit(.waitingForCard)
        case .disarming(let reason): finishDisarming(reason, at: now)
        case .asking(let question):
            emit(.answered(question, work.facts))
            becomeReady(at: now)
        case .setting(let setting):
            emit(.set(setting))
            becomeReady(at: now)
        case .keepingAlive: becomeReadyQuietly(at: now)
        case .poweringDown: finishPoweringDown()
        }
    }

    private mutating func finishDisarming(_ reason: DisarmReason, at now: Duration) {
        switch reason {
        case .swiped, .failed: break
        case .timedOut: emit(.timedOut)
        case .cancelled: emit(.cancelled)
        }
        becomeReady(at: now)
    }

    private mutating func finishPoweringDown() {
        switchOff()
        emit(.poweredDown)
    }

    /// No command was executed, so no event is reported.
    private mutating func becomeReadyQuietly(at now: Duration) {
        work = nil
        phase = .ready
        keepAliveDeadline = now + times.keepAlive
    }
}

/// A sequence of requests; each is sent when the one before has been answered.
struct ReaderWork {
    enum Purpose {
        case identifying
        case arming(Duration)
        case disarming(DisarmReason)
        case asking(ReaderQuestion)
        case setting(ReaderSetting)
        case keepingAlive
        case poweringDown

        var state: ReaderState {
            switch self {
            case .identifying: .identifying
            case .arming: .arming
            case .disarming: .disarming
            case .asking, .setting: .asking
            // Commands of the program have precedence.
            case .keepingAlive: .ready
            case .poweringDown: .poweringDown
            }
        }
    }

    let purpose: Purpose
    /// The current request, which was sent or is sent next, and those after it.
    var requests: ArraySlice<ReaderRequest>
    var facts: [ReaderFact] = []
    /// The number of times that the first request was sent.
    var tries = 0
    /// The timeout of the answer; nil if the request has not been sent.
    var deadline: Duration?
    /// Whether received frames may be the answer; false until the request has been sent.
    var isAwaiting = false
}
