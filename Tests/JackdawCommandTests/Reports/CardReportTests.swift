import JackdawCards
import JackdawReaders
import JackdawTransport
import Testing

@testable import JackdawCryptography
@testable import JackdawDSP
@testable import JackdawSwipe
@testable import jackdaw_cli

/// The same card from each source has the same fields.
@Suite struct CardReportTests {
    private static let number = "4111111111111111"
    private static let track1 = "%B4111111111111111^DOE/JANE^29121010000000000000?"
    private static let track2 = ";4111111111111111=29121010000000000?"
    private static let time = Duration.milliseconds(250)
    /// The fields of a card in JSON.
    private static let fields: Set = [
        "masked", "pan", "name", "expiry", "service_code", "brand", "source", "tracks", "time",
    ]

    /// An event of each source, with the same tracks in clear: a magnetic head, readers, a decrypted swipe, and tracks
    /// without any of these.
    private static let events: [CardEvent] = {
        let received = swipe((.track(1), track1), (.track(2), track2))
        return [
            CardEvent(headCard(track1, track2), time: time), CardEvent(received, source: .audioReader, time: time),
            CardEvent(received, source: .bluetoothReader, time: time),
            CardEvent(decryptedSwipe(track1, track2), time: time),
            CardEvent([text(1, track1), text(2, track2)], source: .reader, time: time),
        ]
    }()

    private static func text(_ number: Int, _ track: String) -> CardEvent.TrackText {
        CardEvent.TrackText(number, Array(track.utf8).span)
    }

    /// Track 1 and track 2 as a head reads them.
    private static func headCard(_ track1: String, _ track2: String) -> HeadCard {
        let span = SwipeSpan(startSample: 0, endSample: 10, sampleRate: 48_000)
        let tracks: [(String, TrackNumber, CharacterCode)] = [
            (track1, .one, .alphanumeric), (track2, .two, .numeric),
        ]
        return HeadCard(
            tracks.map { text, number, code in
                let decoded = DecodedTrack(
                    track: number, code: code, swipe: 0, direction: .forward, span: span,
                    characters: WipedArray(Array(text.utf8)), parity: .ok, lrc: .ok, repairedCharacters: [],
                    confidence: 1, speed: SpeedProfile(mean: 10, slowest: 10, fastest: 10), tier: .fast,
                    cellBoundaries: [])
                return HeadTrack(decoded, channel: number.rawValue - 1)
            }, span: span)
    }

    /// Track 1 and track 2 as a decryptor returns them.
    private static func decryptedSwipe(_ track1: String, _ track2: String) -> DecryptedSwipe {
        let tracks = [(1, track1), (2, track2)].map { number, text in
            DecryptedTrack(
                number: number, text: SecretText(copying: Array(text.utf8).span), redundancyCheck: nil,
                isHashChecked: true)
        }
        return DecryptedSwipe(tracks, keySerialNumber: nil)
    }

    private static func swipe(
        _ parts: (ReaderSwipe.Part, String)..., cipher: ReaderSwipe.Cipher? = nil
    ) -> ReaderSwipe {
        var builder = ReaderSwipe.Builder()
        for (part, text) in parts { builder.add(part, Array(text.utf8).span) }
        return builder.finish(family: "test", cipher: cipher)
    }

    @Test(arguments: [false, true]) func eachSourceHasTheSameFields(isRevealed: Bool) throws {
        let texts = Self.events.map { event in
            let report = CardReport(event: event, isRevealed: isRevealed)
            var object = JSONObject()
            report.add(to: &object)
            report.addTime(to: &object)
            return object.text
        }
        let withoutSources = zip(texts, Self.events).map { text, event in
            text.replacing(#""source":"\#(event.source.rawValue)""#, with: "")
        }
        #expect(Set(withoutSources).count == 1, "\(withoutSources)")
        for (text, event) in zip(texts, Self.events) {
            let object = try jsonObject(text)
            #expect(Set(object.keys) == Self.fields)
            #expect(object["time"] as? String == "1970-01-01T00:00:00.250Z")
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
            #expect((tracks[0]["text"] as? String == Self.track1) == isRevealed)
            #expect((tracks[1]["text"] as? String == Self.track2) == isRevealed)
        }
    }

    @Test(arguments: [false, true]) func eachSourceHasTheSameText(isRevealed: Bool) {
        let reports = Self.events.map { CardReport(event: $0, isRevealed: isRevealed) }
        #expect(Set(reports.map { $0.trackLines + $0.warnings }).count == 1)
        for report in reports {
            let source = report.event.source.rawValue
            let (number, name) = isRevealed ? (Self.number, "DOE/JANE") : ("411111******1111", "***/****")
            #expect(
                report.facts == "\(number), visa, \(name), expires 12/29, service code 101, source \(source), "
                    + "time 1970-01-01T00:00:00.250Z")
            #expect(report.trackLines.count == 2)
            #expect(report.trackLines[1].contains(Self.track2) == isRevealed)
        }
    }

