public import JackdawReaders
public import JackdawTransport

/// The sound card's jack and the readers' links, supplied to a controller, which opens no links itself.
public protocol SwipeEnvironment: Sendable {
    /// Whether an object is in the audio jack: the current state, then each change. Each controller calls it once.
    func attachments() -> AsyncStream<Bool>

    /// Opens the link to a reader on the audio jack. The previous link was closed before the call.
    /// - Parameter type: `unimag`, `ips` or `ipsEnterprise`.
    /// - Returns: a session that has not been started.
    /// - Throws: `LinkError` if the link cannot be opened.
    func open(_ type: AudioJackReaderType) async throws(LinkError) -> ReaderSession

    /// Detects the reader on the audio jack. The previous link was closed before the call. The search first listens,
    /// and plays tones only if that is not enough. It ends early if the task is cancelled.
    /// - Parameters:
    ///   - types: the reader types, in the order in which to try them.
    ///   - mayPlayTones: whether loud tones may be played; called at most once, before the first tone.
    /// - Returns: the name of the family that was found, and the details of the search; the sound card is free again.
    /// - Throws: `LinkError` if the search cannot use the sound card.
    func search(
        for types: [AudioJackReaderType], mayPlayTones: @escaping @Sendable () async -> Bool
    ) async throws(LinkError) -> ReaderSearchReport

    /// A session that has not been started for each iDynamo that is attached. Each controller calls it once.
    func iDynamos() -> AsyncStream<ReaderSession>

    /// Whether the volume is at its maximum.
    func isVolumeFull() async -> Bool

    /// Sets the volume to the maximum, and stores the previous value.
    /// - Returns: whether the volume is at its maximum now.
    func raiseVolume() async -> Bool

    /// Restores the volume to its previous value.
    func restoreVolume() async
}

/// The questions and messages of a controller to the user, shown by the app.
public protocol SwipeInteraction: Sendable {
    /// Asks the user a yes-or-no question.
    /// - Returns: whether the user agreed; ignored after the task is cancelled.
    func confirm(_ question: String) async -> Bool

    /// Shows a text until ``dismiss()``, or for a time that the app chooses.
    func show(_ text: String) async

    /// Removes the text or question that is shown.
    func dismiss() async

    /// Whether tones of the maximum volume may be played now to detect the reader.
    func mayPlayLoudTones() async -> Bool
}

/// An interaction without a user: agrees to every question, and shows no text.
public struct NoInteraction: SwipeInteraction {
    /// Creates an interaction that agrees to everything.
    public init() {}
    /// Always true, without a question.
    public func confirm(_ question: String) async -> Bool { true }
    /// Ignores the text, shows nothing.
    public func show(_ text: String) async {}
    /// Does nothing, since no text is shown.
    public func dismiss() async {}
    /// Always true, without a question.
    public func mayPlayLoudTones() async -> Bool { true }
}
