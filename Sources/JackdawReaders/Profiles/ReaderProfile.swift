/// The facts about a reader family that are not public or may change, by name, each with its provenance. Each family
/// has a profile of the known facts (``ReaderFamily/profile``); a program overrides its values, in code or from a file
/// (``init(json:)``).
///
/// ```swift
/// var profile = ReaderProfile("long waits", of: "miura")
/// profile[.longestSwipe] = ProfileEntry("the longest wait", .number(60_000), .reported, "our own reader")
/// let dialect = try ReaderFamily.named("miura")?.makeDialect(profile)
/// ```
public struct ReaderProfile: Sendable, Hashable {
    /// The name of the profile itself, such as `default`.
    public let name: String
    /// The name of the family to which the profile applies.
    public let family: String
    /// The purpose of the profile, in a sentence.
    public var summary: String
    /// The entries of the profile, with known and unknown values.
    public private(set) var entries: [ProfileKey: ProfileEntry]

    /// - Parameters:
    ///   - name: the name of the profile.
    ///   - family: the name of the family to which the profile applies.
    ///   - summary: the purpose of the profile, in a sentence.
    ///   - entries: the entries of the profile.
    public init(
        _ name: String, of family: String, _ summary: String = "", _ entries: [ProfileKey: ProfileEntry] = [:]
    ) {
        self.name = name
        self.family = family
        self.summary = summary
        self.entries = entries
    }

    /// The entry for a key; nil if there is none.
    public subscript(key: ProfileKey) -> ProfileEntry? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// The keys of all unknown values, sorted.
    public var missing: [ProfileKey] {
        entries.filter { $0.value.value == nil }.map(\.key).sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns this profile with the values of another profile instead of its own.
    /// - Parameter other: a profile of the same family; it may omit entries that it does not change.
    /// - Returns: a profile with the other's name.
    /// - Throws: ``ReaderError`` (`badProfile`) if the other profile is for another family, has an entry that this one
    ///   does not have, or has a value of another type.
    public func with(_ other: ReaderProfile) throws(ReaderError) -> ReaderProfile {
        guard other.family == family else {
            throw ReaderError(
                .badProfile, .family,
                "the profile \"\(other.name)\" is for \(other.family) readers, not for \(family)")
        }
        var all = entries
        for (key, entry) in other.entries.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let own = entries[key] else {
                throw ReaderError(
                    .badProfile, .member,
                    "the profile \"\(other.name)\" has a value \(key), which \(family) readers do not have",
                    remedy: "use the names of the family's own profile")
            }
            guard own.kind == entry.kind else {
                throw ReaderError(
                    .badProfile, .range, "values.\(key) of the profile \"\(other.name)\" is \(entry.kind.rawValue)",
                    remedy: "give it as \(own.kind.rawValue)")
            }
            all[key] = entry
            // The title stays valid for another value.
            if entry.title.isEmpty { all[key]?.title = own.title }
        }
        return ReaderProfile(other.name, of: family, other.summary.isEmpty ? summary : other.summary, all)
    }

    /// Checks that values are known.
    /// - Parameter keys: the keys of the values.
    /// - Throws: ``ReaderError`` (`missingValue`) that names all unknown values.
    public func require(_ keys: [ProfileKey]) throws(ReaderError) {
        let open = keys.filter { entries[$0]?.value == nil }
        guard !open.isEmpty else { return }
        let wanted = open.map { key in entries[key].map { "\(key): \($0.title) (\($0.kind.rawValue))" } ?? "\(key)" }
        throw ReaderError(
            .missingValue,
            "the profile \"\(name)\" of \(family) readers does not set required values: "
                + open.map(\.rawValue).joined(separator: ", "),
            remedy: "set in your own profile \(wanted.joined(separator: "; "))")
    }

    /// Returns a value that must be known.
    /// - Parameter key: the key of the value.
    /// - Returns: the value.
    /// - Throws: ``ReaderError`` (`missingValue`) if the value is unknown.
    public func require(_ key: ProfileKey) throws(ReaderError) -> ProfileValue {
        try require([key])
        guard let value = entries[key]?.value else { preconditionFailure("the value exists") }
        return value
    }

