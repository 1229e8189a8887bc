import JackdawCards
import JackdawReaders
import JackdawTestSupport
import Testing

@testable import SwipeController

/// What a gateway is sent of cards, and what is shown of them.
@Suite struct CardTests {
    private static func text(_ text: String) -> SecretText {
        let bytes = Array(text.utf8)
        return SecretText(copying: bytes.span)
    }

    private static func swipe(
        _ family: String, _ cipher: ReaderSwipe.Cipher?, _ parts: [(ReaderSwipe.Part, [UInt8])],
        isFromIDynamo: Bool = false
    ) -> PGSwipedCard {
        var builder = ReaderSwipe.Builder()
        for (part, bytes) in parts { builder.add(part, bytes.span) }
        return PGSwipedCard.make(builder.finish(family: family, cipher: cipher), isFromIDynamo: isFromIDynamo)
    }

    @Test func X0_08_aKeyedCardIsNamesAndValues() {
        let card = PGKeyedCard(
            cardNumber: Self.text("4111111111111111"), expirationDate: Self.text("1228"), cvv: Self.text("123"))
        #expect(card.getDirectPostString(withCVVIncluded: false) == "ccnumber=4111111111111111&ccexp=1228")
        #expect(card.getDirectPostString(withCVVIncluded: true).hasSuffix("&cvv=123"))
        #expect("\(card)" == "a keyed card 411111******1111")
        card.cvv = nil
        #expect(!card.getDirectPostString(withCVVIncluded: true).contains("cvv"))
    }

