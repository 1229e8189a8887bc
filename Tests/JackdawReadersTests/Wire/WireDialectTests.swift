import JackdawReaders
import Testing

/// Families without a published protocol: without a profile nothing is opened, with one the published events are
/// parsed.
@Suite struct WireDialectTests {
    static let families = ["bbpos", "clovergo", "epos"]

    @Test(arguments: families) func withoutAWireAllThatIsOpenIsNamed(name: String) throws {
        let family = try #require(ReaderFamily.named(name))
        #expect(family.provenance == .unknown)
        do {
            _ = try family.makeDialect()
            Issue.record("it was opened")
        } catch {
            #expect(error.code == .missingValue)
            for key in ["frame.start", "frame.lengthSize", "frame.check", "frame.end", "message.arm", "message.swipe"] {
                #expect(error.message.contains(key))
                #expect(error.remedy?.contains(key) == true)
            }
            // The number of EPOS's status report is published.
            #expect(error.message.contains("message.event") == (name != "epos"))
        }
    }

    @Test(arguments: families) func syntheticValuesAreMarkedAsUnknown(name: String) throws {
        let family = try #require(ReaderFamily.named(name))
        let made = family.simulatedProfile
        #expect(made.name == "simulated")
        #expect(!made.summary.isEmpty && made.summary != family.profile.summary)
        for key in family.profile.missing {
            #expect(made[key]?.provenance == .unknown)
            #expect(made[key]?.source == made.summary)
        }
        #expect(made.missing.isEmpty)
        #expect(throws: Never.self) { try family.makeDialect(made) }
    }

    @Test(arguments: [
        ("epos", "card swiped", "reported: status card swiped"), ("epos", "smartcard inserted", "card: inserted"),
        ("epos", "card removed", "card: removed"), ("epos", "swipe error", "bad swipe: swipe error"),
        ("epos", "card entry timed out", "gave up"), ("bbpos", "BAD_SWIPE", "bad swipe: BAD_SWIPE"),
        ("bbpos", "ICC", "card: inserted"), ("bbpos", "NONE", "gave up"), ("bbpos", "MCR", "reported: status MCR"),
        ("clovergo", "EMV_CARD_REMOVED", "card: removed"), ("clovergo", "SWIPE_FAILED", "bad swipe: SWIPE_FAILED"),
        ("clovergo", "PLEASE_SEE_PHONE", "reported: status PLEASE_SEE_PHONE"),
    ])
    func eventsAreUnderstoodByTheNumbersThatWereSupplied(name: String, event: String, meaning: String) throws {
        let family = try #require(ReaderFamily.named(name))
        let profile = family.simulatedProfile
        var dialect = try family.makeDialect(profile)
        let report = UInt8(try profile.integer("message.event", in: 0...255))
        let number = UInt8(try profile.integer(ProfileKey(rawValue: "event.\(event)"), in: 0...255))
        let format = LayoutFormat(
            FrameLayout(start: [2], lengthSize: 2, counted: .content, check: .crc16, checked: .start, end: [3]))
        let frame = try format.frame([report, 0, number])
        #expect(words(dialect.understand(frame.span, answering: nil)) == [meaning])
        for content in [[], [report], [report, 0], [0xFE]] {
            let hostile = try format.frame(content)
            #expect(words(dialect.understand(hostile.span, answering: nil)).first?.hasPrefix("unknown") == true)
        }
        let swipe = UInt8(try profile.integer("message.swipe", in: 0...255))
        for content in [[swipe], [swipe, 1], [swipe, 0, 0, 5, 1], [swipe, 255]] {
            let hostile = try format.frame(content)
            #expect(words(dialect.understand(hostile.span, answering: nil)) == ["bad swipe: badFields"])
        }
    }

    @Test func publishedNumbersAreInTheProfile() throws {
        let profile = try #require(ReaderFamily.named("epos")?.profile)
        #expect(try profile.integer("message.event", in: 0...255) == 0x49)
        #expect(try profile.integer("event.card swiped", in: 0...255) == 0xA7)
        #expect(profile["event.card swiped"]?.provenance == .documented)
    }

    /// One of them would be taken for the other.
    @Test func twoEventsOfOneNumberAreABadProfile() throws {
        let family = try #require(ReaderFamily.named("bbpos"))
        var profile = family.simulatedProfile
        profile["event.ICC"] = profile["event.MCR"]
        let error = #expect(throws: ReaderError.self) { try family.makeDialect(profile) }
        #expect(error?.code == .badProfile)
        #expect(error?.reason == .duplicate)
        #expect(error?.message.hasSuffix(": ICC and MCR") == true)
    }
}
