/// One reader family's protocol for ``ReaderDriver``: encodes requests and interprets frames. A dialect has no clock,
/// does not repeat requests and does not know earlier commands; the driver does that.
public protocol ReaderDialect: Sendable {
    /// The family's name, as in ``ReaderFamily``.
    var family: String { get }
    /// Timeouts, and the number of attempts.
    var times: ReaderTimes { get }
    /// Whether the reader sends a power-up message when it gets power, as audio readers do.
    var hasPowerUp: Bool { get }
    /// The time that a reader without a power-up message needs after it gets power; nil if the link supplies no power,
    /// or the reader sends a power-up message.
    var waking: Duration? { get }
    /// Whether a card may be swiped at any time, without a request.
    var isAlwaysArmed: Bool { get }
    /// The requests to a reader that has just been connected.
    var identification: [ReaderRequest] { get }
    /// The requests that switch the reader off; empty if removing the power does so, or if the reader cannot be
    /// switched off.
    var poweringDown: [ReaderRequest] { get }
    /// The request that checks that the reader is still connected; nil if the link reports a disconnection.
    var keepAlive: ReaderRequest? { get }

    /// Returns the format that cuts received bytes into frames.
    /// - Parameter request: the request that awaits an answer; nil if there is no such request.
    /// - Returns: the format of answers and of unsolicited frames.
    func format(awaiting request: ReaderRequest?) -> any FrameFormat

    /// Returns the requests that make the reader wait for a card.
    /// - Parameter duration: the longest wait.
    /// - Returns: the requests, in the order of sending; empty if the reader needs no request.
    /// - Throws: ``ReaderError`` if the reader cannot wait for a card.
    func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest]

    /// Returns the requests that end the reader's wait for a card.
    /// - Parameter reason: why the wait ends.
    /// - Returns: the requests, in the order of sending; empty if the reader needs no request.
    func disarming(after reason: DisarmReason) -> [ReaderRequest]

    /// Returns the requests that ask a question.
    /// - Throws: ``ReaderError`` if the family does not support the question.
    func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest]

    /// Returns the requests that change a setting.
    /// - Throws: ``ReaderError`` if the family does not have this setting, or does not allow this value.
    func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest]

    /// Returns the bytes of a request. The driver calls this each time it sends the request.
    mutating func encode(_ request: ReaderRequest) -> [UInt8]

    /// Interprets a frame.
    /// - Parameters:
    ///   - frame: a whole frame of the format.
    ///   - request: the request that awaits an answer; nil if there is no such request. The frame may be a late answer
    ///     to an earlier one: `.done` is for an answer that fits the request.
    /// - Returns: the meanings, in order; empty if the message is not complete yet.
    mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning]

    /// Masks the card data in frames from a reader. The result is still valid frames, with the same meaning for a
    /// masked card.
    /// - Parameter frames: one frame, or the frames received so far of a message of several.
    /// - Returns: the same number of frames, of the same sizes.
    func masking(_ frames: [[UInt8]]) -> MaskedFrames

    /// Discards partial input, such as an answer of several frames.
    mutating func reset()
}

/// The result of masking the card data in a reader's frames.
public enum MaskedFrames: Sendable, Hashable {
    /// The masked frames, which may be stored.
    case masked([[UInt8]])
    /// The message continues in another frame.
    case more
    /// It is not known which of the bytes are card data.
    case unknown
}

extension ReaderDialect {
    /// Default: false.
    public var hasPowerUp: Bool { false }
    /// Default: nil, as the link supplies no power.
    public var waking: Duration? { nil }
    /// Default: false.
    public var isAlwaysArmed: Bool { false }
    /// Default: no requests.
    public var poweringDown: [ReaderRequest] { [] }
    /// Default: nil, as the link reports a disconnection.
    public var keepAlive: ReaderRequest? { nil }
    /// Default: no requests.
    public func disarming(after reason: DisarmReason) -> [ReaderRequest] { [] }
    /// Default: the request's bytes, unchanged.
    public mutating func encode(_ request: ReaderRequest) -> [UInt8] { request.bytes }
    /// Default: `.unknown`, as it is not known which of the bytes are card data.
    public func masking(_ frames: [[UInt8]]) -> MaskedFrames { .unknown }
    /// Default: does nothing, as there is no partial input.
    public mutating func reset() {}

