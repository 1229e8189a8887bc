/// How one family of readers says what ``ReaderDriver`` wants to say: what is sent, and what came back meant. It knows nothing
/// of time, of trying again or of what was wanted before; the driver does.
public protocol ReaderDialect: Sendable {
    /// The name of the family.
    var family: String { get }
    /// How long things take and how often they are tried.
    var times: ReaderTimes { get }
    /// Whether a reader tells that it is there when it is given power, as audio readers do.
    var hasPowerUp: Bool { get }
    /// How long a reader takes to wake up that is given power and does not tell; nil where the link gives none, or it tells.
    var waking: Duration? { get }
    /// Whether a card may be swiped at any time, without a request.
    var isAlwaysArmed: Bool { get }
    /// What is asked of a reader that has just been connected.
    var identification: [ReaderRequest] { get }
    /// What tells a reader to switch itself off; empty where taking the power away does, or nothing.
    var poweringDown: [ReaderRequest] { get }
    /// What shows that the reader is still there; nil where the link tells.
    var keepAlive: ReaderRequest? { get }

    /// How what comes is cut into frames.
    /// - Parameter request: what an answer is awaited to; nil where there is nothing.
    /// - Returns: the format of answers, and of what comes unasked.
    func format(awaiting request: ReaderRequest?) -> any FrameFormat

    /// What tells a reader to wait for a card.
    /// - Parameter duration: how long.
    /// - Returns: what is sent, in that order; empty where the reader needs not be told.
    /// - Throws: ``ReaderError`` where it cannot.
    func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest]

    /// What tells a reader to wait no more.
    /// - Parameter reason: why.
    /// - Returns: what is sent, in that order; empty where the reader needs not be told.
    func disarming(after reason: DisarmReason) -> [ReaderRequest]

    /// What asks something.
    /// - Throws: ``ReaderError`` where the family cannot be asked that.
    func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest]

    /// What sets something.
    /// - Throws: ``ReaderError`` where the family has no such setting or value.
    func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest]

    /// The bytes of a request, each time it is sent.
    mutating func encode(_ request: ReaderRequest) -> [UInt8]

    /// What a frame means.
    /// - Parameters:
    ///   - frame: a whole frame of the format.
    ///   - request: what an answer is awaited to.
    /// - Returns: one meaning or more, in their order.
    mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning]

    /// Hides what is of a card in frames that a reader sent, so that they stay frames that mean the same of a masked card.
    /// - Parameter frames: one frame, or what has come so far of a message of several.
    /// - Returns: as many frames of the same sizes.
    func masking(_ frames: [[UInt8]]) -> MaskedFrames

    /// Forgets what was begun, such as an answer of several frames.
    mutating func reset()
}

/// Frames of a reader without what is of a card.
public enum MaskedFrames: Sendable, Hashable {
    /// The frames, which may be kept.
    case masked([[UInt8]])
    /// The message goes on in another frame.
    case more
    /// Nobody knows what in them is of a card.
    case unknown
}

extension ReaderDialect {
    /// It does not.
    public var hasPowerUp: Bool { false }
    /// The link gives no power.
    public var waking: Duration? { nil }
    /// It may not.
    public var isAlwaysArmed: Bool { false }
    /// Nothing.
    public var poweringDown: [ReaderRequest] { [] }
    /// The link tells.
    public var keepAlive: ReaderRequest? { nil }
    /// Nothing.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] { [] }
    /// As they were made.
    public mutating func encode(_ request: ReaderRequest) -> [UInt8] { request.bytes }
    /// Nobody has said what in them is of a card.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames { .unknown }
    /// Nothing is begun.
    public mutating func reset() {}

    /// The family cannot be asked that.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(.unsupported, "\(family) readers are not known to tell their \(question)")
    }

    /// The family has no settings.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(.unsupported, "\(family) readers are not known to have settings")
    }
}

/// One thing that is sent to a reader.
public struct ReaderRequest: Sendable, Hashable {
    /// What it is, in a few words without card data.
    public let name: String
    /// The frames, one behind the other.
    public let bytes: [UInt8]
    /// Whether the reader answers; what needs no answer is done when it is sent.
    public let isAnswered: Bool
    /// How long nothing is sent behind what needs no answer.
    public let pause: Duration

    /// - Parameters:
    ///   - name: what it is, in a few words.
    ///   - bytes: the frames.
    ///   - isAnswered: whether the reader answers.
    ///   - pause: how long nothing is sent behind it, where it is not answered.
    public init(_ name: String, _ bytes: [UInt8], isAnswered: Bool = true, pause: Duration = .zero) {
        self.name = name
        self.bytes = bytes
        self.isAnswered = isAnswered
        self.pause = pause
    }
}

/// Why a reader waits for a card no more.
public enum DisarmReason: Sendable, Hashable, CaseIterable {
    /// A card was swiped.
    case swiped
    /// No card came in time.
    case timedOut
    /// The program wants it.
    case cancelled
    /// The reader did not say whether it waits.
    case failed
}

/// What a frame of a reader means.
public enum ReaderMeaning: Sendable {
    /// The reader is there, now that it has power.
    case poweredUp
    /// The request is done, and told this.
    case done([ReaderFact] = [])
    /// The request will not be done.
    case refused(String)
    /// A part of an answer; more follows.
    case more
    /// A card was swiped.
    case swipe(ReaderSwipe)
    /// A card was swiped and not read.
    case badSwipe(String)
    /// The reader itself has given up waiting for a card.
    case gaveUp
    /// Something else was done with a card.
    case card(CardNotice)
    /// The reader tells something unasked.
    case told(ReaderFact)
    /// The reader switches itself off.
    case poweringDown
    /// The reader has asked something itself, and gets this as an answer.
    case reply([UInt8])
    /// Nothing that is known or awaited; in a few words without card data.
    case unknown(String)
}

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
