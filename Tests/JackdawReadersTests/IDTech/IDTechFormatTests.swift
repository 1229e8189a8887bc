import JackdawReaders
import JackdawTestSupport
import Testing

/// Commands, answers and swipes of ID TECH's magnetic stripe readers, with those that its manuals publish.
@Suite struct IDTechFormatTests {
    private static let commands = [
        "02 53 58 01 31 03 3A", "02 53 58 01 30 03 3B", "02 53 4C 01 30 03 2F", "02 53 4C 01 31 03 2E",
        "02 52 1F 03 4C",
        "02 52 4C 03 1F", "02 52 58 03 0B", "02 52 7E 03 2D", "02 52 22 03 71",
    ].map(hex)
    private static let settings = [
        "06 02 7E 01 31 4C 01 31 58 01 31 03 5B", "06 02 4C 01 30 03 7C", "06 02 58 01 30 03 68",
        "06 02 7E 01 33 03 4D",
    ].map(hex)
    /// Made from the manual's pattern: `06 02` text `03` LRC.
    private static let version = hex("06 02 4944205445434820 03 16")

    @Test func publishedCommandsAreMade() throws {
        #expect(try IDTechCommandFormat.set(.keyManagement, [0x31]) == Self.commands[0])
        #expect(try IDTechCommandFormat.set(.encryption, [0x30]) == Self.commands[2])
        #expect(IDTechCommandFormat.review(.reviewAll) == Self.commands[4])
        #expect(IDTechCommandFormat.review(.firmwareVersion) == Self.commands[8])
        #expect(throws: FrameFault.self) { try IDTechCommandFormat.set(.maskOption, [UInt8](repeating: 0, count: 256)) }
    }

    @Test func framesAreCutHoweverTheyCome() {
        verify(IDTechCommandFormat(), frames: Self.commands, garbage: [0, 0x06, 0x53, 0xFF])
        verify(
            IDTechAnswerFormat(awaiting: .settings), frames: Self.settings, garbage: [0, 0x53, 0x7F],
            unchecked: [[0x15]])
        verify(
            IDTechAnswerFormat(awaiting: .text), frames: [Self.version], garbage: [0, 0x53, 0x7F], unchecked: [[0x15]])
    }

    @Test func swipesAreCutHoweverTheyCome() {
        let swipes = [PublishedSwipes.original, PublishedSwipes.enhanced]
        verify(IDTechSwipeFormat(), frames: swipes, garbage: [0, 0x53, 0x7F])
        verify(IDTechAnswerFormat(), frames: swipes, garbage: [0, 0x53, 0x7F], unchecked: [[0x06], [0x15]])
    }

    /// Bytes of a damaged swipe that would be answers confirm nothing.
    @Test func aDamagedSwipeIsNoAnswer() {
        for swipe in [PublishedSwipes.original, PublishedSwipes.enhanced] {
            var damaged = swipe
            damaged[10] ^= 1
            #expect(cut(damaged, with: IDTechAnswerFormat(), step: 1_000).frames.isEmpty)
            #expect(cut(damaged + swipe + [0x06], with: IDTechAnswerFormat(), step: 1_000).frames == [swipe, [0x06]])
        }
        #expect(cut([0x15, 0x06], with: IDTechAnswerFormat(), step: 1).frames == [[0x15], [0x06]])
    }

    @Test func resettingHasNoLength() throws {
        #expect(try IDTechCommandFormat.set(.resetToDefault, []) == hex("02 53 18 03 4A"))
        #expect(throws: Never.self) { try IDTechCommandFormat().check(hex("02 53 18 03 4A")) }
        #expect(throws: FrameFault.self) { try IDTechCommandFormat.set(.resetToDefault, [1]) }
    }

    /// Each check of a swipe, wrong by itself.
    @Test(arguments: [(3, FrameFault.Code.check), (2, .check), (1, .end)])
    func aWrongEndIsReportedWithItsPlace(fromEnd: Int, code: FrameFault.Code) {
        var damaged = PublishedSwipes.original
        damaged[damaged.count - fromEnd] ^= 1
        let fault = #expect(throws: FrameFault.self) { try IDTechSwipeFormat().check(damaged) }
        #expect(fault?.code == code)
        #expect(fault?.offset == damaged.count - fromEnd)
    }

