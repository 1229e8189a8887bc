import JackdawReaders

/// What a controller's machine wants done or told, in this order.
enum SwipeAction {
    /// Something happened at a reader, and what is true of it from then on.
    case told(Told, ReaderKind, DeviceFlags)
    case autodetectStarted
    /// With what is true of the readers from then on.
    case autodetectComplete(CardReaderAutodetectResult, AudioJackReaderType, [ReaderKind: DeviceFlags])
    case typeChanged(AudioJackReaderType)
    case warned(PGSwipeWarning)

    /// The reader's link is to be opened; `opened` or `openFailed` follows.
    case open(ReaderKind, isTested: Bool)
    /// The reader's link is to be closed; `closed` follows.
    case close(ReaderKind)
    case perform(ReaderKind, ReaderCommand)

    /// The volume is to be looked at; `volume` follows.
    case readVolume
    /// The volume is to be turned up; `volume` follows.
    case raiseVolume
    case restoreVolume
    /// A person is to be asked; `answered` follows unless it is dismissed before.
    case ask(String)
    /// The program is asked whether loud tones may be played; `answered` follows.
    case askForTones
    case show(String)
    /// What is asked or shown is over.
    case dismiss

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
    case opened(ReaderKind)
    case openFailed(ReaderKind)
    case closed(ReaderKind)
    case reader(ReaderKind, ReaderEvent)
    /// Whether the volume is at its most now.
    case volume(isFull: Bool)
    /// What a person or the program has answered.
    case answered(Bool)
}

/// What a program wants.
enum SwipeCall {
    case setType(AudioJackReaderType, PGSwipeUniMagMessageOptions?)
    case beginAutodetect
    case configure(@Sendable (inout UniMagSettings) -> Void)
    case powerUp(Bool)
    case powerDown
    case requestSwipe
    case cancelSwipeRequest
    case shutDown
}
