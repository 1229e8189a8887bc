import JackdawBytes
import JackdawTestSupport
import Testing

@testable import JackdawReaders

/// What MagTek's answers mean, which do not say what they answer.
@Suite struct MagTekDialectTests {
    private var dialect = MagTekDialect()

    private mutating func facts(answering index: Int) -> [ReaderFact]? {
        let request = dialect.identification[index]
        let answer = Array("000431323334\r".utf8)
        guard case .done(let facts)? = dialect.understand(answer.span, answering: request).first else { return nil }
        return facts
    }

    @Test mutating func anAnswerThatComesTwiceAnswersOneRequest() {
        #expect(facts(answering: 0) == [.firmware("1234")])
        #expect(facts(answering: 1) == nil)
        // A reader whose number is that of its software says so again when it is asked again.
        #expect(facts(answering: 1) == [.serialNumber("1234")])
    }

    private mutating func read(_ line: [UInt8]) -> ReaderSwipe? {
        guard case .swipe(let swipe)? = dialect.understand(line.span, answering: nil).first else { return nil }
        return swipe
    }

    /// The published swipe with other fields, and a right CRC.
    private static func line(_ fields: [UInt8] = PublishedSwipes.magTek, _ change: (inout [[UInt8]]) -> Void) throws
        -> [UInt8]
    {
        var parts = fields.dropLast().split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            .dropLast(3).map { Array($0) }
        change(&parts)
        return try MagTekFormat.swipe(parts)
    }

    /// 99875483, section 2: a message is sent for each swipe, with E in place of a track with an error and nothing in
    /// place of one without data. The card is none whatever the encrypted fields hold.
    @Test(arguments: ["%E?;E?+E?", "%E?;E?", ";E?", "%E?", "E", "EEE"], [0, 1, 2, 3, 4])
    mutating func aCardOfWhichNoTrackWasReadIsABadSwipe(masked: String, fields: Int) throws {
        let encrypted = try Self.line { parts in
            parts[0] = Array(masked.utf8)
            if fields == 1 { for index in 2...4 { parts[index] = Array("0011223344556677".utf8) } }
            if fields == 2 { for index in 2...4 { parts[index] = [] } }
            if fields == 3 { for index in 2...4 { parts[index] = Array("E".utf8) } }
            if fields == 4 { for index in 2...4 { parts[index] = Array("\(["%", ";", "+"][index - 2])E?".utf8) } }
        }
        #expect(words(dialect.understand(encrypted.span, answering: nil)) == ["bad swipe: no track was read"])
        let clear = try Self.line(PublishedSwipes.magTekClear) { parts in
            parts[0] = Array(masked.utf8)
            if fields == 1 { for index in 2...4 { parts[index] = Array("\(["%", ";", "+"][index - 2])E?".utf8) } }
            if fields == 2 { for index in 2...4 { parts[index] = Array("25453F".utf8) } }
            if fields == 3 { for index in 2...4 { parts[index] = Array("E".utf8) } }
        }
        #expect(words(dialect.understand(clear.span, answering: nil)) == ["bad swipe: no track was read"])
    }

    @Test mutating func aTrackThatWasNotReadIsNoTrackOfTheCard() throws {
        let encrypted = try Self.line { $0[0] = Array("%E?;5452000000007189=080400000000000000?".utf8) }
        let found = try #require(read(encrypted))
        #expect(found.maskedNumber == "545200******7189")
        #expect(!found.parts.contains(.maskedTrack(1)) && found.parts.contains(.maskedTrack(2)))
        for unread in ["%E?", "25453F"] {
            let clear = try Self.line(PublishedSwipes.magTekClear) { parts in
                parts[0] = Array("%E?;5452000000007189=080400000000000000?".utf8)
                parts[2] = Array(unread.utf8)
                parts[4] = []
            }
            let parts = try #require(read(clear)).parts
            #expect(parts == [.track(2), .maskedTrack(2), .session, .frame])
        }
    }

