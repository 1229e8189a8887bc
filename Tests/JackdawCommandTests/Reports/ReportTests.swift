import Testing

@testable import JackdawDSP
@testable import JackdawSwipe
@testable import jackdaw_cli

@Suite struct TrackReportTests {
    /// The names and the order of the fields are a contract with other programs.
    @Test func theObjectIsTheContract() {
        let report = TrackReport(decoded(trackTwo), file: "a.wav", channel: 1, isRevealed: false)
        #expect(
            report.json.text
                == #"{"file":"a.wav","channel":1,"swipe":3,"track":2,"direction":"reverse","start":0.5,"end":0.75,"#
                + #""text":";411111******1111=2912101**********?","masked":true,"parity":"repaired","lrc":"ok","#
                + #""repaired":1,"confidence":0.9877,"speed":14.99,"tier":"strong","pan":"411111******1111","#
                + #""name":null,"expiry":"2912","service_code":"101","format":"iso7813-track2","#
                + #""brand":"visa","source":"sound","tracks":[{"track":2,"form":"clear","#
                + #""text":";411111******1111=2912101**********?","format":"iso7813-track2"}],"time":null}"#)
    }

    @Test func revealedReportsShowEverything() throws {
        let text = "%B4111111111111111^DOE/JANE^29121010000000000000?"
        let report = TrackReport(
            decoded(text, code: .alphanumeric, track: .one), file: "a.wav", channel: 1, isRevealed: true)
        let object = try jsonObject(report.json.text)
        #expect(object["text"] as? String == text)
        #expect(object["pan"] as? String == "4111111111111111")
        #expect(object["name"] as? String == "DOE/JANE")
        #expect(object["masked"] as? Bool == false)
    }

    @Test func textOfNoKnownFormatHasNoAccountNumber() throws {
        let report = TrackReport(decoded(";1234567890123456?"), file: "a.wav", channel: 1, isRevealed: false)
        let object = try jsonObject(report.json.text)
        #expect(object["pan"] as? String == "")
        #expect(object["format"] as? String == "unknown")
        #expect(object["text"] as? String == ";****************?")
    }

    /// Text that does not have the form of a track is masked, too.
    @Test func textThatIsNoTrackIsMasked() {
        let long = ";" + String(repeating: "4111111111111111", count: 20) + "?"
        let report = TrackReport(decoded(long), file: "a.wav", channel: 1, isRevealed: false)
        #expect(!report.json.text.contains("4111"))
        #expect(!report.lines.joined().contains("4111"))
    }
}

@Suite struct FailureReportTests {
    private func failure(_ reason: SwipeFailure.Reason, bad: Int? = nil) -> SwipeFailure {
        SwipeFailure(
            reason: reason, swipe: 0, span: SwipeSpan(startSample: 4_410, endSample: 8_820, sampleRate: 44_100),
            code: .numeric, direction: .forward, partialCharacters: WipedArray(Array(";41\0".utf8)),
            firstBadCharacter: bad, bits: WipedArray([1, 0, 1]), cellBoundaries: [])
    }

    @Test func aFailureHasItsPlaceAndReason() {
        let report = FailureReport(file: "a.wav", channel: 2, failure: failure(.parity, bad: 3), showsBits: false)
        #expect(
            report.lines == ["a.wav: channel 2, swipe 1, 0.100 to 0.200 s: wrong character parity at character 4 of 4"])
        #expect(
            report.json.text
                == #"{"file":"a.wav","channel":2,"swipe":1,"failure":"parity","#
                + #""message":"wrong character parity at character 4 of 4","start":0.1,"end":0.2,"character":4}"#)
    }

    @Test func bitsShowOnlyWhenAskedFor() {
        let report = FailureReport(file: "a.wav", channel: 1, failure: failure(.lrc), showsBits: true)
        #expect(report.lines.dropFirst() == ["  bits     101", "  partial  ;41\u{B7}"])
        #expect(report.json.text.hasSuffix(#""bits":"101","partial":";41·"}"#))
    }
}

@Suite struct CardLinesTests {
    private func lines(_ texts: String...) -> [String] {
        var assembler = CardAssembler()
        for text in texts {
            let track = HeadTrack(decoded(text), channel: 0)
            let full = assembler.add(track)
            #expect(full.map(\.tracks.count) == nil)
        }
        return assembler.completeCards(at: nil, patience: 0).flatMap {
            CardPrinter.lines($0, file: "a.wav", isRevealed: false)
        }
    }

    @Test func theHeadingNamesTheCard() {
        let lines = lines(trackTwo)
        #expect(lines.first == "a.wav: 411111******1111, visa, expires 12/29, service code 101, source sound")
        #expect(lines.count == 3)
    }

    @Test func tracksThatDisagreeAreNamed() {
        let lines = lines(trackTwo, ";5555555555554444=29121010000000000?")
        #expect(lines.contains { $0.contains("different account number") })
    }
}

private let trackTwo = ";4111111111111111=29121010000000000?"

private func decoded(
    _ text: String, code: CharacterCode = .numeric, track: TrackNumber = .two,
    span: SwipeSpan = SwipeSpan(startSample: 24_000, endSample: 36_000, sampleRate: 48_000)
) -> DecodedTrack {
    DecodedTrack(
        track: track, code: code, swipe: 2, direction: .reverse, span: span,
        characters: WipedArray(Array(text.utf8)), parity: .repaired, lrc: .ok, repairedCharacters: [4],
        confidence: 0.98765, speed: SpeedProfile(mean: 14.987, slowest: 12, fastest: 17), tier: .strong,
        cellBoundaries: [])
}
