import JackdawReaders
import JackdawTestSupport
import Testing

/// Swipes in the layout that IPS's readers are thought to have. The frame is synthetic: made from the layout, with a published
/// test key, by other code than this.
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
        #expect(values["PAN, masked"] == "411111...1111")
        #expect(values["name"] == "26 characters")
        #expect(values["tracks"] == "1, 2")
        #expect(values["encrypted tracks"] == "80 bytes")
        #expect(fields.count == 12)
        var short = Self.swipe
        short[4] = 10
        #expect(IPSFormat().fields(of: short).first { $0.name == "PAN, masked" }?.value == "...1111")
    }

    @Test func aReaderIsKnownByItsAnswerToWaking() {
        #expect(IPSFormat.wake == [0x0C])
        let answers: [[UInt8]] = [[0, 0x4D], [0x60, 0x4D, 1, 2], [], [0x4D], [0x4D, 0], [0, 0x4E]]
        let isReader = answers.map { IPSFormat.isIdentification($0.span) }
        #expect(isReader == [true, true, false, false, false, false])
    }

    /// A counter of 0x66 at the end of a damaged swipe looks like the beginning of a failure.
    @Test func aDamagedSwipeHidesNoFrameAndNoOtherSwipe() {
        let damaged = [0x60] + [UInt8](repeating: 0, count: 128) + [0x66, 0x00]
        let whole = cut(damaged + Self.swipe, with: IPSFormat(), step: 1_000)
        #expect(whole.frames == [Self.swipe])
        #expect(whole.covers(262))
    }

    @Test func aWrongCRCIsToldWithItsPlace() {
        var damaged = Self.swipe
        damaged[130] ^= 1
        #expect(throws: FrameFault(.check, at: 130, "the CRC is 58, of the bytes 59")) {
            try IPSFormat().check(damaged)
        }
    }
}
