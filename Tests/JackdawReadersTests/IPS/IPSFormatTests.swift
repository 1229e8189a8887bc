import JackdawTestSupport
import Testing

@testable import JackdawReaders

/// Swipes in the layout that IPS's readers are thought to have. The frame is synthetic: made from the layout, with a
/// published test key, by other code than this.
@Suite struct IPSFormatTests {
    private static let swipe = PublishedSwipes.ips

    @Test func framesAreCutHoweverTheyCome() {
        verify(
            IPSFormat(), frames: [Self.swipe], garbage: [0, 0x48, 0x07, 0xFF], unchecked: [[0x66, 0x10, 0x01, 20, 30]])
    }

    @Test func fieldsAreNamedAndMasked() {
        let fields = IPSFormat().fields(of: Self.swipe, isRevealing: false)
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        #expect(values["firmware"] == "01.02")
        #expect(values["PAN, first digits"] == "411111")
        #expect(values["PAN, last digits"] == "1111")
        #expect(values["name"]?.wholeMatch(of: /[*\/]{26}/) != nil)
        #expect(values["tracks"] == "1, 2")
        #expect(values["encrypted tracks"] == "80 bytes")
        #expect(fields.count == 13)
        var short = Self.swipe
        short[4] = 10
        #expect(IPSFormat().fields(of: short).first { $0.name == "PAN, first digits" }?.value == "...")
    }