    /// Lengths that AES pads otherwise than TDES: made from the layout, encrypted bytes and all.
    @Test func theCipherOfTheOriginalLayoutIsFoundByItsPadding() throws {
        let tripleDES = try IDTechSwipeFormat.frame(bodyWithTrack1(encrypted: 8))
        let cipher = try IDTechSwipe(tripleDES.span).cipher
        #expect(cipher == .tripleDES)
        let aes = try IDTechSwipeFormat.frame(bodyWithTrack1(encrypted: 16))
        let other = try IDTechSwipe(aes.span).cipher
        #expect(other == .aes)
        let neither = try IDTechSwipeFormat.frame(bodyWithTrack1(encrypted: 12))
        expectFault(.length, at: 13, "12", "5") {
            _ = try IDTechSwipe(neither.span)
        }
    }

    private func bodyWithTrack1(encrypted count: Int) -> [UInt8] {
        [0x00, 0x0B, 5, 0, 0] + Array("%B4*?".utf8) + [UInt8](repeating: 7, count: count + 20 + 10)
    }

    @Test func theOriginalLayoutIsRead() throws {
        let frame = PublishedSwipes.original
        let swipe = try IDTechSwipe(frame.span)
        #expect(swipe.cardType == .bank)
        #expect(!swipe.isEnhanced)
        #expect(swipe.tracks.map(\.length) == [72, 35, 107])
        #expect(swipe.tracks.allSatisfy { $0.isDecoded && $0.isSampled })
        #expect(swipe.encryptedTogether?.count == 112)
        #expect(swipe.tracks.map { $0.hash?.count } == [20, 20, nil])
        #expect(frame[try #require(swipe.keySerialNumber)].elementsEqual(hex("62994901190000000001")))
        #expect(swipe.cipher == nil)
        #expect(text(frame, swipe.tracks[1].masked) == ";4266********9999=***************?*")
    }

    @Test func theEnhancedLayoutIsRead() throws {
        let frame = PublishedSwipes.enhanced
        let swipe = try IDTechSwipe(frame.span)
        #expect(swipe.isEnhanced)
        #expect(swipe.cipher == .tripleDES)
        #expect(swipe.tracks.map { $0.masked?.count } == [72, 35, nil])
        #expect(swipe.tracks.map { $0.encrypted?.count } == [72, 40, 112])
        #expect(swipe.tracks.map { $0.hash?.count } == [20, 20, 20])
        #expect(swipe.session == nil)
        #expect(frame[try #require(swipe.keySerialNumber)].elementsEqual(hex("62994901190000000002")))
    }

    @Test func fieldsShowNoCardDataButOnDemand() {
        for frame in [PublishedSwipes.original, PublishedSwipes.enhanced] {
            let masked = IDTechSwipeFormat().fields(of: frame, isRevealing: false)
            #expect(masked.first { $0.name == "track 2" }?.value == "35 bytes")
            let shown = IDTechSwipeFormat().fields(of: frame, isRevealing: true)
            #expect(shown.first { $0.name == "track 2" }?.value.hasPrefix("3B 34 32 36 36 2A") == true)
        }
    }

    @Test func bodiesWhoseFieldsDoNotFitAreRefused() throws {
        // A track of 60 characters in a body that ends after it.
        let short = try IDTechSwipeFormat.frame([0x00, 0x3F, 60, 0, 0] + [UInt8](repeating: 0x2A, count: 59))
        expectFault(.length, at: 8, "59", "1", "60") {
            _ = try IDTechSwipe(short.span)
        }
        let long = try IDTechSwipeFormat.frame([0x80, 0x3F, 0, 0, 0, 0, 0, 1, 2])
        expectFault(.length, at: 10, "2") {
            _ = try IDTechSwipe(long.span)
        }
    }

    private func text(_ frame: [UInt8], _ range: Range<Int>?) -> String? {
        range.map { String(decoding: frame[$0], as: UTF8.self) }
    }
}
