import JackdawDSP
import JackdawReaders
import JackdawSimulator
import Testing

/// The search for the reader on a jack, in the time of the frames.
struct ReaderSearchTests {
    /// In the vendor's order.
    static let families = ["ipsenterprise", "ips", "unimag"]

    @Test(arguments: families) func aReaderIsFound(family: String) throws {
        for seed in 1...5 {
            var path = AudioPath()
            path.seed = UInt64(seed)
            path.signalToNoise = 15
            path.humLevel = -30
            path.clockError = seed.isMultiple(of: 2) ? 0.03 : -0.03
            var search = try SearchRehearsal(Self.families, reader: family, path: path)
            let report = search.run()
            #expect(report.found == family, "seed \(seed): \(report)")
            #expect(report.duration < .seconds(2), "\(report)")
        }
    }

    @Test func S0_50_S0_56_eachFamilyHasFiveSecondsToAnswer() throws {
        var search = try SearchRehearsal(Self.families, reader: nil)
        let report = search.run()
        #expect(report.found == nil)
        #expect(report.attempts.allSatisfy { $0.outcome == .silent && $0.testCount >= 2 }, "\(report)")
        #expect((.seconds(5) ..< .seconds(7)).contains(report.duration))
    }

    @Test func noToneIsPlayedWithoutPermission() throws {
        var search = try SearchRehearsal(Self.families, reader: "unimag")
        search.mayPlayTones = false
        let report = search.run()
        #expect(report.found == nil)
        #expect(report.attempts.allSatisfy { $0.testCount == 0 && $0.outcome == .notReached })
        #expect(search.loudestPlayed == 0)
    }

    /// A single answer is reported, but not accepted as a reader.
    @Test func aSingleAnswerIsNoReader() throws {
        let family = try #require(ReaderFamily.named("ips"))
        let sound = try #require(try family.makeSound(family.simulatedProfile))
        var encoder = try sound.answers.encoder(sampleRate: 48_000, level: -12)
        var chance: [Float] = []
        encoder.idle(seconds: 0.04, into: &chance)
        encoder.encode([0x0C, 0x4D, 0x01, 0x02].span, into: &chance)
        encoder.finish(into: &chance)
        encoder.idle(seconds: 0.04, into: &chance)
        var search = ReaderSearch(
            [ReaderSearchCandidate(family, profile: family.simulatedProfile)], playbackRate: 48_000,
            captureRate: 48_000)
        let silence = [Float](repeating: 0, count: 480)
        _ = search.hear([Float](repeating: 0, count: 14_400).span)
        _ = search.allowTones(true)
        for _ in 0..<10 { _ = search.hear(silence.span) }
        var outputs = search.hear(chance.span)
        for _ in 0..<1_000 { outputs += search.hear(silence.span) }
        let reports = outputs.compactMap { if case .finished(let report) = $0 { report } else { nil } }
        #expect(reports.count == 1 && reports.first?.found == nil)
        guard case .answeredOnce(let after) = reports.first?.attempts.first?.outcome else {
            Issue.record("\(reports)")
            return
        }
        #expect((.milliseconds(100) ..< .milliseconds(400)).contains(after))
    }

    @Test func familiesWithUnknownTonesAreNotAsked() throws {
        let families = try ["ips", "ipsenterprise"].map { try #require(ReaderFamily.named($0)) }
        var search = try SearchRehearsal(
            families.map { ReaderSearchCandidate($0) }, reader: "unimag", path: AudioPath(), sampleRate: 48_000)
        let report = search.run()
        #expect(search.askedCount == 0)
        #expect(report.found == nil && report.duration < .milliseconds(300))
        var none = try SearchRehearsal([], reader: "unimag")
        #expect(none.run().found == nil && none.askedCount == 0)
    }

    @Test func aFamilyOfWhichTooLittleIsKnownIsNotTried() throws {
        let families = try Self.families.map { try #require(ReaderFamily.named($0)) }
        var search = try SearchRehearsal(
            families.map { ReaderSearchCandidate($0) }, reader: "unimag", path: AudioPath(), sampleRate: 48_000)
        let report = search.run()
        #expect(report.found == "unimag")
        for attempt in report.attempts.prefix(2) {
            guard case .notTried(let reason) = attempt.outcome else {
                Issue.record("\(attempt)")
                continue
            }
            #expect(!reason.isEmpty)
        }
        // The search does not wait for families without a turn.
        #expect(report.duration < .seconds(1))
    }
}
