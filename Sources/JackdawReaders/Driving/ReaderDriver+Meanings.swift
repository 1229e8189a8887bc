import JackdawTransport

/// What came from the reader, in each state.
extension ReaderDriver {
    mutating func take(_ meaning: ReaderMeaning, at now: Duration) {
        switch meaning {
        case .poweredUp: takePowerUp(at: now)
        case .done(let facts):
            guard isAwaiting else { return drop("an answer that nobody waits for") }
            finishRequest(facts, at: now)
        case .refused(let words): takeRefusal(words, at: now)
        case .more:
            guard isAwaiting else { return drop("a part of an answer that nobody waits for") }
            work?.deadline = now + times.answer
        case .swipe(let swipe): takeSwipe(swipe, at: now)
        case .badSwipe(let reason):
            guard isWaitingForCard || (isConnected && dialect.isAlwaysArmed) else { return drop("a bad swipe") }
            tell(.badSwipe(reason))
        case .gaveUp:
            guard phase == .armed else { return drop("the end of a wait for a card that nobody waits for") }
            swipeDeadline = nil
            tell(.timedOut)
            becomeReady(at: now)
        case .card(let notice): isConnected ? tell(.card(notice)) : drop("a card that is \(notice)")
        case .told(let fact): isConnected ? tell(.told(fact)) : drop("\(fact)")
        case .poweringDown:
            guard phase != .off else { return drop("that the reader switches itself off") }
            switchOff()
            tell(.poweredDown)
        case .reply(let bytes): put(.send(bytes))
        case .unknown(let words): drop(words)
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

    private mutating func drop(_ words: String) { tell(.dropped(.frame(words))) }

    mutating func takePowerUp(at now: Duration) {
        switch state {
        case .poweringUp:
            powerDeadline = nil
            put(.power(.connected))
            start(.identifying, dialect.identification, at: now)
        case .ready, .asking, .arming, .armed, .disarming:
            stop(.working)
            // It has forgotten what it was asked.
            settledAt = nil
            tell(
                .failed(ReaderError(.restarted, "the reader has started anew", remedy: "look at its battery and plug")))
            start(.identifying, dialect.identification, at: now)
        case .off, .identifying, .poweringDown, .lost: drop("that the reader has power")
        }
    }

    private mutating func takeRefusal(_ words: String, at now: Duration) {
        let error = ReaderError(
            .refused, "the reader refuses (\(work?.requests.first?.name ?? "wait for a card"))", underlying: words)
        if isAwaiting { return failWork(error, at: now) }
        guard phase == .armed else { return drop("a refusal of nothing that was asked") }
        swipeDeadline = nil
        tell(.failed(error))
        becomeReady(at: now)
    }

    private mutating func takeSwipe(_ swipe: ReaderSwipe, at now: Duration) {
        // A reader that was told to wait may have a card before it has said that it waits.
        if isWaitingForCard, !isCancelWanted {
            tell(.swipe(swipe))
            endWait(.swiped, at: now)
        } else if isConnected, dialect.isAlwaysArmed {
            tell(.swipe(swipe))
        } else {
            tell(.dropped(.swipe))
        }
    }
}
