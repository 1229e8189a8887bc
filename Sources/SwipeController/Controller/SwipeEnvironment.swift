public import JackdawReaders
public import JackdawTransport

/// The sound card's jack and the readers' links, as a controller is given them: it opens none itself.
public protocol SwipeEnvironment: Sendable {
    /// Whether something is in the audio jack: what is true now, and each change. Asked for once by each controller.
    func attachments() -> AsyncStream<Bool>

    /// Opens the link to a reader on the audio jack. The one before was closed.
    /// - Parameter type: `unimag`, `ips` or `ipsEnterprise`.
    /// - Returns: a conversation that is not begun.
    /// - Throws: `LinkError`: what is in the way.
    func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession

    /// Finds out which reader is on the audio jack; the link before was closed. It listens first, and plays tones only where that
    /// is not enough. Ends early where the task is cancelled.
    /// - Parameters:
    ///   - types: which readers, in the order in which they are to be tried.
    ///   - mayPlayTones: whether loud tones may be played; asked once at most, before the first one.
    /// - Returns: what was found, by the name of its family, and what was seen; the sound card is free again.
    /// - Throws: `LinkError`: what is in the way.
    func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport

    /// iDynamo readers, a conversation that is not begun for each that is attached. Asked for once by each controller.
    func iDynamos() -> AsyncStream<ReaderSession>

    /// Whether the volume is at its most.
    func isVolumeFull() async -> Bool

    /// Turns the volume to its most, and remembers what it was.
    /// - Returns: whether it is at its most now.
    func raiseVolume() async -> Bool

    /// Puts the volume back to what it was.
    func restoreVolume() async
}

/// How a controller speaks to the person in front of it, through the app.
public protocol SwipeInteraction: Sendable {
    /// Asks a question.
    /// - Returns: whether the person has agreed; not waited for once the task is cancelled.
    func confirm(_ question: String) async -> Bool

    /// Shows a text until ``dismiss()``, or as long as the app likes.
    func show(_ text: String) async

    /// Takes away what is shown.
    func dismiss() async

    /// Whether tones may be played now that are as loud as it gets, to find out which reader is there.
    func mayPlayLoudTones() async -> Bool
}

/// Nobody is asked: reader and tones are taken to be wanted, and nothing is shown.
public struct NoInteraction: SwipeInteraction {
    /// Agrees to everything.
    public init() {}
    /// True.
    public func confirm(_ question: String) async -> Bool { true }
    /// Does nothing.
    public func show(_ text: String) async {}
    /// Does nothing.
    public func dismiss() async {}
    /// True.
    public func mayPlayLoudTones() async -> Bool { true }
}
