/// How long things take with a reader, and how often they are tried.
public struct ReaderTimes: Sendable, Hashable {
    /// How long the reader may take to tell that it is there after it was given power.
    public var powerUp: Duration
    /// How often it is given power before that is given up, 1 or more.
    public var powerUpTries: Int
    /// How long an answer may take.
    public var answer: Duration
    /// How often something is sent before that is given up, 1 or more.
    public var answerTries: Int
    /// How long a wait for a card may be.
    public var swipe: ClosedRange<Duration>
    /// How long a frame may stand still before what has come of it is no frame.
    public var silence: Duration
    /// How long to wait after an answer to something that was sent several times, for what answers the others.
    public var settling: Duration
    /// How often to ask whether the reader is still there, while nothing else is said.
    public var keepAlive: Duration

    /// Times; those that are left out are those of ID TECH's SDK (facts of its header) and of common serial links.
    /// - Parameters:
    ///   - powerUp: for the reader to tell that it is there.
    ///   - powerUpTries: how often it is given power.
    ///   - answer: for an answer.
    ///   - answerTries: how often something is sent.
    ///   - swipe: how long a wait for a card may be.
    ///   - silence: how long a frame may stand still.
    ///   - settling: how long late answers are waited for.
    ///   - keepAlive: how often to ask whether the reader is there.
    public init(
        powerUp: Duration = .milliseconds(2600), powerUpTries: Int = 5, answer: Duration = .seconds(4),
        answerTries: Int = 3, swipe: ClosedRange<Duration> = .seconds(3) ... .seconds(20),
        silence: Duration = .milliseconds(500), settling: Duration = .milliseconds(500),
        keepAlive: Duration = .seconds(30)
    ) {
        self.powerUp = powerUp
        self.powerUpTries = powerUpTries
        self.answer = answer
        self.answerTries = answerTries
        self.swipe = swipe
        self.silence = silence
        self.settling = settling
        self.keepAlive = keepAlive
    }
}
