import JackdawReaders
import JackdawTestSupport
import Testing

/// What ID TECH's readers are asked, and what their answers mean.
@Suite struct IDTechDialectTests {
    /// The question is one that was reported; the answer is made in the pattern of those to questions for settings.
    @Test func theNextKeysSerialNumberIsAskedFor() throws {
        let dialect = IDTechDialect()
        let request = try #require(try dialect.asking(.keySerialNumber).first)
        #expect(request.bytes == hex("02 52 51 03 02"))
        let answer = hex("06 02 51 0A 62994901190000000001 03 F1")
        let format = dialect.format(awaiting: request)
        #expect(throws: Never.self) { try format.check(answer.span) }
        let reported = words(dialect.understand(answer.span, answering: request))
        #expect(reported == ["done: key serial number 62 99 49 01 19 00 00 00 00 01"])
        #expect(format.fields(of: answer.span, isRevealing: false)[2].name == "51 next KSN")
        #expect(words(dialect.understand([0x15].span, answering: request)) == ["refused: NAK"])
    }

    /// A reader without a key may mask what it sends.
    @Test(arguments: [(";4111********1111=2912?", true), (";4111111111111111=2912?", false)])
    func aTrackWithStarsIsMaskedAlsoIfNothingIsEncrypted(track: String, isMasked: Bool) throws {
        let frame = try IDTechSwipeFormat.frame([0x00, 0x3F, 0, UInt8(track.utf8.count), 0] + Array(track.utf8))
        guard case .swipe(let swipe)? = IDTechDialect().understand(frame.span, answering: nil).first else {
            return #expect(Bool(false), "no swipe")
        }
        #expect(swipe.parts == [isMasked ? .maskedTrack(2) : .track(2), .frame])
    }
}
