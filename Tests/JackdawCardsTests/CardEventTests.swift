import JackdawTestSupport
import Testing

@testable import JackdawCards

@Suite struct CardEventTests {
    private typealias Text = CardEvent.TrackText

    private static let pan = "9999990123456788"
    private static let track1 = "%B\(pan)^QUENTIN/ANN^25122017318046?"
    private static let track2 = ";\(pan)=25122017318046?"

    private func clear(_ number: Int, _ text: String) -> Text { Text(number, ascii(text).span) }
    private func masked(_ number: Int, _ text: String) -> Text { Text(masked: number, ascii(text).span) }

    @Test func tracksInClearGiveAllFields() {
        let event = CardEvent(
            [clear(1, "%B4111111111111111^DOE/JANE^2912101000?"), clear(2, ";4111111111111111=2912101000?")],
            source: .sound, time: .seconds(5))
        #expect(event.pan?.revealed == "4111111111111111")
        #expect(event.maskedNumber == "411111******1111")
        #expect(event.brand == .visa)
        #expect(event.name?.text.revealedText() == "DOE/JANE")
        #expect(event.expiry?.text == "2912")
        #expect(event.serviceCode?.text == "101")
        #expect(event.tracks.map(\.number) == [1, 2])
        #expect(event.tracks.map(\.form) == [.clear, .clear])
        #expect(event.time == .seconds(5))
        #expect(event.source == .sound)
        #expect(event.conflicts.isEmpty)
    }

    @Test func tracksThatDisagreeAreReported() {
        let event = CardEvent(
            [clear(1, "%B4111111111111111^DOE/JANE^2912101000?"), clear(2, ";5555555555554444=2912101000?")],
            source: .sound)
        #expect(event.conflicts.map(\.field) == [.accountNumber])
        #expect(event.pan?.masked == "555555******4444")
    }

    /// The reader masks digits; the characters that show give the other fields.
    @Test func aMaskedTrackGivesTheFieldsThatShow() {
        var separate = CardEvent.SeparateFields()
        separate.maskedNumber = "411111******1111"
        let tracks = [
            masked(1, "%*4111********1111^DOE/JANE^2912***********?*"),
            masked(2, ";4111********1111=2912101****?*"),
        ]
        let event = CardEvent(tracks, source: .audioReader, time: nil, separate: separate)
        #expect(event.pan == nil)
        #expect(event.maskedNumber == "411111******1111")
        #expect(event.brand == .visa)
        #expect(event.name?.text.revealedText() == "DOE/JANE")
        #expect(event.expiry?.text == "2912")
        #expect(event.serviceCode?.text == "101")
        #expect(event.tracks.map(\.form) == [.masked, .masked])
        let stars = [17, 8, 15].map { String(repeating: "*", count: $0) }
        #expect(event.tracks[0].maskedText == "%\(stars.joined(separator: "^"))?*")
    }

    @Test(arguments: [
        "", ";", "%", "=", ";=", ";=*", ";*=****************?", "%^^?", "%B^^^?", "%*4111********1111^DOE/JANE",
        ";*=29?", ";*==2912101?", "QUENTIN", "%*^A/B^**********?",
    ])
    func hiddenCharactersGiveNoField(text: String) {
        let event = CardEvent([masked(1, text)], source: .reader)
        #expect(event.expiry == nil)
        #expect(event.serviceCode == nil)
        #expect(event.maskedNumber == nil)
        #expect(event.brand == .unknown)
    }

    /// Neither a track in clear without the form of a track, nor track 3, nor a licence: its
    /// track 2 has a date of birth.
    @Test func digitsOfOtherTextAreNoExpiryAndNoServiceCode() {
        let tracks = [
            clear(1, "%B4111111111111111^DOE/JANE^2912101000"), clear(2, ";4111111111111111=2912101"),
            clear(2, ";=4111111111111111"), masked(3, ";014111********1111=8408401?"),
            masked(2, ";636000********1111=2912198001?"), masked(2, "%B4111********1111^DOE/JANE^2912101?"),
        ]
        for track in tracks {
            let event = CardEvent([track], source: .reader)
            #expect(event.expiry == nil)
            #expect(event.serviceCode == nil)
            #expect(event.name == nil)
        }
    }

    @Test func anEncryptedTrackHasNoText() {
        let event = CardEvent([Text(encrypted: 2), Text(encrypted: nil)], source: .bluetoothReader)
        #expect(event.tracks.map(\.number) == [2, nil])
        #expect(event.tracks.allSatisfy { $0.text == nil && $0.maskedText == nil && $0.content == nil })
        #expect(event.maskedNumber == nil)
    }

    /// A brand needs the first six digits.
    @Test(arguments: [
        ("411111******1111", CardBrand.visa), ("************1111", .unknown), ("4***************", .unknown),
    ])
    func theBrandOfAMaskedNumberIsThatOfItsFirstDigits(number: String, brand: CardBrand) {
        var separate = CardEvent.SeparateFields()
        separate.maskedNumber = number
        #expect(CardEvent([], source: .reader, time: nil, separate: separate).brand == brand)
    }

    /// Nothing printed has the number, the name or the issuer's data.
    @Test func noPrintedFormShowsCardData() {
        let tracks = [
            clear(1, Self.track1), clear(2, Self.track2), masked(3, "%*9999********6788^QUENTIN/ANN^2512201*******?*"),
        ]
        let event = CardEvent(tracks, source: .sound)
        let values: [Any] = [event, event.tracks[0], event.tracks[2], [event], Optional(event) as Any]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for output in ["\(value)", String(reflecting: value), dumped] {
                #expect(!Leak.isPartOfNumber(Self.pan, in: output))
                #expect(!Leak.isNumber(in: output))
                #expect(!output.contains("QUENTIN"))
                #expect(!output.contains("7318046"))
            }
        }
    }
}
