import JackdawReaders

/// How swipes are waited for.
extension SwipeMachine {
    mutating func take(_ event: ReaderEvent, from reader: ReaderKind) {
        let phase = phase(of: reader)
        switch (event, phase) {
        case (.connected, .connecting): activated(reader)
        case (.ready, .settling), (.ready, .idle), (.ready, .requesting): becameIdle(reader)
        // It has begun anew, or does not wait any more.
        case (.ready, .armed):
            ended(reader, .timedOut)
            becameIdle(reader)
        case (.ready, .cancelling):
            ended(reader, .canceled)
            becameIdle(reader)
        case (.waitingForCard, .requesting), (.waitingForCard, .idle): armed(reader)
        // What has happened before the reader has heard that it is not to wait any more counts.
        case (.swipe(let swipe), .armed), (.swipe(let swipe), .cancelling): swiped(reader, swipe)
        case (.badSwipe, .armed): swipedBadly(reader)
        case (.badSwipe, .cancelling): if flags[reader]?.isReadyForSwipe == true { tell(.swiped(nil), reader) }
        // A reader that always waits is ready also while it is told to wait again.
        case (.swipe(let swipe), _) where isAlwaysReady(reader): tell(.swiped(swipe), reader)
        case (.badSwipe, _) where isAlwaysReady(reader): swipedBadly(reader)
        case (.timedOut, .armed), (.timedOut, .cancelling): ended(reader, .timedOut)
        case (.cancelled, .cancelling): ended(reader, .canceled)
        case (.failed(let error), _): failed(reader, error)
        case (.poweredDown, .connecting): connectingFailed(reader, .timeout)
        case (.poweredDown, _): poweredDown(reader)
        case (.lost, _): lost(reader)
        default: break
        }
    }

    /// Whether a reader is told to wait again whenever it has ended to.
    private func isRenewed(_ reader: ReaderKind) -> Bool { reader != .uniMag || settings.alwaysAcceptSwipe }

    private mutating func becameIdle(_ reader: ReaderKind) {
        phases[reader] = .idle
        let isWanted = isRenewed(reader) || reader == .uniMag && isSwipeWanted
        if isWanted, refusals[reader, default: 0] < Self.mostRefusals {
            request(reader)
        } else if detection?.found == reader {
            finishAutodetect(reader)
        }
    }

    private func isAlwaysReady(_ reader: ReaderKind) -> Bool {
        reader != .uniMag && flags[reader]?.isReadyForSwipe == true
    }

    /// Requests a swipe of a UniMag that is to accept them always from now on.
    mutating func renew() {
        guard case .idle = phase(of: .uniMag), detection == nil, settings.alwaysAcceptSwipe else { return }
        refusals[.uniMag] = 0
        request(.uniMag)
    }

    private mutating func request(_ reader: ReaderKind) {
        phases[reader] = .requesting
        if reader == .uniMag { isSwipeWanted = false }
        let seconds = reader == .uniMag ? settings.swipeTimeout : UniMagSettings.swipeTimeouts.upperBound
        act(.perform(reader, .requestSwipe(within: .seconds(seconds))))
    }

    private mutating func armed(_ reader: ReaderKind) {
        phases[reader] = .armed
        refusals[reader] = 0
        // Readers that always wait do not tell when they begin to anew.
        if flags[reader]?.isReadyForSwipe != true { tell(.ready, reader) }
        if detection?.found == reader { finishAutodetect(reader) }
    }

    private mutating func swiped(_ reader: ReaderKind, _ swipe: ReaderSwipe) {
        phases[reader] = .settling
        guard flags[reader]?.isReadyForSwipe == true else { return }
        tell(.swiped(swipe), reader)
        becomeUnready(reader, .swipeDone)
    }

    /// The driver goes on waiting, which a request of a UniMag does not.
    private mutating func swipedBadly(_ reader: ReaderKind) {
        guard reader == .uniMag else {
            // Source: IPS readers send no notification of bad reads.
            if reader == .iDynamo { tell(.swiped(nil), reader) }
            return
        }
        tell(.swiped(nil), reader)
        becomeUnready(reader, .swipeDone)
        if isRenewed(reader) {
            tell(.ready, reader)
        } else {
            phases[reader] = .cancelling
            act(.perform(reader, .cancel))
        }
    }

    /// A request is over without a card.
    private mutating func ended(_ reader: ReaderKind, _ reason: SwipeReasonUnreadyForSwipe) {
        phases[reader] = .settling
        becomeUnready(reader, reason)
    }

    private mutating func becomeUnready(_ reader: ReaderKind, _ reason: SwipeReasonUnreadyForSwipe) {
        guard reader == .uniMag, flags[reader]?.isReadyForSwipe == true else { return }
        tell(.unready(isRenewed(reader) ? .refreshing : reason), reader)
    }

    private mutating func failed(_ reader: ReaderKind, _ error: ReaderError) {
        // A wait that was cancelled had ended already: it is no answer to the request that followed.
        guard error.code != .nothingToCancel else { return }
        switch phase(of: reader) {
        case .connecting: connectingFailed(reader, error.code == .noAnswer ? .timeout : .failure)
        case .requesting:
            refusals[reader, default: 0] += 1
            phases[reader] = .idle
            // It is told again as soon as it is ready, where it is told by itself and may agree then.
            let isRepeated = isRenewed(reader) && error.code != .outOfRange
            guard !isRepeated || refusals[reader, default: 0] >= Self.mostRefusals else { return }
            if flags[reader]?.isReadyForSwipe == true { tell(.unready(.timedOut), reader) }
            warn(.readerRefuses, of: reader, "the reader does not begin to wait for a card: \(error.message)")
        default: break
        }
    }

    private mutating func connectingFailed(_ reader: ReaderKind, _ result: SwipeActivationResult) {
        guard detection?.found != reader else { return finishAutodetect(nil) }
        let isTooLow = reader == .uniMag && result == .timeout && !isVolumeFull
        activationFailed(reader, isTooLow ? .volumeTooLow : result)
    }

    mutating func requestSwipe() {
        guard !settings.alwaysAcceptSwipe else {
            return warn(.callIgnored, of: .uniMag, "swipes are requested by themselves while alwaysAcceptSwipe is true")
        }
        refusals[.uniMag] = 0
        switch phase(of: .uniMag) {
        case .idle where detection == nil: request(.uniMag)
        // As soon as the wait for a card before it is over.
        case .settling where detection == nil, .cancelling where detection == nil: isSwipeWanted = true
        default:
            warn(
                .callIgnored, of: .uniMag,
                "a swipe can be requested of a reader that is activated and not ready for one")
        }
    }

    mutating func cancelSwipeRequest() {
        guard !settings.alwaysAcceptSwipe else {
            return warn(.callIgnored, of: .uniMag, "only what requestSwipe has begun can be cancelled")
        }
        var isPending = isSwipeWanted
        isSwipeWanted = false
        switch phase(of: .uniMag) {
        case .armed, .requesting:
            isPending = flags[.uniMag]?.isReadyForSwipe != true
            phases[.uniMag] = .cancelling
            act(.perform(.uniMag, .cancel))
        default: break
        }
        // It will not be told as unready: it never was ready.
        if isPending { warn(.requestCanceled, of: .uniMag, "the request was cancelled before the reader waited") }
    }
}
