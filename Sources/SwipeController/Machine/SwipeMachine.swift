import JackdawReaders

/// The state machine of a controller, without side effects: events of the jack and the readers, calls of the program
/// and the time go in; effects and announcements come out, in order.
///
/// Times count from any origin, and never decrease.
struct SwipeMachine {
    /// The enabled reader type on the audio jack.
    var type: AudioJackReaderType
    /// The reported state of each reader.
    var flags: [ReaderKind: DeviceFlags] = [:]
    var settings = UniMagSettings()
    /// Whether an object is in the jack.
    var isAttached = false
    var slot = AudioSlot()
    /// The internal state of each reader.
    var phases: [ReaderKind: Phase] = [:]
    var isVolumeFull = true
    var isVolumeRaised = false
    /// Number of pending answers about the volume; only the last one counts.
    var readingCount = 0
    var raisingCount = 0
    /// Whether the message about a power-up is shown.
    var isShowing = false
    var detection: Autodetection?
    /// The order in which autodetection searches for readers.
    let order: [ReaderKind]
    /// Number of consecutive times that a reader has not begun to wait for a card.
    var refusals: [ReaderKind: Int] = [:]
    /// Whether to request a swipe as soon as the reader's state allows it.
    var isSwipeWanted = false
    private var typeChanges: [Duration] = []
    private var isOver = false
    private var outputs: [SwipeOutput] = []

    /// The time limit for the activation of a reader that was found, until it is ready. Source: the Mobile Swipe SDK's
    /// communication tests.
    static let probeTime = Duration.seconds(5)
    /// The controller warns about this number of type changes within this time.
    static let maxTypeChanges = (count: 3, within: Duration.seconds(60))
    /// Number of refused swipe requests after which the controller stops requesting.
    static let maxRefusals = 3

    /// The internal state of a reader.
    enum Phase {
        case off
        /// The user will be asked as soon as the volume is known, which decides the question.
        case readingVolume
        case prompting
        case raisingVolume
        case opening
        case connecting
        /// Powered, but the driver has not finished the previous work.
        case settling
        /// Powered, without a request.
        case idle
        case requesting
        case armed
        case cancelling
        case poweringDown
    }

    /// - Parameters:
    ///   - type: the enabled reader type on the audio jack.
    ///   - order: the order in which autodetection tries readers.
    init(_ type: AudioJackReaderType, order: [ReaderKind] = [.ipsEnterprise, .ips, .uniMag]) {
        self.type = type
        self.order = order
    }

    /// The time at which ``advance(to:)`` has something to do; nil if no time limit is running.
    var nextDeadline: Duration? { isOver ? nil : detection?.deadline }

    mutating func receive(_ input: SwipeInput, at now: Duration) -> [SwipeOutput] {
        guard !isOver else { return [] }
        switch input {
        case .attached: attach(at: now)
        case .detached: detach()
        case .opened(.reader(.iDynamo)): linkOpened(.iDynamo)
        case .opened(let user):
            act(slot.opened(user, isOpen: true))
            if case .reader(let reader) = user, slot.has(user) { linkOpened(reader) }
        case .openFailed(let user, let message):
            let wasWanted = slot.concerns(user) && slot.wanted == user
            act(slot.opened(user, isOpen: false))
            if wasWanted { openingFailed(user, message) }
        case .closed(.reader(.iDynamo)): break
        case .closed: act(slot.closed())
        case .reader(let reader, let event):
            guard reader == .iDynamo || slot.has(.reader(reader)) else { break }
            take(event, from: reader)
        case .tonesWanted: askForTones()
        case .searched(let report): searched(report, at: now)
        case .volumeRead(let isFull):
            isVolumeFull = isFull
            readingCount -= 1
            if readingCount == 0 { askForPower() }
        case .volumeRaised(let isFull):
            isVolumeFull = isFull
            raisingCount -= 1
            if raisingCount == 0 { volumeRaised(at: now) }
        case .answered(let isYes): answered(isYes, at: now)
        case .setType(let type, let options): change(to: type, options, at: now)
        case .beginAutodetect: beginAutodetect(.call, at: now)
        case .test(let reader): beginAutodetect(.test(reader), at: now)
        case .configure(let change):
            change(&settings)
            renew()
        case .powerUp(let isWanted): isWanted ? powerUp() : cancelPowerUp()
        case .powerDown: powerDown()
        case .requestSwipe: requestSwipe()
        case .cancelSwipeRequest: cancelSwipeRequest()
        case .shutDown: shutDown()
        }
        return takeOutputs()
    }