    /// All of it is inferred: a profile may say otherwise.
    @Test func aProfileChangesTheLayout() throws {
        let family = try #require(ReaderFamily.named("ips"))
        var profile = family.profile
        profile[.ipsSwipe] = ProfileEntry("", .bytes([0x61]), .reported, "a test")
        for (key, place) in [("ips.size", 135), ("ips.issuerAt", 9), ("ips.lastDigitsAt", 12)] {
            profile[ProfileKey(rawValue: key)] = ProfileEntry("", .number(Double(place)), .reported, "a test")
        }
        var content = [UInt8](repeating: 0, count: 134)
        content[0] = 0x61
        content[4] = 16
        content.replaceSubrange(9..<14, with: [0x54, 0x13, 0x33, 0x41, 0x11])
        var dialect = try family.makeDialect(profile)
        var layout = IPSLayout()
        layout.swipe = 0x61
        layout.size = 135
        let frame = try IPSFormat.frame(content, layout)
        try dialect.format(awaiting: nil).check(frame)
        #expect(
            words(dialect.understand(frame.span, answering: nil)) == [
                "swipe: ips 541333******4111, encrypted (tripleDESBlocks)"
            ])
        profile["ips.encryptedAt"] = ProfileEntry("", .number(60), .reported, "a test")
        #expect(throws: ReaderError.self) { try family.makeDialect(profile) }
    }

    @Test func theAnswerToWakingIsAwaitedIfTheProfileRequiresIt() throws {
        let family = try #require(ReaderFamily.named("ips"))
        #expect(try family.makeDialect().identification.map(\.isAnswered) == [false])
        var profile = family.profile
        profile[.ipsAnswersWake] = ProfileEntry("", .flag(true), .reported, "a test")
        var dialect = try family.makeDialect(profile)
        let wake = try #require(dialect.identification.first)
        #expect(wake.isAnswered && wake.bytes == [0x0C])
        for (answer, expected) in [([0, 0x4D], "done"), ([0x60, 0x4D, 1], "done"), ([0x4D], ""), ([0, 0x4E], "")] {
            let answer = answer.map { UInt8($0) }
            let meanings = words(dialect.understand(answer.span, answering: wake))
            #expect(meanings == [expected.isEmpty ? "unknown: badAnswer" : expected])
        }
    }

    private static let answers: [[UInt8]] = [
        [0x00, 0x4D, 0x01, 0x02], [0x60, 0x4D, 0x00, 0x4D], [0x66, 0x4D, 0x66, 0x60], [0x4D, 0x4D, 0x4D, 0x4D],
    ]

    @Test func answersAreCutHoweverTheyCome() {
        let format = IPSAnswerFormat(second: 0x4D, size: 4)
        verify(format, frames: [Self.swipe], garbage: [0, 0x48, 0x07, 0xFF], unchecked: Self.answers)
        for answer in Self.answers {
            for step in 1...5 {
                let whole = cut(answer + Self.swipe + answer, with: format, step: step)
                #expect(whole.frames == [answer, Self.swipe, answer])
                // What is cut off is none, and hides nothing after a silence.
                for count in 1..<answer.count {
                    let parts = [Array(answer[..<count]), answer]
                    #expect(cut(parts, with: format, step: step).frames == [answer])
                }
                // Nothing in it shows that it is not a part of the noise; a swipe has its CRC.
                let noise = cut([[1, 2, 3] + answer, answer, [1, 2, 3] + Self.swipe], with: format, step: step)
                #expect(noise.frames == [answer, Self.swipe])
            }
        }
    }

    /// A driver that does not know the length of an answer needs it in one packet.
    @Test func anAnswerOfUnknownSizeIsAPacket() {
        let format = IPSAnswerFormat(second: 0x4D, size: nil)
        for count in [2, 3, 131, 512] {
            let answer = [0x00, 0x4D] + [UInt8](repeating: 0x60, count: count - 2)
            #expect(cut(answer, with: format, step: count).frames == [answer])
        }
        #expect(cut(Self.swipe, with: format, step: 7).frames == [Self.swipe])
        #expect(throws: FrameFault.self) { try format.check([0x4D]) }
        #expect(throws: FrameFault.self) { try format.check([0x00, 0x4E, 0x4D]) }
    }

    /// A swipe at that moment is reported, and is not an answer.
    @Test func aSwipeIsKnownWhileAnAnswerIsAwaited() throws {
        let family = try #require(ReaderFamily.named("ips"))
        var dialect = try family.makeDialect(family.simulatedProfile)
        let wake = try #require(dialect.identification.first)
        try dialect.format(awaiting: wake).check(Self.swipe)
        let meanings = words(dialect.understand(Self.swipe.span, answering: wake))
        #expect(meanings.count == 1 && meanings[0].hasPrefix("swipe: ips 411111******1111"))
    }

    /// Nothing of IPS Enterprise is known, and the driver says what it needs.
    @Test func valuesOfIPSEnterpriseAreMissing() throws {
        let family = try #require(ReaderFamily.named("ipsenterprise"))
        let known = try #require(ReaderFamily.named("ips"))
        let times = ReaderProfile.commonTimes.keys
        #expect(Set(family.profile.missing) == Set(known.profile.entries.keys).subtracting(times))
        do {
            _ = try family.makeDialect()
            Issue.record("it has a dialect")
        } catch {
            #expect(error.code == .missingValue)
            #expect(error.message.contains("ips.wake") && error.message.contains("ips.tracksAt"))
        }
        let dialect = try family.makeDialect(family.simulatedProfile)
        #expect(dialect.family == "ipsenterprise")
        #expect(dialect.identification.map(\.bytes) == [[0x0E]])
    }

    /// A counter of 0x66 at the end of a damaged swipe looks like the beginning of a failure.
    @Test func aDamagedSwipeHidesNoFrameAndNoOtherSwipe() {
        let damaged = [0x60] + [UInt8](repeating: 0, count: 128) + [0x66, 0x00]
        let whole = cut(damaged + Self.swipe, with: IPSFormat(), step: 1_000)
        #expect(whole.frames == [Self.swipe])
        #expect(whole.covers(262))
    }

    @Test func aWrongCRCIsReportedWithItsPlace() {
        var damaged = Self.swipe
        damaged[130] ^= 1
        expectFault(.check, at: 130, "58", "59") {
            try IPSFormat().check(damaged)
        }
    }
}
