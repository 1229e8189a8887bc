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

    mutating func warn(_ code: PGSwipeWarning.Code, of reader: ReaderKind? = nil, _ message: String) {
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