    /// Processes a time limit that has passed.
    mutating func advance(to now: Duration) -> [SwipeOutput] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        activationTimedOut()
        return takeOutputs()
    }

    // MARK: shared by the other parts

    mutating func act(_ effect: SwipeEffect?) { if let effect { outputs.append(.effect(effect)) } }

    mutating func announce(_ announcement: SwipeAnnouncement) { outputs.append(.announcement(announcement)) }

    mutating func warn(_ code: PGSwipeWarningCode, of reader: ReaderKind? = nil, _ message: String) {
        announce(.warned(code, message, reader))
    }

    /// Emits an event of a reader, and updates the reader's flags.
    mutating func announce(_ event: SwipeAnnouncement.DeviceEvent, of reader: ReaderKind) {
        var state = flags[reader] ?? DeviceFlags()
        switch event {
        case .connected: state.isConnected = true
        case .disconnected: state.isConnected = false
        case .activationFinished(let result): state.isActivated = result == .success
        case .deactivated: state.isActivated = false
        case .ready: state.isReadyForSwipe = true
        case .unready: state.isReadyForSwipe = false
        case .swiped: break
        }
        flags[reader] = state
        // Until a reader is found, events of the readers that are tried are not reported.
        guard detection == nil || reader == .iDynamo else { return }
        announce(.device(event, reader, state))
    }

    /// Reports that a reader was disconnected: the opposites of its connection events, in reverse order.
    mutating func announceLoss(_ reader: ReaderKind, isDetached: Bool = true) {
        let state = flags[reader] ?? DeviceFlags()
        if state.isReadyForSwipe { announce(.unready(.disconnected), of: reader) }
        if state.isActivated { announce(.deactivated, of: reader) }
        if state.isConnected, isDetached { announce(.disconnected, of: reader) }
    }

    func phase(of reader: ReaderKind) -> Phase { phases[reader] ?? .off }

    /// Releases the reader on the audio jack.
    mutating func unload() {
        if let reader = ReaderKind(type) {
            dismiss(reader)
            phases[reader] = .off
        }
        act(slot.give(to: nil))
        restoreVolume()
    }

    mutating func restoreVolume() {
        guard isVolumeRaised else { return }
        isVolumeRaised = false
        act(.restoreVolume)
    }

    // MARK: the jack

    private mutating func attach(at now: Duration) {
        if !isAttached { announce(.jackChanged(isPlugged: true)) }
        isAttached = true
        guard type != .autodetectOnConnect else { return beginAutodetect(.connection, at: now) }
        connect()
    }

    /// Reports the enabled reader as connected, and begins its activation.
    mutating func connect() {
        guard detection == nil, isAttached, let reader = ReaderKind(type), flags[reader]?.isConnected != true else {
            return
        }
        announce(.connected, of: reader)
        activateOnConnect(reader)
    }

    private mutating func detach() {
        guard isAttached else { return }
        isAttached = false
        announce(.jackChanged(isPlugged: false))
        guard detection == nil else { return finishAutodetect(nil) }
        guard let reader = ReaderKind(type) else { return }
        unload()
        announceLoss(reader)
    }

    // MARK: the type

    private mutating func change(
        to type: AudioJackReaderType, _ options: PGSwipeUniMagMessageOptions?, at now: Duration
    ) {
        typeChanges = typeChanges.filter { now - $0 < Self.maxTypeChanges.within } + [now]
        if typeChanges.count >= Self.maxTypeChanges.count {
            warn(
                .typeChangedRepeatedly,
                "the reader's type was changed \(typeChanges.count) times within a minute: readers may malfunction"
            )
        }
        finishAutodetect(nil, isConnecting: false)
        if let reader = ReaderKind(self.type) {
            unload()
            announceLoss(reader)
        }
        self.type = type
        announce(.typeChanged(type))
        settings.options = (type == .unimag ? options : nil) ?? PGSwipeUniMagMessageOptions()
        connect()
    }

    private mutating func shutDown() {
        if detection?.isAsking == true { act(.dismiss) }
        detection = nil
        if let reader = ReaderKind(type) { dismiss(reader) }
        act(slot.end())
        restoreVolume()
        act(.end)
        isOver = true
    }

    private mutating func takeOutputs() -> [SwipeOutput] {
        defer { outputs = [] }
        return outputs
    }
}

