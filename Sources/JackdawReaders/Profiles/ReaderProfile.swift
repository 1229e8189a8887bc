/// What is not public about a family of readers, or may change: values by name, each with how it is known. Every family has one
/// with what is known (``ReaderFamily/profile``); a program lays its own values over it, from code or from a file
/// (``init(json:)``).
///
/// ```swift
/// var profile = ReaderProfile("long waits", of: "miura")
/// profile[.longestSwipe] = ProfileEntry("the longest wait", .number(60_000), .reported, "our own reader")
/// let dialect = try ReaderFamily.named("miura")?.makeDialect(profile)
/// ```
public struct ReaderProfile: Sendable, Hashable {
    /// What it is called.
    public let name: String
    /// The family that it is for.
    public let family: String
    /// What it is for, in a sentence.
    public var summary: String
    /// What it has, known and unknown.
    public private(set) var entries: [ProfileKey: ProfileEntry]

    /// - Parameters:
    ///   - name: what it is called.
    ///   - family: the name of the family that it is for.
    ///   - summary: what it is for, in a sentence.
    ///   - entries: what it has.
    public init(
        _ name: String, of family: String, _ summary: String = "", _ entries: [ProfileKey: ProfileEntry] = [:]
    ) {
        self.name = name
        self.family = family
        self.summary = summary
        self.entries = entries
    }

    /// The entry of a name; nil where there is none.
    public subscript(key: ProfileKey) -> ProfileEntry? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// The names of values that nobody has told.
    public var missing: [ProfileKey] {
        entries.filter { $0.value.value == nil }.map(\.key).sorted { $0.rawValue < $1.rawValue }
    }

