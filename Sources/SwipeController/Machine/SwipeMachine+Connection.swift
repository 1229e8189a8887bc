import JackdawReaders

/// Power-up and power-down of readers.
extension SwipeMachine {
    /// Begins the activation of a reader after an object was attached.
    mutating func activateOnConnect(_ reader: ReaderKind) {
        switch reader {
        case .uniMag:
            guard settings.activateReaderOnAttach else { return }
            guard !settings.options.activateReaderWithoutPromptingUser else { return powerUp() }
            phases[.uniMag] = .readingVolume
            readVolume()
        case .ips, .ipsEnterprise: open(reader)
        case .iDynamo: break
        }
    }

    /// Powers a UniMag up, as the program has requested or the user has agreed.
    mutating func powerUp() {
        guard type == .unimag, detection == nil, flags[.uniMag]?.isConnected == true else {
            return warn(.callIgnored, of: .uniMag, "no reader that could be powered up is attached")
        }
        switch phase(of: .uniMag) {
        case .off, .readingVolume: break
        case .prompting: act(.dismiss)
        default: return
        }
        if settings.options.showInitializingReaderMessage {
            isShowing = true
            act(.show("Initializing Card Reader…"))
        }
        raiseVolume()
    }

    /// The program cancels a power-up, or declines the activation question for the user.
    mutating func cancelPowerUp() {
        if detection?.found == .uniMag { return finishAutodetect(nil) }
        switch phase(of: .uniMag) {
        case .readingVolume, .prompting:
            dismiss(.uniMag)
            phases[.uniMag] = .off
        case .raisingVolume, .opening, .connecting: activationFailed(.uniMag, .failure)
        default: break
        }
    }

    /// Powers a UniMag down. It is reported as detached and attached again, since the object in the jack stays there.
    mutating func powerDown() {
        if detection?.found == .uniMag { return finishAutodetect(nil) }
        switch phase(of: .uniMag) {
        case .settling, .idle, .requesting, .armed, .cancelling:
            phases[.uniMag] = .poweringDown
            act(.perform(.uniMag, .powerDown))
        case .off, .poweringDown: break
        case .readingVolume, .prompting, .raisingVolume, .opening, .connecting: cancelPowerUp()
        }
    }

    private mutating func raiseVolume() {
        guard settings.automaticallySetVolumeToMaxOnActivate else {
            // The volume does not change, but a low volume may be the reason why the reader does not answer.
            readVolume()
            return open(.uniMag)
        }
        phases[.uniMag] = .raisingVolume
        turnVolumeUp()
    }

    private mutating func readVolume() {
        readingCount += 1
        act(.readVolume)
    }

    mutating func turnVolumeUp() {
        isVolumeRaised = true
        raisingCount += 1
        act(.raiseVolume)
    }

    /// The volume is known, so the user can be asked.
    mutating func askForPower() {
        guard detection == nil, case .readingVolume = phase(of: .uniMag) else { return }
        phases[.uniMag] = .prompting
        let isChanged = settings.automaticallySetVolumeToMaxOnActivate && !isVolumeFull
        let options = settings.options
        act(.ask(isChanged ? options.cardReaderActivationPrompt : options.cardReaderActivationAtMaxVolumePrompt))
    }

    /// The attempt to raise the volume has ended.
    mutating func volumeRaised(at now: Duration) {
        guard detection == nil else { return volumeRaisedForTones(at: now) }
        guard case .raisingVolume = phase(of: .uniMag) else { return }
        warnOfVolume()
        open(.uniMag)
    }

    /// Warns if the volume could not be set to the maximum.
    mutating func warnOfVolume() {
        if !isVolumeFull { warn(.volumeUnchanged, of: .uniMag, "the volume cannot be set to its maximum") }
    }

    mutating func answered(_ isYes: Bool, at now: Duration) {
        guard detection == nil else { return permitted(isYes, at: now) }
        guard case .prompting = phase(of: .uniMag) else { return }
        phases[.uniMag] = .off
        if isYes { powerUp() }
    }

    mutating func open(_ reader: ReaderKind) {
        phases[reader] = .opening
        act(slot.give(to: .reader(reader)))
    }

    mutating func linkOpened(_ reader: ReaderKind) {
        phases[reader] = .connecting
        act(.perform(reader, .connect))
    }

