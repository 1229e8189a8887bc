import JackdawReaders

/// A controller without anything outside of it: what happens at the jack and at the readers, what the program wants and how
/// time passes go in; what is to be done and told comes out, in that order.
///
/// Times count from any beginning, and never back.
struct SwipeMachine {
    /// Which reader for the audio jack is enabled.
    var type: AudioJackReaderType
    /// What is true of each reader.
    var flags: [ReaderKind: DeviceFlags] = [:]
    var settings = UniMagSettings()
    /// Whether something is in the jack.
    var isAttached = false
    var slot = AudioSlot()
    /// How far each reader has come.
    var phases: [ReaderKind: Phase] = [:]
    var isVolumeFull = true
    var isVolumeRaised = false
    /// Answers of the volume that are still to come; only the last one counts.
    var readingCount = 0
    var raisingCount = 0
    /// Whether it is shown that a reader powers up.
    var isShowing = false
    var detection: Autodetection?
    /// In which order readers are looked for.
    let order: [ReaderKind]
    /// How often in a row a reader has not begun to wait for a card.
    var refusals: [ReaderKind: Int] = [:]
    /// Whether a swipe is requested as soon as that can be done.
    var isSwipeWanted = false
    private var typeChanges: [Duration] = []
    private var isOver = false
    private var actions: [SwipeAction] = []

    /// How long a reader that was found has to be activated and ready. Source: the Mobile Swipe SDK's communication tests.
    static let probeTime = Duration.seconds(5)
    /// So many changes of the type in so short a time are warned about.
    static let mostTypeChanges = (count: 3, within: Duration.seconds(60))
    /// So often a reader is told to wait for a card before it is given up.
    static let mostRefusals = 3

    /// How far a reader has come.
    enum Phase {
        case off
        /// A person is to be asked, once it is known how.
        case readingVolume
        case prompting
        case raisingVolume
        case opening
        case connecting
        /// Powered, and not yet through with what was before.
        case settling
        /// Powered, and told nothing.
        case idle
        case requesting
        case armed
        case cancelling
        case poweringDown
    }

    /// - Parameters:
    ///   - type: which reader for the audio jack is enabled.
    ///   - order: in which order autodetection tries readers.
    init(_ type: AudioJackReaderType, order: [ReaderKind] = [.ipsEnterprise, .ips, .uniMag]) {
        self.type = type
        self.order = order
    }

    /// When ``advance(to:)`` has something to do; nil where nothing waits for time to pass.
    var nextDeadline: Duration? { isOver ? nil : detection?.deadline }

    mutating func receive(_ input: SwipeInput, at now: Duration) -> [SwipeAction] {
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
        }
        return takeActions()
    }

    mutating func perform(_ call: SwipeCall, at now: Duration) -> [SwipeAction] {
        guard !isOver else { return [] }
        switch call {
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
        return takeActions()
    }

    /// Lets time pass.
    mutating func advance(to now: Duration) -> [SwipeAction] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        activationTimedOut()
        return takeActions()
    }

    // MARK: what the other parts use

    mutating func act(_ action: SwipeAction?) { if let action { actions.append(action) } }

    mutating func warn(_ code: PGSwipeWarningCode, of reader: ReaderKind? = nil, _ message: String) {
        act(.warned(code, message, reader))
    }

    /// Tells of a reader, and sets its flags by what is told.
    mutating func tell(_ told: SwipeAction.Told, _ reader: ReaderKind) {
        var state = flags[reader] ?? DeviceFlags()
        switch told {
        case .connected: state.isConnected = true
        case .disconnected: state.isConnected = false
        case .activationFinished(let result): state.isActivated = result == .success
        case .deactivated: state.isActivated = false
        case .ready: state.isReadyForSwipe = true
        case .unready: state.isReadyForSwipe = false
        case .swiped: break
        }
        flags[reader] = state
        // Until a reader is found nothing of those that are tried is told.
        guard detection == nil || reader == .iDynamo else { return }
        act(.told(told, reader, state))
    }

    /// Tells that a reader has gone, in the order in which it came, backwards.
    mutating func tellGone(_ reader: ReaderKind, isDetached: Bool = true) {
        let state = flags[reader] ?? DeviceFlags()
        if state.isReadyForSwipe { tell(.unready(.disconnected), reader) }
        if state.isActivated { tell(.deactivated, reader) }
        if state.isConnected, isDetached { tell(.disconnected, reader) }
    }

    func phase(of reader: ReaderKind) -> Phase { phases[reader] ?? .off }

    /// Lets go of the reader on the audio jack.
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
        if !isAttached { act(.jackChanged(isPlugged: true)) }
        isAttached = true
        guard type != .autodetectOnConnect else { return beginAutodetect(.connection, at: now) }
        connect()
    }

    /// Tells of the reader that is enabled that something is where it belongs.
    mutating func connect() {
        guard detection == nil, isAttached, let reader = ReaderKind(type), flags[reader]?.isConnected != true else {
            return
        }
        tell(.connected, reader)
        activateOnConnect(reader)
    }

    private mutating func detach() {
        guard isAttached else { return }
        isAttached = false
        act(.jackChanged(isPlugged: false))
        guard detection == nil else { return finishAutodetect(nil) }
        guard let reader = ReaderKind(type) else { return }
        unload()
        tellGone(reader)
    }

    // MARK: the type

    private mutating func change(
        to type: AudioJackReaderType, _ options: PGSwipeUniMagMessageOptions?, at now: Duration
    ) {
        typeChanges = typeChanges.filter { now - $0 < Self.mostTypeChanges.within } + [now]
        if typeChanges.count >= Self.mostTypeChanges.count {
            warn(
                .typeChangedRepeatedly,
                "the reader's type was changed \(typeChanges.count) times within a minute: readers may malfunction by it"
            )
        }
        finishAutodetect(nil, isConnecting: false)
        if let reader = ReaderKind(self.type) {
            unload()
            tellGone(reader)
        }
        self.type = type
        act(.typeChanged(type))
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

    private mutating func takeActions() -> [SwipeAction] {
        defer { actions = [] }
        return actions
    }
}

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
