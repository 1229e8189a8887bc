import JackdawReaders

/// The inputs of a controller's state machine: from the jack, the readers and the user, and the calls of the program.
enum SwipeInput {
    case attached
    case detached
    case opened(AudioUser)
    /// The reason why the link cannot be opened or the search has failed.
    case openFailed(AudioUser, String)
    case closed(AudioUser)
    case reader(ReaderKind, ReaderEvent)
    /// The search needs tones, since listening was not enough.
    case tonesWanted
    /// The search has ended, and has released the sound card.
    case searched(ReaderSearchReport)
    /// Whether the volume is at its maximum.
    case volumeRead(isFull: Bool)
    /// The same, after an attempt to raise the volume.
    case volumeRaised(isFull: Bool)
    /// The answer of the user or the program.
    case answered(Bool)

    // The program's calls:
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

/// The outputs of a controller's state machine; their order is the order in which they happen.
enum SwipeOutput {
    /// For ``SwipeOperator``.
    case effect(SwipeEffect)
    /// For ``EventTeller``.
    case announcement(SwipeAnnouncement)
}

/// The actions that ``SwipeOperator`` performs for a controller's state machine, one after the other.
enum SwipeEffect {
    /// Open a reader's link, or begin the search for one; `opened` or `openFailed` follows.
    case open(AudioUser)
    /// Close a reader's link, or end the search; `closed` follows.
    case close(AudioUser)
    case perform(ReaderKind, ReaderCommand)

    /// Read the volume; `volumeRead` follows.
    case readVolume
    /// Raise the volume; `volumeRaised` follows.
    case raiseVolume
    case restoreVolume
    /// Ask the user; `answered` follows unless the question is dismissed before.
    case ask(String)
    /// Ask the program whether loud tones may be played; `answered` follows.
    case askForTones
    /// Whether the search may play tones.
    case permitTones(Bool)
    case show(String)
    /// Dismiss the current question or message.
    case dismiss
    /// The last effect: release the iDynamo readers, and accept no new one.
    case end
}

/// The events and states that ``EventTeller`` delivers to the program.
enum SwipeAnnouncement {
    /// An event of a reader, and the reader's state from then on.
    case device(DeviceEvent, ReaderKind, DeviceFlags)
    case autodetectStarted
    case autodetectComplete(Detected)
    /// The communication test of a reader has ended.
    case tested(ReaderKind, Bool)
    case typeChanged(AudioJackReaderType)
    /// An object was put into the jack, or removed from it.
    case jackChanged(isPlugged: Bool)
    case warned(PGSwipeWarningCode, String, ReaderKind?)

    /// The result of autodetection, and the state of the readers from then on.
    struct Detected {
        let result: CardReaderAutodetectResult
        let type: AudioJackReaderType
        let flags: [ReaderKind: DeviceFlags]
        /// The report of the search; nil if there was no search.
        let report: ReaderSearchReport?
    }

    enum DeviceEvent {
        case connected
        case disconnected
        case activationFinished(SwipeActivationResult)
        case deactivated
        case ready
        case unready(SwipeReasonUnreadyForSwipe)
        case swiped(ReaderSwipe?)
    }
}