    mutating func openingFailed(_ user: AudioUser, _ message: String) {
        guard case .reader(let reader) = user else { return detectionFailed(message, of: nil) }
        guard detection == nil else { return detectionFailed(message, of: reader) }
        warn(.linkFailed, of: reader, message)
        activationFailed(reader, .failure)
    }

    /// A reader has reported that it is connected.
    mutating func activated(_ reader: ReaderKind) {
        dismiss(reader)
        phases[reader] = .settling
        refusals[reader] = 0
        isSwipeWanted = false
        if reader == .iDynamo { announce(.connected, of: reader) }
        announce(.activationFinished(.success), of: reader)
    }

    mutating func activationFailed(_ reader: ReaderKind, _ result: SwipeActivationResult) {
        dismiss(reader)
        phases[reader] = .off
        // The iDynamo was never reported as connected.
        guard reader != .iDynamo else { return act(.close(.reader(.iDynamo))) }
        act(slot.give(to: nil))
        restoreVolume()
        announce(.activationFinished(result), of: reader)
        let options = settings.options
        let message: String? =
            switch result {
            case .timeout: options.cardReaderTimeoutMessage
            case .volumeTooLow: options.volumeTooLowMessage
            case .success, .failure: nil
            }
        if reader == .uniMag, let message { act(.show(message)) }
    }

    /// A reader was powered down, by the program or by itself.
    mutating func poweredDown(_ reader: ReaderKind) {
        if detection?.found == reader { return finishAutodetect(nil) }
        let isWanted = if case .poweringDown = phase(of: reader) { true } else { false }
        phases[reader] = .off
        if reader != .iDynamo {
            act(slot.give(to: nil))
            restoreVolume()
        }
        announceLoss(reader, isDetached: isWanted)
        if isWanted { connect() }
    }

    /// A reader's link was lost.
    mutating func lost(_ reader: ReaderKind) {
        if detection?.found == reader { return finishAutodetect(nil) }
        switch phase(of: reader) {
        case .opening, .connecting: return activationFailed(reader, .failure)
        default: break
        }
        phases[reader] = .off
        // The iDynamo's session has ended with that, and the next one may have begun.
        if reader != .iDynamo {
            act(slot.give(to: nil))
            restoreVolume()
        }
        announceLoss(reader)
    }

    /// Dismisses the question or message about a reader.
    mutating func dismiss(_ reader: ReaderKind) {
        guard reader == .uniMag else { return }
        let isAsked = if case .prompting = phase(of: reader) { true } else { false }
        if isAsked || isShowing { act(.dismiss) }
        isShowing = false
    }
}

/// Autodetection of the reader on the audio jack.
extension SwipeMachine {
    /// The state of an autodetection or a communication test.
    struct Autodetection {
        enum Purpose: Hashable {
            case call
            case connection
            /// A test whether the reader is of this kind.
            case test(ReaderKind)

            var isTest: Bool { if case .test = self { true } else { false } }
        }

        let purpose: Purpose
        /// The type that was enabled before.
        let previousType: AudioJackReaderType
        /// The readers to search for, in this order.
        let readers: [ReaderKind]
        /// Whether the program's answer is pending.
        var isAsking = false
        /// Whether the program has agreed to tones.
        var isAllowed = false
        /// Whether the volume is being raised for the tones.
        var isRaisingVolume = false
        /// The report of the search; nil while it runs.
        var report: ReaderSearchReport?
        /// The reader that was found and is being activated.
        var found: ReaderKind?
        /// The time limit of its activation.
        var deadline: Duration?

        var user: AudioUser { .search(readers) }
        var isTest: Bool { purpose.isTest }
    }

    mutating func beginAutodetect(_ purpose: Autodetection.Purpose, at now: Duration) {
        // A second request for the same test shares the result of the first.
        if case .test = purpose, detection?.purpose == purpose { return }
        // A test gives way to autodetection: it tests only one reader, and a caller that waits for autodetection would
        // get no result from it.
        if detection?.isTest == true, !purpose.isTest { finishAutodetect(nil, isConnecting: false) }
        guard detection == nil else {
            if case .test(let reader) = purpose { announce(.tested(reader, false)) }
            return warn(.callIgnored, "autodetection is already running")
        }
        if let reader = ReaderKind(type) {
            unload()
            announceLoss(reader)
        }
        let readers = if case .test(let reader) = purpose { [reader] } else { order }
        let begun = Autodetection(purpose: purpose, previousType: type, readers: readers)
        detection = begun
        if !begun.isTest { announce(.autodetectStarted) }
        guard isAttached else { return finishAutodetect(nil) }
        act(slot.give(to: begun.user))
    }

