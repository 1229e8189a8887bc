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

    @Test func nothingIsPlayedWithoutPermission() throws {
        var search = try SearchRehearsal(Self.families, reader: "unimag")
        search.mayPlayTones = false
        let report = search.run()
        #expect(report.found == nil)
        #expect(report.attempts.allSatisfy { $0.testCount == 0 && $0.outcome == .notReached })
        #expect(search.loudestPlayed == 0)
    }

    @Test func nobodyIsAskedForTonesThatNothingIsKnownOf() throws {
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
        // Nobody's turn is waited for that has none.
        #expect(report.duration < .seconds(1))
    }
}