    /// This profile with the values of another in the place of its own.
    /// - Parameter other: of the same family; it may leave out what it does not change.
    /// - Returns: a profile of the other's name.
    /// - Throws: ``ReaderError`` (`badProfile`) where the other is of another family, or has a value that this one has not, or
    ///   one of another kind.
    public func with(_ other: ReaderProfile) throws(ReaderError) -> ReaderProfile {
        guard other.family == family else {
            throw ReaderError(
                .badProfile, "the profile \"\(other.name)\" is for \(other.family) readers, not for \(family)")
        }
        var all = entries
        for (key, entry) in other.entries.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let own = entries[key] else {
                throw ReaderError(
                    .badProfile, "the profile \"\(other.name)\" has a value \(key), which \(family) readers have not",
                    remedy: "use the names of the family's own profile")
            }
            guard own.kind == entry.kind else {
                throw ReaderError(
                    .badProfile, "values.\(key) of the profile \"\(other.name)\" is \(entry.kind.rawValue)",
                    remedy: "give it as \(own.kind.rawValue)")
            }
            all[key] = entry
            // What it is does not change with how much it is.
            if entry.title.isEmpty { all[key]?.title = own.title }
        }
        return ReaderProfile(other.name, of: family, other.summary.isEmpty ? summary : other.summary, all)
    }

    /// Looks whether values are there.
    /// - Parameter keys: their names.
    /// - Throws: ``ReaderError`` (`missingValue`) that names all that are not.
    public func require(_ keys: [ProfileKey]) throws(ReaderError) {
        let open = keys.filter { entries[$0]?.value == nil }
        guard !open.isEmpty else { return }
        let wanted = open.map { key in entries[key].map { "\(key): \($0.title) (\($0.kind.rawValue))" } ?? "\(key)" }
        throw ReaderError(
            .missingValue,
            "the profile \"\(name)\" of \(family) readers leaves open what is needed: "
                + open.map(\.rawValue).joined(separator: ", "),
            remedy: "supply in a profile of your own \(wanted.joined(separator: "; "))")
    }

    /// A value that has to be there.
    /// - Parameter key: its name.
    /// - Returns: the value.
    /// - Throws: ``ReaderError`` (`missingValue`) where nobody has told it.
    public func require(_ key: ProfileKey) throws(ReaderError) -> ProfileValue {
        try require([key])
        guard let value = entries[key]?.value else { preconditionFailure("it was looked for") }
        return value
    }

    /// A whole number that has to be there.
    /// - Parameters:
    ///   - key: its name.
    ///   - range: what it may be.
    /// - Returns: the number.
    /// - Throws: ``ReaderError``: `missingValue` where nobody has told it, `badProfile` where it is another.
    public func integer(_ key: ProfileKey, in range: ClosedRange<Int>) throws(ReaderError) -> Int {
        guard case .number(let number) = try require(key), let value = Int(exactly: number), range.contains(value)
        else {
            throw bad(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A text that has to be there.
    /// - Parameters:
    ///   - key: its name.
    ///   - words: what it may be; all texts where there are none.
    /// - Returns: the text.
    /// - Throws: ``ReaderError``: `missingValue` where nobody has told it, `badProfile` where it is another.
    public func text(_ key: ProfileKey, of words: [String] = []) throws(ReaderError) -> String {
        guard case .text(let text) = try require(key), words.isEmpty || words.contains(text) else {
            throw bad(key, words.isEmpty ? "a text" : "one of \(words.joined(separator: ", "))")
        }
        return text
    }

    /// Bytes that have to be there.
    /// - Parameters:
    ///   - key: their name.
    ///   - counts: how many they may be.
    /// - Returns: the bytes.
    /// - Throws: ``ReaderError``: `missingValue` where nobody has told them, `badProfile` where they are others.
    public func bytes(_ key: ProfileKey, count counts: ClosedRange<Int>) throws(ReaderError) -> [UInt8] {
        guard case .bytes(let bytes) = try require(key), counts.contains(bytes.count) else {
            throw bad(key, "\(counts.lowerBound) to \(counts.upperBound) bytes")
        }
        return bytes
    }

    /// A flag that has to be there.
    /// - Parameter key: its name.
    /// - Returns: the flag.
    /// - Throws: ``ReaderError``: `missingValue` where nobody has told it, `badProfile` where it is none.
    public func flag(_ key: ProfileKey) throws(ReaderError) -> Bool {
        guard case .flag(let flag) = try require(key) else { throw bad(key, "a flag") }
        return flag
    }

    func bad(_ key: ProfileKey, _ wanted: String) -> ReaderError {
        let found = entries[key]?.value.map { "\($0)" } ?? "nothing"
        return ReaderError(
            .badProfile, "values.\(key) of the profile \"\(name)\" is \(found.prefix(40))",
            remedy: "it has to be \(wanted)")
    }
}

/// How long things take, as a profile has it.
extension ReaderProfile {
    /// A day: no reader needs longer for anything.
    private static let mostMilliseconds = 86_400_000

    /// How long things take with the readers of this profile.
    /// - Throws: ``ReaderError``: `missingValue` or `badProfile` where a time is open or can be none.
    public func times() throws(ReaderError) -> ReaderTimes {
        let shortest = try duration(.shortestSwipe)
        let longest = try duration(.longestSwipe)
        guard shortest <= longest else {
            throw ReaderError(
                .badProfile, "the profile \"\(name)\" has a longest wait that is shorter than its shortest")
        }
        return ReaderTimes(
            powerUp: try duration(.powerUp) + silenceBeforePower(),
            powerUpTries: try integer(.powerUpTries, in: 1...100),
            answer: try duration(.answer), answerTries: try integer(.answerTries, in: 1...100),
            swipe: shortest...longest, silence: try duration(.silence), settling: try duration(.settling),
            keepAlive: try duration(.keepAlive))
    }

    /// How long power is not there yet that was wanted; zero for readers that have power of their own.
    func silenceBeforePower() throws(ReaderError) -> Duration {
        self[.powerPause] == nil ? .zero : .seconds(try powerPause())
    }

    /// A time that has to be there, in milliseconds, 1 or more.
    private func duration(_ key: ProfileKey) throws(ReaderError) -> Duration {
        .milliseconds(try integer(key, in: 1...Self.mostMilliseconds))
    }

    /// Times that readers have of which nothing else is known: those of ID TECH's SDK, and those of common serial links.
    static let commonTimes: [ProfileKey: ProfileEntry] = {
        let header = "comments in ID TECH's uniMag.h, and other programs"
        let link = "serial links leave much shorter gaps inside a frame"
        return [
            .powerUp: ProfileEntry("ms for a reader to tell that it has power", .number(2600), .reported, header),
            .powerUpTries: ProfileEntry("how often a reader is given power", .number(5), .reported, header),
            .answer: ProfileEntry("ms for an answer", .number(4000), .reported, header),
            .answerTries: ProfileEntry("how often something is sent", .number(3), .reported, header),
            .shortestSwipe: ProfileEntry(
                "ms that a wait for a card has at least", .number(3000), .documented, "uniMag.h"),
            .longestSwipe: ProfileEntry(
                "ms that a wait for a card has at most", .number(20_000), .documented, "uniMag.h"),
            .silence: ProfileEntry("ms that a frame may stand still", .number(500), .inferred, link),
            .settling: ProfileEntry("ms that late answers are waited for", .number(500), .inferred, link),
            .keepAlive: ProfileEntry(
                "ms from one look for the reader to the next", .number(30_000), .inferred, "as SPm20"),
        ]
    }()

    /// The profile of a family, with times that are common but for its own values.
    init(family: String, _ summary: String, _ own: [ProfileKey: ProfileEntry] = [:]) {
        self.init(
            "default", of: family, summary, Self.commonTimes.merging(own) { _, own in own })
    }
}