    /// Default: throws `unsupported`, as the family has no questions.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(.unsupported, "\(family) readers have no known request for their \(question)")
    }

    /// Default: throws `unsupported`, as the family has no settings.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(.unsupported, "\(family) readers have no known settings")
    }
}

/// One request to a reader.
public struct ReaderRequest: Sendable, Hashable {
    /// The request in a few words, without card data.
    public let name: String
    /// The frames, one after the other.
    public let bytes: [UInt8]
    /// Whether the reader answers. A request without an answer is complete when it is sent.
    public let isAnswered: Bool
    /// The pause in sending after a request without an answer.
    public let pause: Duration

    /// - Parameters:
    ///   - name: the request in a few words.
    ///   - bytes: the frames.
    ///   - isAnswered: whether the reader answers.
    ///   - pause: the pause in sending after a request without an answer.
    public init(_ name: String, _ bytes: [UInt8], isAnswered: Bool = true, pause: Duration = .zero) {
        self.name = name
        self.bytes = bytes
        self.isAnswered = isAnswered
        self.pause = pause
    }
}

/// The reason for which a reader's wait for a card ends.
public enum DisarmReason: Sendable, Hashable, CaseIterable {
    /// A card was swiped.
    case swiped
    /// The wait ended without a card.
    case timedOut
    /// The program cancelled the wait.
    case cancelled
    /// The reader did not confirm that it waits for a card.
    case failed
}

/// The meaning of a frame from a reader.
public enum ReaderMeaning: Sendable {
    /// The reader has powered up.
    case poweredUp
    /// The request is complete, with these facts.
    case done([ReaderFact] = [])
    /// The reader refused the request.
    case refused(String)
    /// A part of an answer; the rest follows.
    case more
    /// A card was swiped and the reader decoded it.
    case swipe(ReaderSwipe)
    /// The reader did not decode a card that was swiped.
    case badSwipe(String, reason: DiscardReason = .other)
    /// The reader itself ended its wait for a card, by its own time limit or its key; the driver reports `timedOut`.
    case gaveUp
    /// Another event at the reader with a card.
    case card(CardNotice)
    /// The reader sent an unsolicited notification.
    case reported(ReaderFact)
    /// The reader is switching itself off.
    case poweringDown
    /// The reader sent a request of its own; the driver sends these bytes in answer.
    case reply([UInt8])
    /// A frame that is not known or not expected; in a few words without card data.
    case unknown(String, reason: DiscardReason = .other)
}

/// A reader's timeouts, and the number of attempts.
public struct ReaderTimes: Sendable, Hashable {
    /// Timeout of the power-up message after the reader gets power.
    public var powerUp: Duration
    /// Attempts to power the reader up before the driver reports an error, 1 or more.
    public var powerUpTries: Int
    /// Timeout of an answer.
    public var answer: Duration
    /// Attempts to send a request before the driver reports an error, 1 or more.
    public var answerTries: Int
    /// The range of the wait for a card.
    public var swipe: ClosedRange<Duration>
    /// The longest pause in a frame. After it the driver discards the partial frame.
    public var silence: Duration
    /// The wait for further answers after a request that was sent several times has been answered.
    public var settling: Duration
    /// The interval of keep-alive requests while the conversation is idle.
    public var keepAlive: Duration

    /// The default values are those of ID TECH's SDK (facts of its header) and of common serial links.
    /// - Parameters:
    ///   - powerUp: timeout of the power-up message.
    ///   - powerUpTries: attempts to power the reader up.
    ///   - answer: timeout of an answer.
    ///   - answerTries: attempts to send a request.
    ///   - swipe: the range of the wait for a card.
    ///   - silence: the longest pause in a frame.
    ///   - settling: the wait for late answers.
    ///   - keepAlive: the interval of keep-alive requests.
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
