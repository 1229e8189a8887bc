/// What is said to the reader, in its order, and what becomes of it.
extension ReaderDriver {
    /// Begins to say something.
    mutating func start(_ purpose: ReaderWork.Purpose, _ requests: [ReaderRequest], at now: Duration) {
        phase = .working
        keepAliveDeadline = nil
        work = ReaderWork(purpose: purpose, requests: requests[...])
        sendNext(at: now)
    }

    /// Sends what is to be sent next, up to the first that is answered.
    mutating func sendNext(at now: Duration) {
        guard settledAt == nil else { return }
        while let request = work?.requests.first {
            put(.send(dialect.encode(request)))
            work?.tries += 1
            guard !request.isAnswered else {
                work?.deadline = now + times.answer
                return
            }
            nextRequest()
            guard request.pause == .zero else {
                settledAt = now + request.pause
                return
            }
        }
        finishWork(at: now)
    }

    /// Ends the wait for a card that has begun.
    mutating func endWait(_ reason: DisarmReason, at now: Duration) {
        swipeDeadline = nil
        isCancelWanted = false
        start(.disarming(reason), dialect.disarming(after: reason), at: now)
    }

    mutating func becomeReady(at now: Duration) {
        work = nil
        phase = .ready
        isCancelWanted = false
        keepAliveDeadline = dialect.keepAlive == nil ? nil : now + times.keepAlive
        tell(.ready)
    }

    /// Forgets whatever was being said or waited for.
    mutating func stop(_ next: Phase) {
        work = nil
        isCancelWanted = false
        powerDeadline = nil
        swipeDeadline = nil
        keepAliveDeadline = nil
        settledAt = nil
        dialect.reset()
        phase = next
    }

    mutating func switchOff() {
        stop(.off)
        put(.power(.off))
    }

    /// Takes that the request was answered.
    mutating func finishRequest(_ facts: [ReaderFact], at now: Duration) {
        work?.facts += facts
        // Each time that it was sent may be answered.
        if work?.tries ?? 0 > 1 { settledAt = now + times.settling }
        nextRequest()
        if work?.requests.isEmpty ?? true { finishWork(at: now) } else { sendNext(at: now) }
    }

    mutating func failWork(_ error: ReaderError, at now: Duration) {
        guard let purpose = work?.purpose else { return }
        if work?.tries ?? 0 > 1 { settledAt = now + times.settling }
        switch purpose {
        case .identifying, .keepingAlive:
            switchOff()
            tell(.failed(error))
        case .arming:
            tell(isCancelWanted ? .cancelled : .failed(error))
            becomeReady(at: now)
        case .disarming(let reason):
            tell(.failed(error))
            finishDisarming(reason, at: now)
        case .asking, .setting:
            tell(.failed(error))
            becomeReady(at: now)
        case .poweringDown: finishPoweringDown()
        }
    }

    mutating func meetDeadline(_ now: Duration) {
        if settledAt == now {
            settledAt = nil
            if work?.deadline == nil, work != nil { sendNext(at: now) }
        } else if work?.deadline == now {
            meetAnswerDeadline(now)
        } else if swipeDeadline == now {
            endWait(.timedOut, at: now)
        } else if powerDeadline == now {
            powerUpAgain(at: now)
        } else if keepAliveDeadline == now {
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
        dialect.reset()
        sendNext(at: now)
    }

    private mutating func powerUpAgain(at now: Duration) {
        guard powerUpTries < times.powerUpTries else {
            let tries = powerUpTries
            switchOff()
            return tell(
                .failed(
                    ReaderError(
                        .noAnswer, "no reader answers the power that it is given, \(tries) times",
                        remedy: "turn the volume up, push the plug in as far as it goes, and choose the right reader")))
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
            tell(.connected(ReaderIdentity(family: dialect.family, facts: work.facts)))
            becomeReady(at: now)
        case .arming(let duration):
            guard !isCancelWanted else { return endWait(.cancelled, at: now) }
            self.work = nil
            phase = .armed
            swipeDeadline = now + duration
            tell(.waitingForCard)
        case .disarming(let reason): finishDisarming(reason, at: now)
        case .asking(let question):
            tell(.answered(question, work.facts))
            becomeReady(at: now)
        case .setting(let setting):
            tell(.set(setting))
            becomeReady(at: now)
        case .keepingAlive: becomeReadyQuietly(at: now)
        case .poweringDown: finishPoweringDown()
        }
    }

    private mutating func finishDisarming(_ reason: DisarmReason, at now: Duration) {
        switch reason {
        case .swiped: break
        case .timedOut: tell(.timedOut)
        case .cancelled: tell(.cancelled)
        }
        becomeReady(at: now)
    }

    private mutating func finishPoweringDown() {
        switchOff()
        tell(.poweredDown)
    }

    /// Nobody wanted anything: nobody hears of it.
    private mutating func becomeReadyQuietly(at now: Duration) {
        work = nil
        phase = .ready
        keepAliveDeadline = now + times.keepAlive
    }
}