    /// Listening was not enough, so ask the program whether tones may be played.
    mutating func askForTones() {
        guard let detection, detection.report == nil, slot.has(detection.user) else { return }
        self.detection?.isAsking = true
        act(.askForTones)
    }

    /// Notes whether loud tones may be played. A refusal ends the search.
    mutating func permitted(_ isAllowed: Bool, at now: Duration) {
        guard let detection, detection.isAsking else { return }
        self.detection?.isAsking = false
        self.detection?.isAllowed = isAllowed
        guard isAllowed else { return detection.report == nil ? act(.permitTones(false)) : finishAutodetect(nil) }
        guard settings.automaticallySetVolumeToMaxOnActivate else { return tonesAllowed(at: now) }
        self.detection?.isRaisingVolume = true
        turnVolumeUp()
    }

    private mutating func tonesAllowed(at now: Duration) {
        guard let found = detection?.found else { return act(.permitTones(true)) }
        activate(found, at: now)
    }

    /// The attempt to raise the volume for the tones has ended.
    mutating func volumeRaisedForTones(at now: Duration) {
        guard detection?.isRaisingVolume == true else { return }
        detection?.isRaisingVolume = false
        warnOfVolume()
        tonesAllowed(at: now)
    }

    /// Processes the result of the search.
    mutating func searched(_ report: ReaderSearchReport, at now: Duration) {
        guard let detection, detection.report == nil, slot.has(detection.user) else { return }
        slot.ended(detection.user)
        self.detection?.report = report
        // A question asked in that time needs no answer any more.
        if detection.isAsking { act(.dismiss) }
        self.detection?.isAsking = false
        let reader = detection.readers.first { $0.family == report.found }
        guard let found = reader, !detection.isTest else { return finishAutodetect(reader) }
        self.detection?.found = found
        flags[found] = DeviceFlags(isConnected: true)
        // A UniMag that was found before any tone is still powered by one, which needs permission.
        guard found != .uniMag || detection.isAllowed else {
            self.detection?.isAsking = true
            return act(.askForTones)
        }
        activate(found, at: now)
    }

    private mutating func activate(_ found: ReaderKind, at now: Duration) {
        detection?.deadline = now + Self.probeTime
        open(found)
    }

    /// The sound card cannot be opened, for the search or for the reader that was found.
    mutating func detectionFailed(_ message: String, of reader: ReaderKind?) {
        warn(.linkFailed, of: reader, message)
        finishAutodetect(nil)
    }

    /// The reader that was found is not ready for cards within the time limit. It counts as found if it has power.
    mutating func activationTimedOut() {
        guard let reader = detection?.found else { return }
        finishAutodetect(flags[reader]?.isActivated == true ? reader : nil)
    }

    /// Ends the autodetection or the test.
    /// - Parameters:
    ///   - reader: the reader that was found, and activated unless this is a test; nil if no reader was found.
    ///   - isConnecting: whether to connect the reader that is enabled afterwards.
    mutating func finishAutodetect(_ reader: ReaderKind?, isConnecting: Bool = true) {
        guard let ended = detection else { return }
        detection = nil
        // Dismissed, so that a late answer is not taken for the answer to the next question.
        if ended.isAsking { act(.dismiss) }
        if case .test(let tested) = ended.purpose {
            letGo(ended)
            announce(.tested(tested, reader != nil))
            if isConnecting { connect() }
            return
        }
        if let reader {
            type = reader.type ?? type
            // Readers with a battery do not need the volume at its maximum.
            if reader != .uniMag { restoreVolume() }
        } else {
            letGo(ended)
            type = ended.purpose == .connection ? .none : ended.previousType
        }
        announce(
            .autodetectComplete(
                SwipeAnnouncement.Detected(
                    result: reader?.result ?? .fail, type: type, flags: flags, report: ended.report)))
        if isConnecting { connect() }
    }

    private mutating func letGo(_ ended: Autodetection) {
        if let reader = ended.found {
            phases[reader] = .off
            flags[reader] = nil
        }
        act(slot.give(to: nil))
        restoreVolume()
    }
}
