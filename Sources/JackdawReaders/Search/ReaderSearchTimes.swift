/// How long a search for the reader on an audio jack takes over things.
public struct ReaderSearchTimes: Sendable, Hashable {
    /// How long is listened before anything is played.
    public var listening = Duration.milliseconds(250)
    /// How long a reader that was asked has the jack for itself, before the next one is tried. Its answer is taken later, too.
    public var turn = Duration.milliseconds(300)
    /// How long a family has from its first test on until it is given up. Source: the Mobile Swipe SDK's communication tests.
    public var window = Duration.seconds(5)
    /// Silence between the power of one reader and the test of another.
    public var gap = Duration.milliseconds(100)

    /// The times above.
    public init() {}
}
