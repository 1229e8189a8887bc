import JackdawReaders
import JackdawTestSupport
import Testing

/// What a program gets of the swipes that manuals print, through the drivers.
struct PublishedSwipeTests {
    private static func swipe(_ frame: [UInt8], _ dialect: any ReaderDialect) -> ReaderSwipe? {
        var dialect = dialect
        for meaning in dialect.understand(frame.span, answering: nil) {
            if case .swipe(let swipe) = meaning { return swipe }
        }
        return nil
    }

    private static func part(_ swipe: ReaderSwipe, _ part: ReaderSwipe.Part) -> [UInt8]? {
        swipe.withPart(part) { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test func idTechsOriginalLayout() throws {
        let swipe = try #require(Self.swipe(PublishedSwipes.original, IDTechDialect()))
        // 72 and 35 characters fill 112 bytes in blocks of 8 and of 16, and the layout does not say which.
        #expect(swipe.cipher == nil || swipe.cipher == .tripleDES)
        #expect(swipe.maskedNumber == "4266********9999")
        #expect("\(swipe)".contains("4266********9999"))
        #expect(Self.part(swipe, .keySerialNumber) == hex("62994901190000000001"))
        #expect(Self.part(swipe, .hash(1)) == hex("3418AC88F65E1DB7ED4D10973F99DFC8463FF6DF"))
        #expect(Self.part(swipe, .hash(2)) == hex("113B6226C4898A9D355057ECAF11A5598F02CA31"))
        #expect(Self.part(swipe, .encryptedTracks)?.count == 112)
        #expect(Self.part(swipe, .maskedTrack(1))?.count == 72)
        // Track 3 of this layout is in clear.
        #expect(Self.part(swipe, .maskedTrack(3)) == nil)
        #expect(Self.part(swipe, .track(3))?.count == 107)
    }

    @Test func idTechsEnhancedLayout() throws {
        let swipe = try #require(Self.swipe(PublishedSwipes.enhanced, IDTechDialect()))
        #expect(swipe.cipher == .tripleDES)
        #expect(swipe.maskedNumber == "4266********9999")
        #expect(Self.part(swipe, .keySerialNumber) == hex("62994901190000000002"))
        #expect((1...3).map { Self.part(swipe, .encryptedTrack($0))?.count } == [72, 40, 112])
        #expect((1...3).map { Self.part(swipe, .track($0)) } == [nil, nil, nil])
    }

    @Test func magTeksLine() throws {
        let swipe = try #require(Self.swipe(PublishedSwipes.magTek, MagTekDialect()))
        #expect(swipe.cipher == .tripleDES)
        #expect(swipe.maskedNumber == "545200******7189")
        #expect(Self.part(swipe, .keySerialNumber) == hex("FFFF9876543210E00008"))
        #expect(Self.part(swipe, .session) == hex("21685F158B5C6BE0"))
        #expect(Self.part(swipe, .magnePrintStatus) == hex("A1050000"))
        #expect(Self.part(swipe, .magnePrint)?.count == 56)
        #expect((1...3).map { Self.part(swipe, .encryptedTrack($0))?.count } == [64, 40, 32])
        let masked = Self.part(swipe, .maskedTrack(3)).map { String(decoding: $0, as: UTF8.self) }
        #expect(masked == "+5163000050000445=000000000000?")
    }

    @Test func ipsSwipe() throws {
        let swipe = try #require(Self.swipe(PublishedSwipes.ips, IPSDialect()))
        #expect(swipe.cipher == .tripleDESBlocks)
        #expect(swipe.maskedNumber == "411111******1111")
        #expect(Self.part(swipe, .encryptedTracks)?.count == 80)
    }

    /// Whatever way a swipe is shown, no more of the number is in it than may be.
    @Test func printedFormsHaveTheMaskedNumberOnly() throws {
        var builder = ReaderSwipe.Builder()
        let track = Array(";4111111111111111=28121010000012345678?".utf8)
        builder.add(.track(2), track.span)
        builder.add(.frame, track.span)
        let swipe = builder.finish(family: "test", cipher: nil)
        var dumped = ""
        dump(swipe, to: &dumped)
        for text in ["\(swipe)", String(reflecting: swipe), dumped, "\(ReaderEvent.swipe(swipe))", "\([swipe])"] {
            #expect(!text.contains("4111111111111111"))
            #expect(!text.contains("12345678"))
        }
        #expect(swipe.maskedNumber == "411111******1111")
    }

    @Test(arguments: ["123456789012", "12345678901234567890", "41111111a1111111", ""])
    func invalidAccountNumbersAreNotShown(number: String) {
        var builder = ReaderSwipe.Builder()
        builder.add(.track(2), Array(";\(number)=2812?".utf8).span)
        #expect(builder.finish(family: "test", cipher: nil).maskedNumber == nil)
    }

    @Test func aReadersWordsShowNoAccountNumber() {
        #expect("\(ReaderFact.firmware("V1 4111111111111111 b"))" == "firmware V1 411111******1111 b")
        #expect("\(ReaderFact.serialNumber("4111111111111112"))" == "serial number 4111111111111112")
        #expect("\(ReaderFact.status("4111 1111-11111111"))" == "status 4111 11**-****1111")
        #expect("\(ReaderFact.status("V1 4111 1111 1111 1111"))" == "status V1 4111 1*** **** 1111")
        #expect("\(ReaderFact.model("411111111111111128121010"))" == "model 411111**************1010")
        #expect("\(ReaderFact.firmware("%B4111111111111111^DOE/JANE^2812?"))" == "firmware 33 characters")
        #expect("\(ReaderFact.firmware(";4111111111111111=2812101?"))" == "firmware 26 characters")
        // A name is after the `^` of a track also where the number is masked already.
        #expect("\(ReaderFact.firmware("%B4111********1111^DOE/JANE^2812?"))" == "firmware 33 characters")
        #expect("\(ReaderFact.status("^DOE/JANE"))" == "status 9 characters")
        #expect("\(ReaderFact.firmware("K=4 V=1.0"))" == "firmware K=4 V=1.0")
    }
}