    /// 99875483, section 2: `E` is sent in place of the track data, which an encrypting reader sends in its fields.
    @Test(arguments: ["E", "%E?", "25453F"]) mutating func anEncryptingReaderMaySendEInPlaceOfATrack(unread: String)
        throws
    {
        let line = try Self.line { parts in
            parts[0] = Array("%E?;5452000000007189=080400000000000000?".utf8)
            parts[2] = Array(unread.utf8)
            parts[4] = []
        }
        #expect(throws: Never.self) { try MagTekFormat(.answer).check(line) }
        let swipe = try #require(read(line))
        #expect(swipe.cipher == .tripleDES && swipe.maskedNumber == "545200******7189")
        #expect(swipe.parts.contains(.encryptedTrack(2)))
        #expect(swipe.parts.isDisjoint(with: [.encryptedTrack(1), .track(1), .maskedTrack(1)]))
        // What was masked says the same.
        guard case .masked(let masked) = dialect.masking([line]) else { return #expect(Bool(false), "not masked") }
        let again = try #require(read(masked.joined().map(\.self)))
        #expect(again.parts == swipe.parts && again.maskedNumber == swipe.maskedNumber)
    }

    /// Of a reader that sends no masked tracks the fields say whether one was read.
    @Test(arguments: ["%E?", "E", "25453F", ""]) mutating func withoutMaskedTracksTheFieldsAreLookedAt(field: String)
        throws
    {
        let unread = try Self.line(PublishedSwipes.magTekClear) { parts in
            parts[0] = []
            for index in 2...4 { parts[index] = index == 2 ? Array(field.utf8) : [] }
        }
        #expect(words(dialect.understand(unread.span, answering: nil)) == ["bad swipe: no track was read"])
        let clear = try Self.line(PublishedSwipes.magTekClear) { parts in
            parts[0] = []
            parts[2] = Array(field.utf8)
        }
        #expect(try #require(read(clear)).parts == [.track(2), .track(3), .session, .frame])
    }

    /// Masked tracks with the other sentinels of 99875475-10, properties 27 to 29, and with a text before them.
    @Test mutating func tracksOfOtherCodesHaveTheirNumbers() throws {
        let line = try Self.line { $0[0] = Array("pre%B5452^A?@ABC?&XYZ?".utf8) }
        let swipe = try #require(read(line))
        #expect((1...3).map { text(.maskedTrack($0), of: swipe) } == ["%B5452^A?", "@ABC?", "&XYZ?"])
        let unread = try Self.line { $0[0] = Array("pre%E?@E?#E?".utf8) }
        #expect(words(dialect.understand(unread.span, answering: nil)) == ["bad swipe: no track was read"])
    }

    /// Only E in place of all of a track says that it was not read.
    @Test func eAloneSaysThatATrackWasNotRead() {
        func isUnread(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return MagTekSwipe.isUnread(bytes.span)
        }
        for text in ["%E?", ";E?", "+E?", "#E?", "E", "E?"] { #expect(isUnread(text), "\(text)") }
        for text in ["%E1?", "%BE?", "", "%?", ";1=2?", "%ETEST^?"] { #expect(!isUnread(text), "\(text)") }
    }

    /// 99875475-10, appendix D, example 5: plain text; and hexadecimal digits, as the notes on the encryption status
    /// have it.
    @Test(arguments: [false, true]) mutating func aReaderWithoutKeysSendsTracksInEitherForm(isHexadecimal: Bool) throws
    {
        let line =
            try isHexadecimal
            ? Self.line(PublishedSwipes.magTekClear) { parts in
                for index in 2...4 { parts[index] = parts[index].flatMap { Array($0.hexadecimal.utf8) } }
            } : PublishedSwipes.magTekClear
        #expect(throws: Never.self) { try MagTekFormat(.answer).check(line) }
        let swipe = try #require(read(line))
        #expect(swipe.cipher == nil)
        #expect(
            (1...3).map { text(.track($0), of: swipe) } == [
                "%B5452300551227189^HOGAN/PAUL      ^08043210000000725000000?",
                ";5452300551227189=080432100000007250?", "+5163499080020445=000000000000?",
            ])
        #expect(swipe.maskedNumber == "545230******7189")
        #expect("\(swipe)" == "magtek 545230******7189")
        #expect(!swipe.parts.contains(.keySerialNumber) && !swipe.parts.contains(.encryptedTrack(1)))
    }

    /// Plain text is a track from its sentinel, of a reader that does not encrypt.
    @Test func linesWithInvalidFieldsAreNoSwipes() throws {
        for (index, text) in [(2, "12G4"), (3, "Z"), (5, "%B1?"), (8, ";")] {
            #expect(throws: FrameFault.self) {
                _ = try Self.line(PublishedSwipes.magTekClear) { $0[index] = Array(text.utf8) }
            }
        }
        #expect(throws: FrameFault.self) {
            _ = try Self.line { $0[2] = Array("%B5452300551227189^HOGAN/PAUL      ^0804?".utf8) }
        }
    }

    /// 99875483, section 2: blocks of 500 bytes, filled up with x. The next card comes 0.3 s later, before what is no
    /// frame is given up.
    @Test(arguments: [1, 7, 64, 500, 1_000]) func paddingIsNoNoiseAndLosesNoSwipe(step: Int) {
        for line in [PublishedSwipes.magTek, PublishedSwipes.magTekClear] {
            let padding = (500 - line.count % 500) % 500
            let block = line + [UInt8](repeating: UInt8(ascii: "x"), count: padding)
            #expect(block.count.isMultiple(of: 500) && padding > 0)
            var driver = ReaderDriver(MagTekDialect())
            var outputs = driver.perform(.connect, at: .zero)
            for answer in ["000131\r", "000132\r"] {
                outputs += driver.receive(Array(answer.utf8).span, at: .zero)
            }
            outputs = []
            for start in [Duration.seconds(1), .milliseconds(1_300), .seconds(60)] {
                outputs += driver.advance(to: start)
                for place in stride(from: 0, to: block.count, by: step) {
                    outputs += driver.receive(
                        Array(block[place..<min(place + step, block.count)]).span, at: start)
                }
            }
            outputs += driver.advance(to: .seconds(120))
            let events = outputs.compactMap { if case .event(let event) = $0 { "\(event)" } else { nil } }
            #expect(events.count == 3 && events.allSatisfy { $0.hasPrefix("swipe: magtek 5452") }, "\(events)")
        }
    }

    @Test mutating func theSameQuestionMayHaveTheSameAnswer() {
        #expect(facts(answering: 1) == [.serialNumber("1234")])
        #expect(facts(answering: 1) == [.serialNumber("1234")])
        dialect.reset()
        #expect(facts(answering: 0) == [.firmware("1234")])
    }
}