    /// Returns a whole number that must be known.
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - range: the range of the number.
    /// - Returns: the number.
    /// - Throws: ``ReaderError``: `missingValue` if the value is unknown, `badProfile` if it is not a whole number in
    ///   the range.
    public func integer(_ key: ProfileKey, in range: ClosedRange<Int>) throws(ReaderError) -> Int {
        guard case .number(let number) = try require(key), let value = Int(exactly: number), range.contains(value)
        else {
            throw bad(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns a text that must be known.
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - words: the allowed texts; if empty, any text.
    /// - Returns: the text.
    /// - Throws: ``ReaderError``: `missingValue` if the value is unknown, `badProfile` if it is not an allowed text.
    public func text(_ key: ProfileKey, of words: [String] = []) throws(ReaderError) -> String {
        guard case .text(let text) = try require(key), words.isEmpty || words.contains(text) else {
            throw bad(key, words.isEmpty ? "a text" : "one of \(words.joined(separator: ", "))")
        }
        return text
    }

    /// Returns bytes that must be known.
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - counts: the allowed numbers of bytes.
    /// - Returns: the bytes.
    /// - Throws: ``ReaderError``: `missingValue` if the value is unknown, `badProfile` if it is not an allowed number
    ///   of bytes.
    public func bytes(_ key: ProfileKey, count counts: ClosedRange<Int>) throws(ReaderError) -> [UInt8] {
        guard case .bytes(let bytes) = try require(key), counts.contains(bytes.count) else {
            throw bad(key, "\(counts.lowerBound) to \(counts.upperBound) bytes")
        }
        return bytes
    }

    /// Returns a flag that must be known.
    /// - Parameter key: the key of the value.
    /// - Returns: the flag.
    /// - Throws: ``ReaderError``: `missingValue` if the value is unknown, `badProfile` if it is not a flag.
    public func flag(_ key: ProfileKey) throws(ReaderError) -> Bool {
        guard case .flag(let flag) = try require(key) else { throw bad(key, "a flag") }
        return flag
    }

    func bad(_ key: ProfileKey, _ wanted: String) -> ReaderError {
        let found = entries[key]?.value.map { "\($0)" } ?? "nothing"
        return ReaderError(
            .badProfile, .range, "values.\(key) of the profile \"\(name)\" is \(found.prefix(40))",
            remedy: "it must be \(wanted)")
    }
}

/// The times in a profile.
extension ReaderProfile {
    /// A day: no reader needs a longer time for anything.
    private static let maxMilliseconds = 86_400_000

    /// Returns the timeouts and numbers of attempts of this profile.
    /// - Throws: ``ReaderError``: `missingValue` or `badProfile` if one of them is unknown or invalid.
    public func times() throws(ReaderError) -> ReaderTimes {
        let shortest = try duration(.shortestSwipe)
        let longest = try duration(.longestSwipe)
        guard shortest <= longest else {
            throw ReaderError(
                .badProfile, .order, "the profile \"\(name)\" has a longest wait that is shorter than its shortest wait"
            )
        }
        return ReaderTimes(
            powerUp: try duration(.powerUp) + silenceBeforePower(),
            powerUpTries: try integer(.powerUpTries, in: 1...100),
            answer: try duration(.answer), answerTries: try integer(.answerTries, in: 1...100),
            swipe: shortest...longest, silence: try duration(.silence), settling: try duration(.settling),
            keepAlive: try duration(.keepAlive))
    }

    /// The silence before the link supplies power; zero for readers with their own power.
    func silenceBeforePower() throws(ReaderError) -> Duration {
        self[.powerPause] == nil ? .zero : .seconds(try powerPause())
    }

    /// Returns a time that must be known, in milliseconds, 1 or more.
    private func duration(_ key: ProfileKey) throws(ReaderError) -> Duration {
        .milliseconds(try integer(key, in: 1...Self.maxMilliseconds))
    }

    /// The times of readers for which nothing else is known: those of ID TECH's SDK, and those of common serial links.
    static let commonTimes: [ProfileKey: ProfileEntry] = {
        let header = "comments in ID TECH's uniMag.h, and other programs"
        let link = "serial links leave much shorter gaps inside a frame"
        return [
            .powerUp: ProfileEntry("ms for a reader to report power-up", .number(2600), .reported, header),
            .powerUpTries: ProfileEntry("number of attempts to power a reader", .number(5), .reported, header),
            .answer: ProfileEntry("ms for an answer", .number(4000), .reported, header),
            .answerTries: ProfileEntry("number of attempts to send a request", .number(3), .reported, header),
            .shortestSwipe: ProfileEntry(
                "ms, shortest wait for a card", .number(3000), .documented, "uniMag.h"),
            .longestSwipe: ProfileEntry(
                "ms, longest wait for a card", .number(20_000), .documented, "uniMag.h"),
            .silence: ProfileEntry("ms, longest pause in a frame", .number(500), .inferred, link),
            .settling: ProfileEntry("ms in which late answers are dropped", .number(500), .inferred, link),
            .keepAlive: ProfileEntry(
                "ms between keep-alive requests", .number(30_000), .inferred, "as for SPm20"),
        ]
    }()

    /// Creates the profile of a family: the common times, overridden by the family's own values.
    init(family: String, _ summary: String, _ own: [ProfileKey: ProfileEntry] = [:]) {
        self.init(
            "default", of: family, summary, Self.commonTimes.merging(own) { _, own in own })
    }
}
