/// What a search for the reader on an audio jack has found, and what it saw, so that a failure can be understood.
public struct ReaderSearchReport: Sendable, Hashable {
    /// What came of one family of readers.
    public enum Outcome: Sendable, Hashable {
        /// It was not looked for, and why.
        case notTried(String)
        /// Its turn did not come: another one was found, or nothing may be played.
        case notReached
        /// Nothing was heard that its readers send.
        case silent
        /// Bytes were heard in its line code, so many, that are no answer.
        case unknown(byteCount: Int)
        /// An answer was heard, so long after it was asked for, and was not heard again.
        case answeredOnce(after: Duration)
        /// The reader answered, so long after it was asked.
        case answered(after: Duration)
        /// The reader was heard before anything was played.
        case heard
    }

    /// What was done about one family of readers.
    public struct Attempt: Sendable, Hashable {
        /// The name of the family.
        public let family: String
        /// What came of it.
        public var outcome: Outcome
        /// How often its readers were asked, or given power.
        public var testCount = 0
        /// Level of the loudest hundredth of a second from its last test on, in dBFS; nil where there was no test.
        public var level: Double?
    }

    /// The name of the family that was found; nil for none.
    public var found: String?
    /// Level of what was heard before anything was played, in dBFS; nil where nothing was listened to.
    public var quietLevel: Double?
    /// How long it took, from the first sound that was heard; what waited for permission does not count.
    public var duration: Duration
    /// What was done about each family, in the order in which they were asked for.
    public var attempts: [Attempt]

    /// A report of what somebody has found by other means.
    /// - Parameters:
    ///   - found: the name of the family; nil for none.
    ///   - quietLevel: level of what was heard before anything was played, in dBFS; nil for nothing.
    ///   - duration: how long it took.
    ///   - attempts: what was done about each family.
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
    /// What was done about a family that nobody has tried yet.
    /// - Parameters:
    ///   - family: its name.
    ///   - outcome: what came of it.
    public init(_ family: String, _ outcome: ReaderSearchReport.Outcome) {
        self.family = family
        self.outcome = outcome
    }
}

extension ReaderSearchReport: CustomStringConvertible {
    /// A line for what was found, and one for each family.
    public var description: String {
        ([found.map { "\($0) after \(duration.shortText)" } ?? "no reader after \(duration.shortText)"]
            + (quietLevel.map { ["before any tone \(Self.text($0))"] } ?? []) + attempts.map { "\($0)" }).joined(
                separator: "\n")
    }

    fileprivate static func text(_ level: Double) -> String { "\(Int(level.rounded())) dBFS" }
}

extension ReaderSearchReport.Attempt: CustomStringConvertible {
    /// A line.
    public var description: String {
        let tests = testCount == 0 ? "" : testCount == 1 ? ", asked once" : ", asked \(testCount) times"
        return "\(family): \(outcome)\(tests)\(level.map { ", \(ReaderSearchReport.text($0))" } ?? "")"
    }
}

extension ReaderSearchReport.Outcome: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .notTried(let reason): "not tried: \(reason)"
        case .notReached: "not tried any more"
        case .silent: "nothing heard"
        case .unknown(let count): "\(count) bytes that are no answer"
        case .answeredOnce(let time): "one answer after \(time.shortText), and none when asked again"
        case .answered(let time): "an answer after \(time.shortText)"
        case .heard: "heard before any tone"
        }
    }
}

extension Duration {
    /// Seconds with two digits behind the point.
    fileprivate var shortText: String {
        let hundredths = Int((self / .milliseconds(10)).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}

/// A family of readers that is looked for on an audio jack.
public struct ReaderSearchCandidate: Sendable {
    /// How it is looked for.
    enum Test: Sendable {
        /// It tells that it is there when it is given power.
        case power
        /// It has power of its own, and answers a request.
        case request(ReaderRequest)
    }

    /// The name of the family.
    public let family: String
    let means: Result<(dialect: any ReaderDialect, sound: ReaderSound, test: Test), ReaderError>

    /// A family, by what is known of it.
    /// - Parameters:
    ///   - family: the family. One of which too little is known is not looked for, and the report says why.
    ///   - profile: values in the place of those of the family's own profile.
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
                .unsupported, "nothing is known that \(dialect.family) readers would answer at once",
                remedy: "name it in a profile")
        }
        return .request(request)
    }
}

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
