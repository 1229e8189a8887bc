import JackdawReaders
import JackdawTestSupport
import Testing

/// Requests to NEO readers and the meanings of their frames, with frames of the NEO 2 Interface Developer's Guide.
@Suite struct NEODialectTests {
    private let dialect = NEODialect()
    private static let header = "5669564F746563683200"
    /// ID TECH's knowledge base has this whole answer to another command (03-00), of a test card.
    private static let published = hex(
        header
            + "030000763942363237393235373734393133323334335E5445535420434152442F5649564F544543485E3130"
            + "31323831333030373231303433353030303025363237393235373734393133323334333D3130313238313330"
            + "303732313034333530303030009F3501229F390107FFEE0104DF300100DFEE2601416A44")

    /// What an answer to activate transaction means, a word for each.
    private func meanings(_ status: NEOStatus, _ data: [UInt8] = []) throws -> [ReaderMeaning] {
        let frame = try NEOFormat.answer(0x02, status, data)
        return dialect.understand(frame.span, answering: nil)
    }

    @Test func requestsArePublishedFrames() throws {
        #expect(dialect.identification.map(\.bytes) == [hex(Self.header + "18 01 0000 B3CD")])
        #expect(
            NEODialect(pollsOnDemand: true).identification.last?.bytes == hex(Self.header + "01 01 0001 01 D734"))
        let arming = try dialect.arming(for: .seconds(10))
        #expect(arming.map(\.bytes) == [hex(Self.header + "02 01 0001 0A 6E6B")])
        #expect(arming.map(\.isAnswered) == [false])
        #expect(try dialect.asking(.settings).map(\.bytes) == [hex(Self.header + "03 02 0000 5B91")])
    }

    @Test func aWaitIsRoundedUpToSecondsThatFit() throws {
        #expect(try dialect.arming(for: .milliseconds(2500)).first?.bytes[14] == 3)
        #expect(try dialect.arming(for: .seconds(255)).first?.bytes[14] == 255)
        for wait in [Duration.zero, .milliseconds(255_001), .seconds(-3), .seconds(Int64.max)] {
            #expect(throws: ReaderError.self) { try dialect.arming(for: wait) }
        }
    }

    @Test func cancelIsSentUnlessTheReaderHasEndedItself() throws {
        #expect(dialect.disarming(after: .swiped).isEmpty)
        for reason in [DisarmReason.cancelled, .timedOut] {
            let cancel = dialect.disarming(after: reason)
            #expect(cancel.map { Array($0.bytes.prefix(14)) } == [hex(Self.header + "05 01 0000")])
            #expect(cancel.map(\.isAnswered) == [true])
        }
    }

    @Test func answersBelongToTheirRequest() throws {
        let ping = try #require(dialect.identification.first)
        let pong = hex(Self.header + "18 00 0000 FA83")
        #expect(words(dialect.understand(pong.span, answering: ping)) == ["done"])
        #expect(words(dialect.understand(pong.span, answering: nil)) == ["unknown: an answer to ping"])
        let cancel = try #require(dialect.disarming(after: .cancelled).first)
        #expect(words(dialect.understand(pong.span, answering: cancel)) == ["unknown: an answer to ping"])
        // The transaction's own answer is none to its cancel.
        let late = try NEOFormat.answer(0x02, .timedOut)
        #expect(words(dialect.understand(late.span, answering: cancel)) == ["gave up"])
        let refused = try NEOFormat.answer(0x02, .notAcknowledged)
        #expect(
            words(dialect.understand(refused.span, answering: cancel))
                == ["unknown: the end of a transaction: \(NEOStatus.notAcknowledged)"])
    }

    @Test func statusesAreRefusals() throws {
        let ping = try #require(dialect.identification.first)
        for status in [NEOStatus.unknownCommand, .crcError, .badParameter, .notAllowed, NEOStatus(rawValue: 0x91)] {
            let frame = try NEOFormat.answer(0x18, status)
            #expect(words(dialect.understand(frame.span, answering: ping)) == ["refused: \(status)"])
            #expect(words(try meanings(status)) == ["refused: \(status)"])
        }
        #expect(words(try meanings(.timedOut)) == ["gave up"])
    }

    @Test func tracksOfThePublishedAnswerAreRead() throws {
        try NEOFormat(.answer).check(Self.published)
        let data = Array(Self.published[14..<Self.published.count - 2])
        let meanings = try meanings(.done, data)
        // DF30 is 00: it was held near.
        #expect(words(meanings) == ["card: tapped", "swipe: neo 627925******2343"])
        guard case .swipe(let swipe) = meanings.last else { return }
        #expect(swipe.parts == [.track(1), .track(2), .frame])
        #expect(text(.track(2), of: swipe) == ";6279257749132343=10128130072104350000?")
        #expect(text(.track(1), of: swipe) == "%B6279257749132343^TEST CARD/VIVOTECH^10128130072104350000?")
    }

    @Test func track3AndAClearingRecordAreFound() throws {
        let tracks = ["%B4111111111111111^TEST/CARD^2812?", ";4111111111111111=2812?", ";123=456?"]
        let lengths = tracks.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let record = hex("01 E1 03 50 01 41 9F390190")
        for data in [lengths + [0], lengths, lengths + record] {
            guard case .swipe(let swipe) = try meanings(.done, data).last else {
                Issue.record("no swipe")
                continue
            }
            #expect(swipe.parts == [.track(1), .track(2), .track(3), .frame])
            #expect(text(.track(3), of: swipe) == ";123=456?")
        }
        let two = tracks[..<2].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        guard case .swipe(let swipe) = try meanings(.onlineRequired, two + record).last else {
            Issue.record("no swipe")
            return
        }
        #expect(swipe.parts == [.track(1), .track(2), .frame])
    }

    @Test func aSwipeInsideAnObjectIsReadAsID_TECHsOwn() throws {
        let track = Array(";4111111111111111=28121010000012345678?".utf8)
        let inner = try IDTechSwipeFormat.frame([0x80, 0x3A, 0, UInt8(track.count), 0, 0x02, 0] + track)
        #expect(inner.count < 128)
        let data = hex("19 DFEE12 0A FFFF9876543210E00008 DFEE23") + [UInt8(inner.count)] + inner + hex("DFEE260219 00")
        #expect(words(try meanings(.done, data)) == ["swipe: neo 411111******1111"])
        var damaged = data
        damaged[20 + inner.count - 4] ^= 1
        #expect(words(try meanings(.done, damaged)).first?.hasPrefix("refused: a bad swipe") == true)
    }

    @Test(arguments: ["", "00", "05 3132", "00 00 FF", "80", "19 DFEE23 05 0203", "00 00 00 9F39 05 01", "FFFFFFFF"])
    func hostileDataIsRefusedOrHasNoTrack(data: String) throws {
        #expect(words(try meanings(.done, hex(data))).last?.hasPrefix("refused: ") == true)
    }

    @Test func settingsAreObjects() throws {
        let ask = try #require(try dialect.asking(.settings).first)
        let answer = try NEOFormat.answer(0x03, .done, hex("9F1A 02 0840 DFEE2A 01 07"))
        guard case .done(let facts) = dialect.understand(answer.span, answering: ask).first else {
            Issue.record("no answer")
            return
        }
        #expect(
            facts == [
                .setting(ReaderSetting(0x9F1A, [0x08, 0x40])), .setting(ReaderSetting(0xDFEE2A, [7])),
            ])
        let set = try #require(try dialect.setting(ReaderSetting(0x9F1A, [0x08, 0x40])).first)
        #expect(Array(set.bytes[10..<19]) == hex("04 00 0005 9F1A020840"))
        #expect(throws: ReaderError.self) { try dialect.setting(ReaderSetting(-1, [])) }
        #expect(throws: ReaderError.self) { try dialect.setting(ReaderSetting(1, [UInt8](repeating: 0, count: 256))) }
    }
}
