import JackdawTransport

extension ReaderDriver {
    mutating func begin(_ command: ReaderCommand, at now: Duration) throws(ReaderError) {
        guard phase != .lost else { throw ReaderError(.lost, "the link to the reader has gone") }
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
            guard state != .poweringDown else { throw ReaderError(.busy, "the reader is being switched off") }
            var requests = phase == .poweringUp ? [] : dialect.poweringDown
            // It would go on telling of cards.
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
                    .busy, "the reader is \(state == .poweringDown ? "being switched off" : "being connected")")
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
            tell(.cancelled)
        case .off, .ready, .asking, .disarming, .poweringDown, .lost:
            throw ReaderError(.nothingToCancel, "no card is waited for")
        }
    }

    private func checkReady() throws(ReaderError) {
        switch state {
        case .ready: return
        case .off, .poweringUp, .identifying, .lost:
            throw ReaderError(.notConnected, "the reader is not connected", remedy: "wait for it to be ready")
        case .asking, .arming, .armed, .disarming, .poweringDown:
            throw ReaderError(.busy, "the reader is \(busyWords)", remedy: "wait for it to be ready, or cancel")
        }
    }

    private var busyWords: String {
        switch state {
        case .arming, .armed: "waiting for a card"
        case .disarming: "ending a wait for a card"
        case .poweringDown: "being switched off"
        default: "being asked or set something"
        }
    }
}
