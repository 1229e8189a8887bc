import JackdawReaders

/// What a controller's machine wants done or told, in this order.
enum SwipeAction {
    /// Something happened at a reader, and what is true of it from then on.
    case told(Told, ReaderKind, DeviceFlags)
    case autodetectStarted
    case autodetectComplete(Detected)
    /// The communication test of a reader has ended.
    case tested(ReaderKind, Bool)
    case typeChanged(AudioJackReaderType)
    /// Something was put into the jack, or pulled out.
    case jackChanged(isPlugged: Bool)
    case warned(PGSwipeWarningCode, String, ReaderKind?)

    /// A reader's link is to be opened, or the search for one begun; `opened` or `openFailed` follows.
    case open(AudioUser)
    /// A reader's link is to be closed, or the search ended; `closed` follows.
    case close(AudioUser)
    case perform(ReaderKind, ReaderCommand)

    /// The volume is to be looked at; `volumeRead` follows.
    case readVolume
    /// The volume is to be turned up; `volumeRaised` follows.
    case raiseVolume
    case restoreVolume
    /// A person is to be asked; `answered` follows unless it is dismissed before.
    case ask(String)
    /// The program is asked whether loud tones may be played; `answered` follows.
    case askForTones
    /// Whether the search may play tones.
    case permitTones(Bool)
    case show(String)
    /// What is asked or shown is over.
    case dismiss
    /// Nothing is to be done any more: iDynamo readers are let go, and none is taken.
    case end

    /// What autodetection has found, and what is true from then on.
    struct Detected {
        let result: CardReaderAutodetectResult
        let type: AudioJackReaderType
        let flags: [ReaderKind: DeviceFlags]
        /// What was seen; nil where nothing was looked for.
        let report: ReaderSearchReport?
    }

    /// What happened at a reader.
    enum Told {
        case connected
        case disconnected
        case activationFinished(SwipeActivationResult)
        case deactivated
        case ready
        case unready(SwipeReasonUnreadyForSwipe)
        case swiped(ReaderSwipe?)
    }
}

/// What happened outside of a controller's machine.
enum SwipeInput {
    case attached
    case detached
    case opened(AudioUser)
    /// Why the sound card cannot be had.
    case openFailed(AudioUser, String)
    case closed(AudioUser)
    case reader(ReaderKind, ReaderEvent)
    /// Listening was not enough for the search.
    case tonesWanted
    /// The search has ended, and let the sound card go.
    case searched(ReaderSearchReport)
    /// Whether the volume is at its most.
    case volumeRead(isFull: Bool)
    /// The same once it was to be turned up.
    case volumeRaised(isFull: Bool)
    /// What a person or the program has answered.
    case answered(Bool)
}

/// What a program wants.
enum SwipeCall {
    case setType(AudioJackReaderType, PGSwipeUniMagMessageOptions?)
    case beginAutodetect
    /// The communication test of a reader on the audio jack.
    case test(ReaderKind)
    case configure(@Sendable (inout UniMagSettings) -> Void)
    case powerUp(Bool)
    case powerDown
    case requestSwipe
    case cancelSwipeRequest
    case shutDown
}
