/// The result of a search for the reader on an audio jack, with the observations that explain a failure.
public struct ReaderSearchReport: Sendable, Hashable {
    /// The result for one family of readers.
    public enum Outcome: Sendable, Hashable {
        /// The family was not tried, for this reason.
        case notTried(String)
        /// The family's turn did not come: another reader was found, or tones were not allowed.
        case notReached
        /// No signal of the family's readers was received.
        case silent
        /// This many bytes were received in the family's line code, but they are not an answer.
        case unknown(byteCount: Int)
        /// An answer was received at this time after the request, but not confirmed by a second one.
        case answeredOnce(after: Duration)
        /// The reader answered, at this time after the request.
        case answered(after: Duration)
        /// The reader's signal was received before anything was played.
        case heard
    }

    /// The tests of one family of readers, and their result.
    public struct Attempt: Sendable, Hashable {
        /// The name of the family, as in ``ReaderFamily``.
        public let family: String
        /// The result of the tests.
        public var outcome: Outcome
        /// The number of requests, or attempts to power the reader up.
        public var testCount = 0
        /// The level of the loudest 10 ms since the family's last test, in dBFS; nil if there was no test.
        public var level: Double?
    }

    /// The name of the family that was found; nil if none was.
    public var found: String?
    /// The level of the sound before anything was played, in dBFS; nil if there was no listening.
    public var quietLevel: Double?
    /// The duration of the search from its first sound; the wait for permission does not count.
    public var duration: Duration
    /// The families' results, in the order of the candidates.
    public var attempts: [Attempt]

    /// Creates a report for a reader that was found by other means.
    /// - Parameters:
    ///   - found: the name of the family; nil if none was found.
    ///   - quietLevel: the level of the sound before anything was played, in dBFS; nil if there was no listening.
    ///   - duration: the duration of the search.
    ///   - attempts: the results of the families.
    public init(
        found: String? = nil, quietLevel: Double? = nil, duration: Duration = .zero, attempts: [Attempt] = []
    ) {
        self.found = found
        self.quietLevel = quietLevel
        self.duration = duration
        self.attempts = attempts
    }
}

extension ReaderSearchReport.Attempt {
    /// Creates the result of a family without tests.
    /// - Parameters:
    ///   - family: the name of the family.
    ///   - outcome: the result for the family.
    public init(_ family: String, _ outcome: ReaderSearchReport.Outcome) {
        self.family = family
        self.outcome = outcome
    }
}

extension ReaderSearchReport: CustomStringConvertible {
    public var description: String {
        ([found.map { "\($0) after \(duration.shortText)" } ?? "no reader after \(duration.shortText)"]
            + (quietLevel.map { ["before any tone \(Self.text($0))"] } ?? []) + attempts.map { "\($0)" }).joined(
                separator: "\n")
    }

    fileprivate static func text(_ level: Double) -> String { "\(Int(level.rounded())) dBFS" }
}

extension ReaderSearchReport.Attempt: CustomStringConvertible {
    public var description: String {
        let tests = testCount == 0 ? "" : testCount == 1 ? ", asked once" : ", asked \(testCount) times"
        return "\(family): \(outcome)\(tests)\(level.map { ", \(ReaderSearchReport.text($0))" } ?? "")"
    }
}

extension ReaderSearchReport.Outcome: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notTried(let reason): "not tried: \(reason)"
        case .notReached: "not tried"
        case .silent: "nothing received"
        case .unknown(let count): "\(count) bytes that are not an answer"
        case .answeredOnce(let time): "one answer after \(time.shortText), and none when asked again"
        case .answered(let time): "an answer after \(time.shortText)"
        case .heard: "heard before any tone"
        }
    }
}

extension Duration {
    /// Seconds with two decimals.
    fileprivate var shortText: String {
        let hundredths = Int((self / .milliseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}

/// A family of readers for which a search looks on an audio jack.
public struct ReaderSearchCandidate: Sendable {
    /// The test by which the search detects a reader of the family.
    enum Test: Sendable {
        /// The reader sends a power-up message when it gets power.
        case power
        /// The reader has its own power, and answers a request.
        case request(ReaderRequest)
    }

    /// The name of the family, as in ``ReaderFamily``.
    public let family: String
    let means: Result<(dialect: any ReaderDialect, sound: ReaderSound, test: Test), ReaderError>

    /// Creates a candidate from a family's profile.
    /// - Parameters:
    ///   - family: the family. If too little is known about it, it is not tried, and the report states the reason.
    ///   - profile: overrides values of the family's own profile.
    public init(_ family: ReaderFamily, profile: ReaderProfile? = nil) {
        self.family = family.name
        means = Result { () throws(ReaderError) in
            let dialect = try family.makeDialect(profile)
            guard let sound = try family.makeSound(profile) else {
                throw ReaderError(.unsupported, "\(family.name) readers are not on an audio jack")
            }
            return (dialect, sound, try Self.test(dialect, sound))
        }
    }

    private static func test(_ dialect: any ReaderDialect, _ sound: ReaderSound) throws(ReaderError) -> Test {
        guard !dialect.hasPowerUp else { return .power }
        guard !sound.givesPower, let request = dialect.identification.first, request.isAnswered else {
            throw ReaderError(
                .unsupported, "no request is known that \(dialect.family) readers answer at once",
                remedy: "name it in a profile")
        }
        return .request(request)
    }
}

/// The durations of a search's steps on an audio jack.
public struct ReaderSearchTimes: Sendable, Hashable {
    /// The time of listening before anything is played.
    public var listening = Duration.milliseconds(250)
    /// The time between a request to a reader and the test of the next one. Later answers are accepted too.
    public var turn = Duration.milliseconds(300)
    /// The time from a family's first test until the search stops testing it. Source: the Mobile Swipe SDK's
    /// communication tests.
    public var window = Duration.seconds(5)
    /// The silence between the power of one reader and the test of another.
    public var gap = Duration.milliseconds(100)

    /// Creates the times with their defaults.
    public init() {}
}