    @Test func X0_09_tracksInClearAreEscaped() {
        let card = PGSwipedCard(
            track1: Self.text("%B4111111111111111^DOE/JANE^2812101?"), track2: Self.text(";4111111111111111=2812?"),
            track3: nil)
        #expect(
            card.directPost(includingCVV: false).revealedText()
                == "track_1=%25B4111111111111111%5EDOE%2FJANE%5E2812101%3F&track_2=%3B4111111111111111%3D2812%3F")
    }

    @Test func S0_31_X0_07_anEncryptedSwipeHasItsKSNAndMaskedFields() throws {
        let card = Self.swipe(
            "unimag", .tripleDES,
            [
                (.maskedTrack(1), Array("%*4266********9999^BUSH JR/GEORGE W.MR ^2512****?".utf8)),
                (.maskedNumber, Array("4266********9999".utf8)), (.encryptedTrack(2), [0xDA, 0x7F]),
                (.keySerialNumber, [0x62, 0x99]),
            ])
        let encrypted = try #require(card as? PGEncryptedSwipedCard)
        #expect(encrypted.ksn == "6299")
        #expect(encrypted.maskedCardNumber == "4266000000009999")
        #expect(encrypted.expirationDate == "1225")
        #expect(encrypted.cardholderName?.revealedText() == "BUSH JR/GEORGE W.MR")
        // What may be shown is not sent.
        #expect(encrypted.getDirectPostString(withCVVIncluded: true) == "encrypted_track_2=DA7F&encrypted_ksn=6299")
        #expect("\(encrypted)" == "a swiped card 4266********9999")
    }

    @Test func S0_31_X0_07_aMagneSafeSwipeHasItsFingerprint() throws {
        let card = Self.swipe(
            "magtek", .tripleDES,
            [
                (.encryptedTrack(1), [0x01]), (.encryptedTrack(2), [0x02]), (.encryptedTrack(3), [0x03]),
                (.keySerialNumber, [0xFF, 0x98]), (.magnePrint, [0xAB]), (.magnePrintStatus, [0xA1, 0x05]),
            ])
        let magnesafe = try #require(card as? PGMagnesafeSwipedCard)
        #expect(
            magnesafe.getDirectPostString(withCVVIncluded: false)
                == "magnesafe_track_1=01&magnesafe_track_2=02&magnesafe_magneprint=AB&magnesafe_ksn=FF98"
                + "&magnesafe_magneprint_status=A105")
    }

    /// The SDK's zeros are in `maskedCardNumber` alone: whatever prints a card prints stars.
    @Test(arguments: ["4266********9999", "4111111111111111", "5452300000007189"])
    func X0_07_printedNumbersAreMaskedWithStars(number: String) throws {
        let card = Self.swipe("test", nil, [(.maskedNumber, Array(number.utf8))])
        let zeros = number.prefix(6).map { $0 == "*" ? "0" : $0 } + "000000" + number.suffix(4)
        #expect(card.maskedCardNumber == String(zeros))
        let stars = number.prefix(6) + "******" + number.suffix(4)
        let reader = PGSwipeController(SimulatedEnvironment()).uniMagReader
        for text in ["\(card)", String(reflecting: card), "\(PGSwipeEvent.didSwipeCard(card, reader))"] {
            #expect(text.hasSuffix(stars), "\(text)")
        }
    }

    /// A ported app casts what its iDynamo gives, also if the fingerprint is switched off.
    @Test func X0_07_anEncryptedSwipeOfAnIDynamoIsAMagneSafeCardWithoutAFingerprintToo() throws {
        let card = Self.swipe(
            "magtek", .tripleDES,
            [
                (.encryptedTrack(2), [0x02]), (.keySerialNumber, [0xFF, 0x98]),
                (.magnePrintStatus, [0xA1, 0x05, 0x00, 0x00]),
            ], isFromIDynamo: true)
        let magnesafe = try #require(card as? PGMagnesafeSwipedCard)
        // 99875483, section 2: no status is sent, either, if the fingerprint is switched off.
        let without = Self.swipe(
            "magtek", .tripleDES, [(.encryptedTrack(2), [0x02]), (.keySerialNumber, [0xFF, 0x98])], isFromIDynamo: true)
        #expect(without.getDirectPostString(withCVVIncluded: false) == "magnesafe_track_2=02&magnesafe_ksn=FF98")
        #expect(magnesafe.magnesafePrint.isEmpty)
        #expect(
            magnesafe.getDirectPostString(withCVVIncluded: false)
                == "magnesafe_track_2=02&magnesafe_ksn=FF98&magnesafe_magneprint_status=A1050000")
    }

    /// 99875475-10, appendix D, example 5.
    @Test func X0_07_aSwipeOfAnIDynamoWithoutKeysIsInClear() throws {
        var dialect = try #require(ReaderFamily.named("magtek")).makeDialect()
        let line = PublishedSwipes.magTekClear
        guard case .swipe(let swipe)? = dialect.understand(line.span, answering: nil).first else {
            return #expect(Bool(false), "it is no swipe")
        }
        let card = PGSwipedCard.make(swipe)
        #expect(!(card is PGMagnesafeSwipedCard) && !(card is PGEncryptedSwipedCard))
        #expect(card.track2?.revealedText() == ";5452300551227189=080432100000007250?")
        #expect(card.expirationDate == "0408")
        #expect(card.cardholderName?.revealedText() == "HOGAN/PAUL")
    }

    @Test func X0_07_anIPSSwipeHasNameAndExpiry() throws {
        var dialect = try #require(ReaderFamily.named("ips")).makeDialect()
        let frame = PublishedSwipes.ips
        guard case .swipe(let swipe)? = dialect.understand(frame.span, answering: nil).first else {
            Issue.record("it is no swipe")
            return
        }
        let card = try #require(PGSwipedCard.make(swipe) as? PGEncryptedSwipedCard)
        #expect(card.maskedCardNumber == "4111110000001111")
        #expect(card.expirationDate == "1225")
        #expect(card.cardholderName?.revealedText() == "TEST/CARD")
        #expect(card.track1?.count == 160)
    }

    @Test func aProfileHasThePlacesOfNameAndExpiry() throws {
        var layout = IPSLayout()
        layout.name += 5
        layout.nameLength -= 5
        layout.expiry = layout.lastDigits
        let frame = PublishedSwipes.ips
        let meanings = IPSDialect(layout: layout).understand(frame.span, answering: nil)
        guard case .swipe(let swipe)? = meanings.first else {
            Issue.record("it is no swipe")
            return
        }
        let card = PGSwipedCard.make(swipe)
        #expect(card.cardholderName?.revealedText() == "CARD")
        #expect(card.expirationDate == "1111")
    }

    @Test func descriptionsHaveNoCardData() {
        let card = PGSwipedCard(track1: Self.text("%B4111111111111111^DOE/JANE^2812101?"), track2: nil, track3: nil)
        for text in ["\(card)", String(reflecting: card), String(describing: Mirror(reflecting: card))] {
            #expect(!text.contains("4111111111111111") && !text.contains("DOE"))
        }
    }
}
