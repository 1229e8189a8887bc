/// How it is found out which reader is on the audio jack.
extension SwipeMachine {
    /// What is being tried.
    struct Autodetection {
        let isOnConnect: Bool
        /// What was enabled before.
        let previousType: AudioJackReaderType
        /// What is still to be tried.
        var remaining: [ReaderKind]
        var current: ReaderKind?
        /// Whether the program has not answered yet.
        var isAsking = false
        /// When the one that is tried is given up.
        var deadline: Duration?
    }

    mutating func beginAutodetect(isOnConnect: Bool, at now: Duration) {
        guard detection == nil else { return warn(.callIgnored, "autodetection goes on already") }
        if let reader = ReaderKind(type) {
            unload()
            tellGone(reader)
        }
        detection = Autodetection(isOnConnect: isOnConnect, previousType: type, remaining: order)
        act(.autodetectStarted)
        guard isAttached else { return finishAutodetect(.fail, at: now) }
        detection?.isAsking = true
        act(.askForTones)
    }

    /// Takes whether loud tones may be played.
    mutating func permitted(_ isAllowed: Bool, at now: Duration) {
        guard detection?.isAsking == true else { return }
        detection?.isAsking = false
        guard isAllowed else { return finishAutodetect(.fail, at: now) }
        probeNext(at: now)
    }

    mutating func probeTimedOut(at now: Duration) {
        guard let reader = detection?.current else { return }
        // It is there, and only does not begin to wait for cards.
        guard flags[reader]?.isActivated != true else { return finishAutodetect(reader.result, at: now) }
        probeFailed(at: now)
    }

    mutating func probeFailed(at now: Duration) {
        guard let reader = detection?.current else { return }
        phases[reader] = .off
        flags[reader] = nil
        probeNext(at: now)
    }

    private mutating func probeNext(at now: Duration) {
        detection?.deadline = nil
        guard let next = detection?.remaining.first else { return finishAutodetect(.fail, at: now) }
        detection?.remaining.removeFirst()
        detection?.current = next
        flags[next] = DeviceFlags(isConnected: true)
        if next == .uniMag { raiseVolume(for: next) } else { open(next) }
    }

    mutating func finishAutodetect(_ result: CardReaderAutodetectResult, at now: Duration) {
        guard let ended = detection else { return }
        detection = nil
        // A late answer is none to whatever is asked next.
        if ended.isAsking { act(.dismiss) }
        guard result == .fail else {
            type = ended.current?.type ?? type
            return act(.autodetectComplete(result, type, flags))
        }
        if let reader = ended.current {
            phases[reader] = .off
            flags[reader] = nil
        }
        act(slot.give(to: nil))
        restoreVolume()
        type = ended.isOnConnect ? .none : ended.previousType
        act(.autodetectComplete(.fail, type, flags))
        connect()
    }
}
