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
