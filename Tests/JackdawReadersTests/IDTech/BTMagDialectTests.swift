import JackdawReaders
import JackdawTestSupport
import Testing

/// Requests to a BTMag, and the meanings of its frames: swipes as published of readers with the same layouts.
@Suite struct BTMagDialectTests {
    private static func dialect(_ values: [ProfileKey: ProfileValue] = [:]) throws -> any ReaderDialect {
        let family = try #require(ReaderFamily.named("btmag"))
        var profile = family.profile
        for (key, value) in values { profile[key] = ProfileEntry("", value, .reported, "a test") }
        return try family.makeDialect(profile)
    }

    private static let readingOn = Array("on".utf8)
    private static let readingOff = Array("off".utf8)

    @Test func publishedSwipesAreRead() throws {
        var dialect = try Self.dialect()
        for (swipe, words) in [
            (PublishedSwipes.enhanced, "swipe: btmag 4266********9999, encrypted (tripleDES)"),
            (PublishedSwipes.original, "swipe: btmag 4266********9999, encrypted"),
        ] {
            let format = dialect.format(awaiting: nil)
            #expect(format.measure(swipe.span) == .whole(swipe.count))
            #expect(JackdawReadersTests.words(dialect.understand(swipe.span, answering: nil)) == [words])
        }
    }

    /// What the maker's SDK sends is framed so, by its documentation.
    @Test func everythingThatIsSentIsInTheFrameOfTheSDK() throws {
        let dialect = try Self.dialect([
            .readingOn: .bytes(Self.readingOn), .readingOff: .bytes(Self.readingOff),
        ])
        let requests = try [
            dialect.identification, dialect.asking(.settings), dialect.setting(ReaderSetting(0x49, [6])),
            dialect.arming(for: .seconds(20)), dialect.disarming(after: .cancelled),
        ].flatMap(\.self)
        #expect(requests.count == 6)
        for request in requests { #expect(throws: Never.self) { try BTMagFormat().check(request.bytes) } }
    }

    @Test func theReaderIsAlwaysArmedUnlessAProfileHasACommandForIt() throws {
        let usual = try Self.dialect()
        #expect(usual.isAlwaysArmed)
        #expect(try usual.arming(for: .seconds(20)).isEmpty)
        #expect(DisarmReason.allCases.allSatisfy { usual.disarming(after: $0).isEmpty })
        let reported = try Self.dialect([.readingOn: .bytes(Self.readingOn), .readingOff: .bytes(Self.readingOff)])
        #expect(!reported.isAlwaysArmed)
        // 02 "on" 03 and the exclusive or of these: 6F ^ 6E ^ 01.
        #expect(try reported.arming(for: .seconds(20)).map(\.bytes) == [hex("02 6F6E 03 00")])
        #expect(reported.disarming(after: .timedOut).map(\.bytes) == [hex("02 6F6666 03 6E")])
    }

    @Test func theCommandsForReadingAreAnswered() throws {
        var dialect = try Self.dialect([.readingOn: .bytes(Self.readingOn)])
        let request = try #require(try dialect.arming(for: .seconds(20)).first)
        #expect(request.isAnswered)
        #expect(words(dialect.understand([0x06].span, answering: request)) == ["done"])
        #expect(words(dialect.understand([0x15].span, answering: request)) == ["refused: NAK"])
    }

    @Test func aReaderThatTakesNoCommandsIsAskedNothing() throws {
        let dialect = try Self.dialect([.takesCommands: .flag(false)])
        #expect(dialect.identification.isEmpty)
        #expect(throws: ReaderError.self) { try dialect.asking(.firmware) }
        #expect(throws: ReaderError.self) { try dialect.setting(ReaderSetting(0x49, [6])) }
        #expect(try Self.dialect().identification.map(\.bytes) == [hex("0252220371"), hex("02524E031D")])
    }

    @Test func aProfileThatCannotBeIsRefused() throws {
        for (key, value) in [
            (ProfileKey.readingOn, ProfileValue.bytes([UInt8](repeating: 1, count: 256))), (.readingOff, .number(3)),
            (.takesCommands, .text("yes")),
        ] {
            #expect(throws: ReaderError.self) { try Self.dialect([key: value]) }
        }
    }

    /// The end of such a swipe is not published: it is dropped, and no event has card data.
    @Test func aSwipeInPlainTextIsDroppedAndReported() throws {
        var driver = ReaderDriver(try Self.dialect([.takesCommands: .flag(false)]))
        _ = driver.perform(.connect, at: .zero)
        _ = driver.perform(.requestSwipe(within: .seconds(20)), at: .zero)
        #expect(driver.state == .armed)
        let tracks = Array("%B4111111111111111^DOE/JANE^2812101?\r;4111111111111111=2812101?\r".utf8)
        let outputs = driver.receive(tracks.span, at: .seconds(1)) + driver.advance(to: .seconds(2))
        let events = outputs.map { "\($0)" }
        #expect(events.count == 1)
        #expect(events.allSatisfy { $0.contains("dropped") })
        #expect(events.allSatisfy { !$0.contains("4111111111111111") && !$0.contains("DOE") })
        #expect(driver.state == .armed)
    }
}
