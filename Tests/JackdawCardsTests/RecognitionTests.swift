import Testing

@testable import JackdawCards

@Suite struct RecognitionTests {
    private static let ones = String(repeating: "1", count: 40)
    private static let texts: [(String, TrackFormat)] = [
        ("%B4111111111111111^DOE/JOHN^2512201?", .iso7813Track1),
        (";4111111111111111=2512201?", .iso7813Track2),
        (";01==00000000000000000300000000000000=0===1=0000000000?", .iso4909Track3),
        ("%A4111111111111111^DOE/JOHN^2512201?", .proprietary), ("%N1?", .proprietary), ("%ZZ TOP?", .proprietary),
        ("%M1?", .unknown), ("%C1?", .unknown), ("%1?", .unknown), ("%?", .unknown), (";?", .unknown),
        ("%B?", .unknown),
        (";1234?", .unknown), (";4111111111111111?", .unknown), ("%4111111111111111?", .unknown),
        ("%B4111111111111111^DOE/JOHN?", .unknown),
        (";90\(ones)?", .proprietary),
        (";89\(ones)?", .unknown),
        (";9:\(ones)?", .unknown), (";90111?", .unknown),
        // Begins with an issuer of licences, is none, is a payment track.
        (";6360000000000004=2512201?", .iso7813Track2),
    ]

    @Test(arguments: texts)
    func recognises(_ text: String, _ format: TrackFormat) throws {
        let track = try recognise(text)
        #expect(track.format == format)
        #expect(track.revealed == text)
        #expect(track.maskedText.count == text.count)
        #expect(track.maskedText.first == text.first)
        #expect(track.maskedText.last == "?")
    }

    @Test func saysWhyATrackIsUnknown() throws {
        func mismatch(_ text: String) throws -> CardDataError? {
            guard case .unknown(let track) = try recognise(text) else { return nil }
            return track.mismatch
        }
        #expect(try mismatch(";4111111111111111=2513201?")?.offset == 20)
        #expect(try mismatch("%B4111111111111111^DOE/JOHN?")?.offset == 27)
        #expect(try mismatch(";01==00000000000000000300000000000000=0===1?" + "") != nil)
        #expect(try parse(";1?", as: UnknownTrack.self).mismatch == nil)
    }

    @Test func dividesUnknownTracks() throws {
        let track = try parse(";12=3==4?", as: UnknownTrack.self)
        #expect(track.fields.map { $0.revealedText() } == ["12", "3", "", "4"])
        #expect(try parse("%A=1^B?", as: UnknownTrack.self).fields.map { $0.revealedText() } == ["A=1", "B"])
        #expect(try parse("%?", as: UnknownTrack.self).fields.map(\.count) == [0])
    }

    @Test(arguments: [
        Fault("", .length, 0), Fault("?", .startSentinel, 0), Fault("4111111111111111", .startSentinel, 0),
        Fault("%ABC", .endSentinel, 4), Fault(";12?4?", .endSentinel, 4), Fault(";12A?", .character, 3),
        Fault("%a?", .character, 1), Fault("%é?", .character, 1),
        Fault("%" + String(repeating: "A", count: 80) + "?", .length, 81),
        Fault(";" + String(repeating: "1", count: 105) + "?", .length, 106),
    ])
    func needsTwoSentinelsAndTheCharactersOfATrack(_ fault: Fault) { fault.check(as: Track.self) }

    @Test func errorsHavePlaceAndExpectation() throws {
        let error = #expect(throws: CardDataError.self) { try parse(";4111111111111111=2513201?", as: Track2.self) }
        #expect(error?.description == "expected a month, 01 to 12 at character 21")
        #expect(error?.code.name == "field")
    }

    @Test func formatNamesAreStable() {
        #expect(
            TrackFormat.allCases.map(\.rawValue) == [
                "iso7813-track1", "iso7813-track2", "iso4909-track3", "aamva-track1", "aamva-track2", "aamva-track3",
                "proprietary", "unknown",
            ])
    }

    @Test func roundTripsOfRandomCards() throws {
        var generator = CardGenerator(seed: 7813)
        for _ in 0..<2_000 {
            let card = RandomCard(from: &generator)
            let first = try parse(card.track1, as: Track1.self)
            let second = try parse(card.track2, as: Track2.self)
            #expect(first.revealed == card.track1)
            #expect(second.revealed == card.track2)
            #expect(first.pan?.revealed == card.pan)
            #expect(second.pan == first.pan)
            #expect(first.pan?.isLuhnValid == true)
            #expect(first.name?.text.revealedText() == card.name)
            #expect(first.expiry?.text ?? "" == card.expiry)
            #expect(second.expiry == first.expiry)
            #expect(first.serviceCode?.text ?? "" == card.serviceCode)
            #expect(second.serviceCode == first.serviceCode)
            #expect(first.discretionaryData.revealedText() == card.discretionary1)
            #expect(second.discretionaryData.revealedText() == card.discretionary2)
            #expect(try recognise(card.track1).format == .iso7813Track1)
            #expect(try recognise(card.track2).format == .iso7813Track2)
        }
    }
}
