import Testing

@testable import JackdawCards

@Suite struct SwipedCardTests {
    private let first = "%B4111111111111111^DOE/JOHN^2512201000?"
    private let second = ";4111111111111111=2512201000?"
    private let third = ";014111111111111111==00000000000000000300000000000000" + "2512" + "0===1=0?"

    @Test func combinesTheTracks() throws {
        let card = SwipedCard([try recognise(first), try recognise(second), try recognise(third)])
        #expect(card.tracks.map(\.format) == [.iso7813Track1, .iso7813Track2, .iso4909Track3])
        #expect(card.pan?.revealed == "4111111111111111")
        #expect(card.name?.text.revealedText() == "DOE/JOHN")
        #expect(card.expiry?.text == "2512")
        #expect(card.serviceCode?.text == "201")
        #expect(card.brand == .visa)
        #expect(card.conflicts.isEmpty)
    }

    @Test func oneTrackIsEnough() throws {
        #expect(SwipedCard([try recognise(first)]).pan?.masked == "411111******1111")
        #expect(SwipedCard([try recognise(third)]).pan?.masked == "411111******1111")
        #expect(SwipedCard([try recognise(";1234?")]).pan == nil)
        #expect(SwipedCard([try recognise(";1234?")]).brand == .unknown)
        #expect(SwipedCard([]).pan == nil)
        #expect(SwipedCard([]).conflicts.isEmpty)
    }

    @Test func prefersTrack2AndFillsUpFromOthers() throws {
        let other = try recognise("%B5555555555554444^DOE/JOHN^2601^?")
        let card = SwipedCard([other, try recognise(";4111111111111111==201?")])
        #expect(card.pan?.revealed == "4111111111111111")
        #expect(card.expiry?.text == "2601")
        #expect(card.serviceCode?.text == "201")
        #expect(card.name?.text.revealedText() == "DOE/JOHN")
    }

    @Test func reportsConflicts() throws {
        let card = SwipedCard([
            try recognise(first), try recognise(";5555555555554444=2601101?"), try recognise(third),
        ])
        #expect(
            card.conflicts == [
                .init(field: .accountNumber, formats: [.iso7813Track1, .iso7813Track2, .iso4909Track3]),
                .init(field: .expiry, formats: [.iso7813Track1, .iso7813Track2, .iso4909Track3]),
                .init(field: .serviceCode, formats: [.iso7813Track1, .iso7813Track2]),
            ])
        #expect(
            card.conflicts.first?.description
                == "different account number on iso7813-track1, iso7813-track2, iso4909-track3")
    }

    @Test func aMissingFieldIsNoConflict() throws {
        let card = SwipedCard([try recognise(first), try recognise(";4111111111111111===?")])
        #expect(card.conflicts.isEmpty)
    }

    @Test func aLicenceHasAHiddenNameAndNoAccount() throws {
        let card = SwipedCard([
            try recognise("%TXAUSTIN^DOE$JOHN^1 A ST^?"), try recognise(";63601538774194=150819810101?"),
        ])
        #expect(card.pan == nil)
        #expect(card.name?.masked == "********")
        #expect(card.expiry?.text == "1508")
        #expect(card.description == "aamva-track1 + aamva-track2")
    }
}
