// What a desk must know of a host: its wire format and its habits.

/// The wire format of a host.
///
/// An SDK's module has one. It must be total: each answer of a host is an answer here, or a failure.
public protocol HostWire: Sendable {
    /// Writes a request. The attempt's identifier is part of it. A reversal should have amount and currency as well, so that
    /// the host takes back no other payment with the identifier.
    /// - Throws: ``HostFailure``, with ``HostFailure/isCertainlyNotSent``, if the format cannot express the request.
    func encode(_ request: HostRequest) throws(HostFailure) -> HTTPRequest

    /// Checks that the format can express the request of an attempt, before a card is read.
    /// - Parameters:
    ///   - request: the request.
    ///   - attempt: its identifier; nil if it will be a random one.
    /// - Throws: ``HostFailure``, `notWritable`. Default: none.
    func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure)

    /// Reads the answer to a request.
    /// - Throws: ``HostFailure`` if the answer cannot be read, or is an error of the host that leaves the outcome open.
    func decode(_ answer: HTTPAnswer, to request: HostRequest) throws(HostFailure) -> HostReply
}

extension HostWire {
    public func check(_ request: AttemptRequest, as attempt: AttemptIdentifier?) throws(HostFailure) {}
}

/// The waits between the attempts of something that fails: the first, doubled each time up to the longest.
public struct RetryWaits: Sendable, Hashable {
    /// The wait after the first failure.
    public let first: Duration
    /// The wait that is not exceeded.
    public let longest: Duration

    /// Waits. Both are at least a millisecond, and the longest is not shorter than the first.
    public init(first: Duration, longest: Duration) {
        self.first = max(first, .milliseconds(1))
        self.longest = max(longest, self.first)
    }

    /// The wait after a number of failures, at least 1.
    package func wait(after failures: Int) -> Duration {
        var wait = first
        for _ in 1..<max(failures, 1) {
            guard wait < longest else { break }
            wait *= 2
        }
        return min(wait, longest)
    }
}

/// The habits of a host that the rules depend on.
public struct HostProfile: Sendable, Hashable {
    /// The name, for logs.
    public var name: String
    /// Whether the host keeps an unknown identifier from the moment in which it is asked about it, and refuses a later
    /// request with it. Then "nothing booked" counts at once. Default: false.
    public var closesUnknownIdentifiers: Bool
    /// The time after which a request can no longer be booked, however slow the networks on its way are. It begins when
    /// the desk asks, so it includes the time limit in which a client may still send. An enquiry that was sent earlier
    /// proves nothing. Default: 300 s. It is our choice; ask the host's operator.
    public var requestLifetime: Duration
    /// The time limit of an answer, except that of an authorisation, which is the payment flow's. Default: 45 s, the same.
    public var answerLimit: Duration
    /// The waits between attempts to deliver a message. Default: 5 s to 600 s, as in the simulated till. It is our choice.
    public var waits: RetryWaits

    /// A profile with the defaults.
    public init(
        name: String, closesUnknownIdentifiers: Bool = false, requestLifetime: Duration = .seconds(300),
        answerLimit: Duration = .seconds(45),
        waits: RetryWaits = RetryWaits(first: .seconds(5), longest: .seconds(600))
    ) {
        self.name = name
        self.closesUnknownIdentifiers = closesUnknownIdentifiers
        self.requestLifetime = requestLifetime
        self.answerLimit = answerLimit
        self.waits = waits
    }

    /// A host of which nothing is known: all defaults.
    public static let unknownHost = HostProfile(name: "unknown host")
}
