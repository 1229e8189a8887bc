import JackdawReaders

/// How readers get power, and lose it.
extension SwipeMachine {
    /// What follows when something was attached.
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

    /// Gives a UniMag power, as the program wants it or a person has agreed to.
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

    /// The program cancels a power-up, or declines for the person who is asked.
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

    /// Switches a UniMag off. It is told as detached and attached again: what is in the jack stays there.
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
            // It is not changed; but it may be why the reader does not answer.
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

    /// It is known how loud it is: a person can be asked.
    mutating func askForPower() {
        guard detection == nil, case .readingVolume = phase(of: .uniMag) else { return }
        phases[.uniMag] = .prompting
        let isChanged = settings.automaticallySetVolumeToMaxOnActivate && !isVolumeFull
        let options = settings.options
        act(.ask(isChanged ? options.cardReaderActivationPrompt : options.cardReaderActivationAtMaxVolumePrompt))
    }

    /// The volume is as high as it gets.
    mutating func volumeRaised(at now: Duration) {
        guard detection == nil else { return volumeRaisedForTones(at: now) }
        guard case .raisingVolume = phase(of: .uniMag) else { return }
        warnOfVolume()
        open(.uniMag)
    }

    /// Tells where it was in vain to turn the volume up.
    mutating func warnOfVolume() {
        if !isVolumeFull { warn(.volumeUnchanged, of: .uniMag, "the volume cannot be turned to its most") }
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

    /// A reader has told that it is there.
    mutating func activated(_ reader: ReaderKind) {
        dismiss(reader)
        phases[reader] = .settling
        refusals[reader] = 0
        isSwipeWanted = false
        if reader == .iDynamo { tell(.connected, reader) }
        tell(.activationFinished(.success), reader)
    }

    mutating func activationFailed(_ reader: ReaderKind, _ result: SwipeActivationResult) {
        dismiss(reader)
        phases[reader] = .off
        // Nobody was told that there is one.
        guard reader != .iDynamo else { return act(.close(.reader(.iDynamo))) }
        act(slot.give(to: nil))
        restoreVolume()
        tell(.activationFinished(result), reader)
        let options = settings.options
        let message: String? =
            switch result {
            case .timeout: options.cardReaderTimeoutMessage
            case .volumeTooLow: options.volumeTooLowMessage
            case .success, .failure: nil
            }
        if reader == .uniMag, let message { act(.show(message)) }
    }

    /// A reader was switched off, by the program or by itself.
    mutating func poweredDown(_ reader: ReaderKind) {
        if detection?.found == reader { return finishAutodetect(nil) }
        let isWanted = if case .poweringDown = phase(of: reader) { true } else { false }
        phases[reader] = .off
        if reader != .iDynamo {
            act(slot.give(to: nil))
            restoreVolume()
        }
        tellGone(reader, isDetached: isWanted)
        if isWanted { connect() }
    }

    /// A reader's link has gone.
    mutating func lost(_ reader: ReaderKind) {
        if detection?.found == reader { return finishAutodetect(nil) }
        switch phase(of: reader) {
        case .opening, .connecting: return activationFailed(reader, .failure)
        default: break
        }
        phases[reader] = .off
        // The conversation with an iDynamo is over by that, and the next one may have begun.
        if reader != .iDynamo {
            act(slot.give(to: nil))
            restoreVolume()
        }
        tellGone(reader)
    }

    /// Takes away what a person is asked or shown about a reader.
    mutating func dismiss(_ reader: ReaderKind) {
        guard reader == .uniMag else { return }
        let isAsked = if case .prompting = phase(of: reader) { true } else { false }
        if isAsked || isShowing { act(.dismiss) }
        isShowing = false
    }
}
