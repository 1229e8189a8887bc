import JackdawReaders
import JackdawTestSupport
import Testing

/// What bursts of ID TECH's audio readers mean: settings and swipes as published, and what was reported of power.
@Suite struct UniMagDialectTests {
    private static func dialect(_ change: (inout ReaderProfile) -> Void = { _ in }) throws -> any ReaderDialect {
        let family = try #require(ReaderFamily.named("unimag"))
        var profile = family.profile
        change(&profile)
        return try family.makeDialect(profile)
    }

    private static func meanings(_ burst: [UInt8], answering request: ReaderRequest? = nil) throws -> [String] {
        var dialect = try dialect()
        return words(dialect.understand(burst.span, answering: request))
    }

    private static let software = ReaderRequest("software", hex("0252220371"))

    @Test(arguments: ["SPPMSR", "xxSPPMSRxx", "ID TECH UNIMAG"])
    func aReaderThatHasPowerIsKnownByAPartOfItsText(text: String) throws {
        #expect(try Self.meanings(Array(text.utf8)) == ["powered up"])
    }

    /// A name on a card has the letters of a text, and is none.
    @Test func aSwipeWithTheLettersOfTheTextIsASwipe() throws {
        var body = Array("%B4111111111111111^DAVID/SPPMSR^2812101?".utf8)
        body = [0x80, 0x09, UInt8(body.count), 0, 0, 0x01, 0] + body
        let lrc = body.reduce(0, ^)
        let sum = body.reduce(0, &+)
        let frame = [0x02, UInt8(body.count), 0] + body + [lrc, sum, 0x03]
        #expect(try Self.meanings(frame) == ["swipe: unimag 411111******1111"])
        // A damaged swipe is not a power-up either: the user must swipe again.
        var damaged = frame
        damaged[20] ^= 1
        #expect(try Self.meanings(damaged) == ["bad swipe: the frame of the swipe is damaged"])
    }

    /// As text it has no frame; names with the letters of a power-up text are names.
    @Test func aSwipeAsTextIsRead() throws {
        let tracks = Array("%B4111111111111111^DAVID/SPPMSR^2812101?;4111111111111111=2812101?".utf8)
        #expect(try Self.meanings([0x00] + tracks + [0x0D]) == ["swipe: unimag 411111******1111"])
        #expect(try Self.meanings([0x03] + tracks.suffix(26) + [0x0D]) == ["swipe: unimag 411111******1111"])
        // Without its end, with bytes between, or with flags that say that it is encrypted it is none, and no power-up.
        let damaged: [[UInt8]] = [[0x00] + tracks, [0x00] + tracks.dropLast(3) + [0x0D], [0x04] + tracks + [0x0D]]
        for burst in damaged {
            #expect(try Self.meanings(burst) == ["bad swipe: the frame of the swipe is damaged"])
        }
    }

    /// The silence before the tone is no time in which the reader has power.
    @Test func eachTryHasTheWholeToneThatIsReported() throws {
        let family = try #require(ReaderFamily.named("unimag"))
        let sound = try #require(try family.makeSound())
        #expect(try Self.dialect().times.powerUp == .milliseconds(2_600) + .seconds(sound.pause))
        #expect(try #require(ReaderFamily.named("idtech")).makeDialect().times.powerUp == .milliseconds(2_600))
    }

    @Test func aPublishedSwipeIsReadWithAndWithoutAByteOfFlags() throws {
        for flags in [[], [0x04]] as [[UInt8]] {
            #expect(
                try Self.meanings(flags + PublishedSwipes.enhanced)
                    == ["swipe: unimag 4266********9999, encrypted (tripleDES)"])
            // The original layout does not say how it is encrypted.
            #expect(
                try Self.meanings(flags + PublishedSwipes.original) == ["swipe: unimag 4266********9999, encrypted"])
        }
    }

    @Test func answersAreThoseOfIDTECH() throws {
        let version = hex("0602") + Array("V1".utf8) + hex("03")
        let answer = version + [version.dropFirst().reduce(0, ^)]
        #expect(try Self.meanings(answer, answering: Self.software) == ["done: firmware V1"])
        #expect(try Self.meanings([0x15], answering: Self.software) == ["refused: NAK"])
        #expect(try Self.meanings([0x15, 0x41], answering: Self.software) == ["unknown: notAFrame 2"])
        #expect(try Self.meanings([0x41], answering: Self.software) == ["unknown: notAFrame 1"])
    }

    @Test func aReaderThatTakesNoCommandsIsAskedNothing() throws {
        let dialect = try Self.dialect {
            $0[.takesCommands] = ProfileEntry("", .flag(false), .inferred, "a reader of 2010")
        }
        #expect(dialect.identification.isEmpty)
        #expect(throws: ReaderError.self) { try dialect.asking(.firmware) }
        #expect(try Self.dialect().identification.map(\.bytes) == [hex("0252220371"), hex("02524E031D")])
    }

    @Test func aProfileThatCannotBeIsRefused() throws {
        let family = try #require(ReaderFamily.named("unimag"))
        for (key, value) in [
            (ProfileKey.lineMode, ProfileValue.text("v21")), (.soundLevel, .number(3)), (.connectingTone, .number(0)),
            (.powerPause, .number(-1)),
        ] {
            var profile = family.profile
            profile[key] = ProfileEntry("", value, .inferred, "a mistake")
            #expect(throws: ReaderError.self) { try family.makeSound(profile) }
        }
        #expect(try ReaderFamily.named("miura")?.makeSound() == nil)
    }
}