/// Swipe requests and their results.
extension SwipeMachine {
    mutating func take(_ event: ReaderEvent, from reader: ReaderKind) {
        let phase = phase(of: reader)
        switch (event, phase) {
        case (.connected, .connecting): activated(reader)
        case (.ready, .settling), (.ready, .idle), (.ready, .requesting): becameIdle(reader)
        // The driver has started again, or no longer waits for a card.
        case (.ready, .armed):
            ended(reader, .timedOut)
            becameIdle(reader)
        case (.ready, .cancelling):
            ended(reader, .canceled)
            becameIdle(reader)
        case (.waitingForCard, .requesting), (.waitingForCard, .idle): armed(reader)
        // A swipe that happened before the reader received the cancellation counts.
        case (.swipe(let swipe), .armed), (.swipe(let swipe), .cancelling): swiped(reader, swipe)
        case (.badSwipe, .armed): swipedBadly(reader)
        case (.badSwipe, .cancelling): if flags[reader]?.isReadyForSwipe == true { announce(.swiped(nil), of: reader) }
        // A reader that always waits is also ready while its request is being renewed.
        case (.swipe(let swipe), _) where isAlwaysReady(reader): announce(.swiped(swipe), of: reader)
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

    /// Whether a reader's request is renewed whenever it ends.
    private func isRenewed(_ reader: ReaderKind) -> Bool { reader != .uniMag || settings.alwaysAcceptSwipe }

    private mutating func becameIdle(_ reader: ReaderKind) {
        phases[reader] = .idle
        let isWanted = isRenewed(reader) || reader == .uniMag && isSwipeWanted
        if isWanted, refusals[reader, default: 0] < Self.maxRefusals {
            request(reader)
        } else if detection?.found == reader {
            finishAutodetect(reader)
        }
    }

    private func isAlwaysReady(_ reader: ReaderKind) -> Bool {
        reader != .uniMag && flags[reader]?.isReadyForSwipe == true
    }

    /// Requests a swipe if `alwaysAcceptSwipe` was switched on while the UniMag is idle.
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
        // Readers that always wait do not report each renewed wait.
        if flags[reader]?.isReadyForSwipe != true { announce(.ready, of: reader) }
        if detection?.found == reader { finishAutodetect(reader) }
    }

    private mutating func swiped(_ reader: ReaderKind, _ swipe: ReaderSwipe) {
        phases[reader] = .settling
        guard flags[reader]?.isReadyForSwipe == true else { return }
        announce(.swiped(swipe), of: reader)
        becomeUnready(reader, .swipeDone)
    }

    /// After a bad read the driver continues to wait; a UniMag's request, however, ends.
    private mutating func swipedBadly(_ reader: ReaderKind) {
        guard reader == .uniMag else {
            // Source: IPS readers send no notification of bad reads.
            if reader == .iDynamo { announce(.swiped(nil), of: reader) }
            return
        }
        announce(.swiped(nil), of: reader)
        becomeUnready(reader, .swipeDone)
        if isRenewed(reader) {
            announce(.ready, of: reader)
        } else {
            phases[reader] = .cancelling
            act(.perform(reader, .cancel))
        }
    }

    /// A request has ended without a card.
    private mutating func ended(_ reader: ReaderKind, _ reason: SwipeReasonUnreadyForSwipe) {
        phases[reader] = .settling
        becomeUnready(reader, reason)
    }

    private mutating func becomeUnready(_ reader: ReaderKind, _ reason: SwipeReasonUnreadyForSwipe) {
        guard reader == .uniMag, flags[reader]?.isReadyForSwipe == true else { return }
        announce(.unready(isRenewed(reader) ? .refreshing : reason), of: reader)
    }

    private mutating func failed(_ reader: ReaderKind, _ error: ReaderError) {
        // The cancelled wait had already ended, so the error is not the answer to the next request.
        guard error.code != .nothingToCancel else { return }
        switch phase(of: reader) {
        case .connecting: connectingFailed(reader, error.code == .noAnswer ? .timeout : .failure)
        case .requesting:
            refusals[reader, default: 0] += 1
            phases[reader] = .idle
            // A renewed request is repeated when the reader is ready, and may succeed then.
            let isRepeated = isRenewed(reader) && error.code != .outOfRange
            guard !isRepeated || refusals[reader, default: 0] >= Self.maxRefusals else { return }
            if flags[reader]?.isReadyForSwipe == true { announce(.unready(.timedOut), of: reader) }
            warn(.readerRefuses, of: reader, "the reader does not start to wait for a card: \(error.message)")
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
            return warn(.callIgnored, of: .uniMag, "swipes are requested automatically while alwaysAcceptSwipe is true")
        }
        refusals[.uniMag] = 0
        switch phase(of: .uniMag) {
        case .idle where detection == nil: request(.uniMag)
        // The request follows as soon as the previous wait for a card has ended.
        case .settling where detection == nil, .cancelling where detection == nil: isSwipeWanted = true
        default:
            warn(
                .callIgnored, of: .uniMag,
                "a swipe can be requested only of a reader that is activated and not ready for one")
        }
    }

    mutating func cancelSwipeRequest() {
        guard !settings.alwaysAcceptSwipe else {
            return warn(.callIgnored, of: .uniMag, "only a wait that requestSwipe has started can be cancelled")
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
        // The reader was never ready, so no unready event reports the cancellation.
        if isPending { warn(.requestCanceled, of: .uniMag, "the request was cancelled before the reader waited") }
    }
}
