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