    /// A track of a head, a swipe of a reader on each kind of link, and a decrypted swipe, as the verbs print them.
    @Test(arguments: [false, true]) func theVerbsPrintTheFields(isRevealed: Bool) throws {
        let track = Self.headCard(Self.track1, Self.track2).tracks[1]
        let sound = TrackReport(track, file: "a.wav", isRevealed: isRevealed, time: Self.time)
        let decrypted = DecryptedSwipeReport(
            Self.decryptedSwipe(Self.track1, Self.track2), usesPublishedTestKey: true, isRevealed: isRevealed)
        let links: [(LinkName, String)] = [
            (LinkName(.alsa, "hw:1"), "audio_reader"), (LinkName(.rfcomm, "AA:BB:CC:DD:EE:FF/1"), "bluetooth_reader"),
            (LinkName(.ble, "AA:BB:CC:DD:EE:FF"), "bluetooth_reader"), (LinkName(.tcp, "h:1"), "reader"),
            (LinkName(recording: LinkName(.ble, "AA:BB:CC:DD:EE:FF"), in: "s.txt"), "bluetooth_reader"),
        ]
        let swipe = ReaderEvent.swipe(Self.swipe((.track(2), Self.track2)))
        let reports = links.map { link, source in
            (ReaderEventReport(link: link, event: swipe, time: Self.time, isRevealed: isRevealed).json.text, source)
        }
        let others = [
            (sound.json.text, "sound"), (decrypted.event(LinkName(.tcp, "h:1")).text, "decrypted_swipe"),
        ]
        for (text, source) in reports + others {
            let object = try jsonObject(text)
            // The output adds the time of a reader's event.
            #expect(Self.fields.subtracting(["time"]).isSubset(of: object.keys))
            #expect(object["source"] as? String == source)
            #expect(object["brand"] as? String == "visa")
            #expect(object["expiry"] as? String == "2912")
            #expect(object["pan"] as? String == (isRevealed ? Self.number : "411111******1111"))
            #expect(text.contains(Self.number) == isRevealed)
        }
        #expect(try jsonObject(sound.json.text)["time"] as? String == "1970-01-01T00:00:00.250Z")
    }

    /// A swipe that the reader has masked and encrypted has the fields that show, and no more with `--reveal`.
    @Test func aMaskedSwipeHasTheFieldsThatShow() throws {
        let swipe = Self.swipe(
            (.maskedTrack(1), "%*4111********1111^DOE/JANE^2912101*************?*"),
            (.maskedTrack(2), ";411111******1111=2912101**********?*"), (.encryptedTrack(1), "01234567"),
            (.encryptedTrack(2), "01234567"), cipher: .tripleDES)
        for isRevealed in [false, true] {
            let report = ReaderEventReport(
                link: LinkName(.tcp, "h:1"), event: .swipe(swipe), time: Self.time, isRevealed: isRevealed)
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
        let report = ReaderEventReport(
            link: LinkName(.tcp, "h:1"), event: .swipe(swipe), time: Self.time, isRevealed: false)
        let object = try jsonObject(report.json.text)
        #expect(object["pan"] as? String == "")
        let tracks = try #require(object["tracks"] as? [[String: Any]])
        #expect(tracks.map { $0["form"] as? String } == ["encrypted"])
        #expect(report.lines.last == "  tracks   encrypted")
    }

    /// Some readers send the check character (LRC) after the track.
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
        #expect(report.facts == "411111******1111, visa, ***/****, expires 12/29, source audio_reader")
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

    // MARK: Secrets

    private static let data = "7318046"
    /// Tracks 1 and 2 with the issuer's data, and text with the same secrets that does not have the form of a track.
    private static let secretTracks = [
        ("%B\(number)^DOE/JANE^2912101\(data)?", ";\(number)=2912101\(data)?"),
        ("DOE/JANE \(number)", "\(data) \(number)"),
    ]

    /// Expects that no text has the number, the name or the issuer's data.
    private static func expectNoSecrets(in texts: [String]) {
        #expect(!texts.isEmpty)
        for secret in [number, "DOE", "JANE", data] {
            #expect(texts.allSatisfy { !$0.contains(secret) }, "\(texts)")
        }
    }

    @Test(arguments: secretTracks) func aSwipeOfAHeadIsMasked(track1: String, track2: String) {
        let card = Self.headCard(track1, track2)
        let objects = card.tracks.compactMap { track in
            LiveEvent(.track(track), time: Self.time, link: "alsa:hw:1", isRevealed: false).json?.text
        }
        #expect(objects.count == 2)
        Self.expectNoSecrets(in: CardPrinter.lines(card, file: "a.wav", isRevealed: false) + objects)
    }

    /// Readers send tracks in clear and masked, on each kind of link.
    @Test(arguments: secretTracks) func aSwipeOfAReaderIsMasked(track1: String, track2: String) {
        let swipes = [
            Self.swipe((.track(1), track1), (.track(2), track2), (.frame, track2), (.cardholderName, "DOE/JANE")),
            Self.swipe((.maskedTrack(1), track1), (.maskedTrack(2), track2)),
        ]
        let links = [
            LinkName(.alsa, "hw:1"), LinkName(.rfcomm, "AA:BB:CC:DD:EE:FF/1"), LinkName(.ble, "AA:BB:CC:DD:EE:FF"),
            LinkName(.tcp, "h:1"),
        ]
        for swipe in swipes {
            for link in links {
                let report = ReaderEventReport(link: link, event: .swipe(swipe), time: Self.time, isRevealed: false)
                Self.expectNoSecrets(in: report.lines + [report.json.text])
            }
        }
    }

    @Test(arguments: secretTracks) func aDecryptedSwipeIsMasked(track1: String, track2: String) {
        let report = DecryptedSwipeReport(
            Self.decryptedSwipe(track1, track2), usesPublishedTestKey: true, isRevealed: false, time: Self.time)
        let link = LinkName(.tcp, "h:1")
        let objects = report.json + [report.event(link)]
        #expect(objects.count == 3)
        Self.expectNoSecrets(in: report.lines(link) + objects.map(\.text))
    }

    @Test(arguments: secretTracks) func plainTracksAreMasked(track1: String, track2: String) {
        let event = CardEvent([Self.text(1, track1), Self.text(2, track2)], source: .reader, time: Self.time)
        let report = CardReport(event: event, isRevealed: false)
        var object = JSONObject()
        report.add(to: &object)
        Self.expectNoSecrets(in: [report.factsLine] + report.trackLines + report.warnings + [object.text])
    }
}
