import JackdawCards
import JackdawReaders
import JackdawTransport
import Testing

@testable import JackdawDSP
@testable import JackdawSwipe
@testable import jackdaw_cli

/// The same card from each source has the same fields.
@Suite struct CardReportTests {
    private static let number = "4111111111111111"
    private static let track1 = "%B4111111111111111^DOE/JANE^29121010000000000000?"
    private static let track2 = ";4111111111111111=29121010000000000?"
    /// The fields of a card in JSON, except the time.
    private static let fields: Set = [
        "masked", "pan", "name", "expiry", "service_code", "brand", "source", "tracks",
    ]

    private static func text(_ number: Int, _ track: String) -> CardEvent.TrackText {
        CardEvent.TrackText(number, Array(track.utf8).span)
    }

    /// An event of each source, with the same tracks in clear.
    private static let events: [CardEvent] = {
        let sources: [CardEvent.Source] = [.sound, .audioReader, .bluetoothReader, .decryptedSwipe]
        return sources.map { CardEvent([text(1, track1), text(2, track2)], source: $0) }
    }()

    private static func swipe(
        _ parts: (ReaderSwipe.Part, String)..., cipher: ReaderSwipe.Cipher? = nil
    ) -> ReaderSwipe {
        var builder = ReaderSwipe.Builder()
        for (part, text) in parts { builder.add(part, Array(text.utf8).span) }
        return builder.finish(family: "test", cipher: cipher)
    }

    @Test(arguments: [false, true]) func eachSourceHasTheSameFields(isRevealed: Bool) throws {
        let objects = try Self.events.map { event in
            var object = JSONObject()
            CardReport(event: event, isRevealed: isRevealed).add(to: &object)
            return try jsonObject(object.text)
        }
        for (object, event) in zip(objects, Self.events) {
            #expect(Set(object.keys) == Self.fields)
            #expect(object["masked"] as? Bool == !isRevealed)
            #expect(object["pan"] as? String == (isRevealed ? Self.number : "411111******1111"))
            #expect(object["name"] as? String == (isRevealed ? "DOE/JANE" : "***/****"))
            #expect(object["expiry"] as? String == "2912")
            #expect(object["service_code"] as? String == "101")
            #expect(object["brand"] as? String == "visa")
            #expect(object["source"] as? String == event.source.rawValue)
            let tracks = try #require(object["tracks"] as? [[String: Any]])
            #expect(tracks.map { $0["track"] as? Int } == [1, 2])
            #expect(tracks.map { $0["form"] as? String } == ["clear", "clear"])
            #expect(tracks.map { $0["format"] as? String } == ["iso7813-track1", "iso7813-track2"])
            #expect((tracks[1]["text"] as? String == Self.track2) == isRevealed)
        }
    }

    @Test(arguments: [false, true]) func eachSourceHasTheSameText(isRevealed: Bool) {
        for event in Self.events {
            let report = CardReport(event: event, isRevealed: isRevealed)
            let (number, name) = isRevealed ? (Self.number, "DOE/JANE") : ("411111******1111", "***/****")
            #expect(report.facts == "\(number), visa, \(name), expires 12/29, service code 101")
            #expect(report.trackLines.count == 2)
            #expect(report.trackLines[1].contains(Self.track2) == isRevealed)
        }
    }

    /// The sound of a head, and what the reader on each kind of link sends, as the verbs print them.
    @Test(arguments: [false, true]) func theVerbsPrintTheFields(isRevealed: Bool) throws {
        let decoded = DecodedTrack(
            track: .two, code: .numeric, swipe: 0, direction: .forward,
            span: SwipeSpan(startSample: 0, endSample: 10, sampleRate: 48_000),
            characters: WipedArray(Array(Self.track2.utf8)), parity: .ok, lrc: .ok, repairedCharacters: [],
            confidence: 1, speed: SpeedProfile(mean: 10, slowest: 10, fastest: 10), tier: .fast, cellBoundaries: [])
        let sound = TrackReport(
            HeadTrack(decoded, channel: 0), file: "a.wav", isRevealed: isRevealed, time: .milliseconds(250))
        let links: [(LinkName, String)] = [
            (LinkName(.alsa, "hw:1"), "audio_reader"), (LinkName(.rfcomm, "AA:BB:CC:DD:EE:FF/1"), "bluetooth_reader"),
            (LinkName(.ble, "AA:BB:CC:DD:EE:FF"), "bluetooth_reader"), (LinkName(.tcp, "h:1"), "reader"),
            (LinkName(recording: LinkName(.ble, "AA:BB:CC:DD:EE:FF"), in: "s.txt"), "bluetooth_reader"),
        ]
        let swipe = ReaderEvent.swipe(Self.swipe((.track(2), Self.track2)))
        let reports = links.map { link, source in
            (ReaderEventReport(link: link, event: swipe, isRevealed: isRevealed).json.text, source)
        }
        for (text, source) in reports + [(sound.json.text, "sound")] {
            let object = try jsonObject(text)
            #expect(Self.fields.isSubset(of: object.keys))
            #expect(object["source"] as? String == source)
            #expect(object["brand"] as? String == "visa")
            #expect(object["expiry"] as? String == "2912")
            #expect(object["pan"] as? String == (isRevealed ? Self.number : "411111******1111"))
            #expect(text.contains(Self.number) == isRevealed)
        }
        #expect(try jsonObject(sound.json.text)["time"] as? String == "1970-01-01T00:00:00.250Z")
    }

    /// Of a swipe that the reader has masked and encrypted, all that shows; no more with `--reveal`.
    @Test func aMaskedSwipeHasTheFieldsThatShow() throws {
        let swipe = Self.swipe(
            (.maskedTrack(1), "%*4111********1111^DOE/JANE^2912101*************?*"),
            (.maskedTrack(2), ";411111******1111=2912101**********?*"), (.encryptedTrack(1), "01234567"),
            (.encryptedTrack(2), "01234567"), cipher: .tripleDES)
        for isRevealed in [false, true] {
            let report = ReaderEventReport(
                link: LinkName(.tcp, "h:1"), event: .swipe(swipe), isRevealed: isRevealed)
            let object = try jsonObject(report.json.text)
            #expect(object["pan"] as? String == "411111******1111")
            #expect(object["name"] as? String == (isRevealed ? "DOE/JANE" : "***/****"))
            #expect(object["expiry"] as? String == "2912")
            #expect(object["brand"] as? String == "visa")
            let tracks = try #require(object["tracks"] as? [[String: Any]])
            #expect(tracks.map { $0["form"] as? String } == ["masked", "masked"])
            let text = report.lines.joined(separator: "\n") + report.json.text
            #expect(text.contains("JANE") == isRevealed)
        }
    }

    @Test func tracksThatAreEncryptedTogetherAreOne() throws {
        let swipe = Self.swipe((.encryptedTracks, "01234567"), cipher: .tripleDES)
        let report = ReaderEventReport(link: LinkName(.tcp, "h:1"), event: .swipe(swipe), isRevealed: false)
        let object = try jsonObject(report.json.text)
        #expect(object["pan"] as? String == "")
        let tracks = try #require(object["tracks"] as? [[String: Any]])
        #expect(tracks.map { $0["form"] as? String } == ["encrypted"])
        #expect(report.lines.last == "  tracks   encrypted")
    }

    /// A reader that sends the check character after the track.
    @Test func theCheckCharacterIsNoPartOfATrack() {
        let event = CardEvent(Self.swipe((.track(2), Self.track2 + "9")), source: .reader)
        #expect(CardReport(event: event, isRevealed: true).pan == Self.number)
        #expect(event.expiry?.text == "2912")
    }

    /// IPS's readers send fields beside the tracks.
    @Test func fieldsBesideTheTracksAreFields() {
        let (expiry, block): ([UInt8], [UInt8]) = ([0x29, 0x12], [1, 2, 3, 4])
        var builder = ReaderSwipe.Builder()
        builder.add(.maskedNumber, Array("411111******1111".utf8).span)
        builder.add(.cardholderName, Array("DOE/JANE      ".utf8).span)
        builder.add(.expiry, expiry.span)
        builder.add(.encryptedTracks, block.span)
        let event = CardEvent(builder.finish(family: "test", cipher: .tripleDESBlocks), source: .audioReader)
        let report = CardReport(event: event, isRevealed: false)
        #expect(report.facts == "411111******1111, visa, ***/****, expires 12/29")
        #expect(CardReport(event: event, isRevealed: true).name == "DOE/JANE")
    }

    /// IPS's readers pack tracks in clear: four bits a character of track 2, end sentinels after it.
    @Test func packedTracksAreUnpacked() {
        let digits = Self.track2.utf8.map { $0 - 0x30 } + [UInt8](repeating: 15, count: 40 - Self.track2.utf8.count)
        let track2 = stride(from: 0, to: 40, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        let packed = track2 + [UInt8](repeating: 0xFF, count: 60)
        var builder = ReaderSwipe.Builder()
        builder.add(.packedTracks, packed.span)
        let event = CardEvent(builder.finish(family: "test", cipher: nil), source: .audioReader)
        #expect(event.tracks.map(\.number) == [2])
        let report = CardReport(event: event, isRevealed: true)
        #expect(report.pan == Self.number)
        #expect(report.trackLines == ["  track 2  \(Self.track2)"])
    }

    /// No output without `--reveal` has the number, the name or the issuer's data, whatever the source and the form.
    @Test func nothingLeaks() {
        let data = "7318046"
        let tracks = ["%B\(Self.number)^DOE/JANE^2912101\(data)?", ";\(Self.number)=2912101\(data)?"]
        let swipes = [
            Self.swipe((.track(1), tracks[0]), (.track(2), tracks[1]), (.frame, tracks[1])),
            Self.swipe((.maskedTrack(1), tracks[0]), (.maskedTrack(2), tracks[1])),
            Self.swipe((.track(1), "DOE/JANE \(Self.number)"), (.cardholderName, "DOE/JANE")),
        ]
        for swipe in swipes {
            let report = ReaderEventReport(
                link: LinkName(.tcp, "h:1"), event: .swipe(swipe), isRevealed: false)
            for secret in [Self.number, "DOE", "JANE", data] {
                #expect(!report.lines.joined(separator: "\n").contains(secret))
                #expect(!report.json.text.contains(secret))
            }
        }
    }
}
